"""Find why Claude Code does not accept the name of a marketplace.

Source: `claude plugin marketplace add` of the CLI 2.1.332; `tests/e2e/facts/test_manifest_facts.py` asks it.
"""

from collections.abc import Mapping
from typing import Any

from actions.regex import regex

_VALID = regex(r"(?a)[A-Za-z0-9][\w.-]*")
_IMITATION = regex(
    r"(?i)(?:anthropic|claude)[^a-z0-9]*(?:marketplace|plugins|official|director(?:y|ies))"
    r"|.*(?:official[^a-z0-9]*(?:anthropic|claude)|(?:anthropic|claude)[^a-z0-9]*official)"
)
_SOURCES = frozenset("inline builtin skills-dir synced claude-plugin-test".split())
"""Names that Claude Code uses for plugins without a marketplace."""
_OFFICIAL = frozenset(
    "agent-skills anthropic-agent-skills anthropic-marketplace anthropic-plugin-directory anthropic-plugins"
    " claude-code-marketplace claude-code-plugins claude-community claude-for-financial-services claude-for-legal"
    " claude-plugin-directory claude-plugins-community claude-plugins-official claude-tag-plugins"
    " financial-services-plugins first-party-plugins healthcare knowledge-work-plugins life-sciences".split()
)
"""Names that only repositories of Anthropic may use."""


def find_name_fault(marketplace: Mapping[str, Any]) -> str:
    """Return what is wrong with the name of a marketplace, or "". An official name needs an owner called Anthropic."""
    name, owner = marketplace.get("name"), str(marketplace.get("owner")).lower()
    if not isinstance(name, str) or not name:
        return "is empty" if name == "" else ""
    if not _VALID.fullmatch(name):
        return "may have only `A-Z`, `a-z`, `0-9`, `.`, `_` and `-`, and must begin with a letter or a digit"
    if ".." in name:
        return "contains `..`"
    if name.lower() in _SOURCES or (name.lower() in _OFFICIAL and "anthropic" not in owner):
        return "is reserved"
    is_imitation = name.lower() not in _OFFICIAL and _IMITATION.match(name)
    return "looks like a name of an official marketplace" if is_imitation else ""
