"""Find the fault because of which Claude Code does not load an agent of `.claude/agents`.

Source: the CLI 2.1.332; `tests/e2e/facts/test_agent_facts.py` asks it. An agent of a plugin is loaded without a name
(its file's name serves), without a description and without frontmatter.
"""

import posixpath
from collections.abc import Mapping
from typing import Any

from actions.project.frontmatter import read_values
from actions.project.units import Unit, UnitKind
from actions.regex import regex
from actions.skill.skill import Skill

MAX_NAME_CHARS = 256
_AGENT_KEYS = frozenset(("name", "description", "tools", "allowed-tools", "model", "disallowedtools"))
"""Keys, in lower case, that show that a file is meant as an agent."""
_NOTE = regex(r"(?i:readme|index|template|registry)\b|[A-Z0-9_]+\.md")
"""A file name of a text for people."""


def find_agent_fault(unit: Unit, skill: Skill) -> tuple[str, str] | None:
    """Return the key (`name` or `description`) and the fault that keep an agent from being loaded, or None.

    A file that may be a text for people, or a template, has no fault. `skill` is the agent's parsed file.
    """
    if unit.kind is not UnitKind.AGENT or unit.plugin_root is not None or not unit.is_loaded:
        return None
    values = read_values(skill.main.text)
    if values is None or is_note(unit.path):
        return None
    own_values = [value for key, value in values.items() if str(key).lower() in _AGENT_KEYS]
    if not own_values or "{{" in str(own_values):
        return None
    if fault := _find_in_name(values):
        return "name", fault
    return ("description", _describe(values, "description")) if not _is_text(values, "description") else None


def is_note(path: str) -> bool:
    """Return whether a file in `.claude/agents` is a text for people by its name, such as `README.md`."""
    return _NOTE.match(posixpath.basename(path)) is not None


def _find_in_name(values: Mapping[str, Any]) -> str:
    """Return the fault of the name, or ""."""
    if not _is_text(values, "name"):
        return _describe(values, "name")
    name = str(values["name"])
    if ":" in name:
        return "`name` contains `:`"
    if name.startswith("-"):
        return "`name` begins with `-`"
    return f"`name` is longer than {MAX_NAME_CHARS} characters" if len(name) > MAX_NAME_CHARS else ""


def _is_text(values: Mapping[str, Any], key: str) -> bool:
    """Return whether a value is a text that is not empty. PyYAML also reads dates, which are text for Claude Code."""
    value = values.get(key)
    return value not in (None, "") and not isinstance(value, bool | int | float | list | dict)


def _describe(values: Mapping[str, Any], key: str) -> str:
    return f"`{key}` is empty or not a text" if key in values else f"the frontmatter has no `{key}`"
