"""Remove the permissions and hooks of a skill for a trial, and find its `!` commands, which a task must allow."""

import json
import re

from actions.skill.document import list_body_lines
from actions.skill.frontmatter import parse_frontmatter
from actions.skill.text import normalize_name

_GRANTS = frozenset({"allowedtools", "hooks"})
_MARK = "---"
_STARTED_COMMAND = re.compile(r"(?:^|(?<=\s))!`([^`]+)`|```!\s*+([\s\S]*?)```")
"""The commands that Claude Code 2.1.332 runs when it loads a skill."""


def remove_grants(main: bytes) -> bytes:
    """Return a SKILL.md without `hooks` and `allowed-tools` in its frontmatter. The body is not changed.

    The new frontmatter has one JSON value per line, because all YAML parsers read this format in the same way. If the
    old frontmatter cannot be parsed, it becomes part of the body.
    """
    text = main.decode("utf-8", "replace").replace("\r\n", "\n").lstrip("\ufeff \t\r\n")
    if not text.startswith(_MARK):
        return main
    lines = text.split("\n")
    frontmatter = parse_frontmatter(tuple(lines))
    allowed = ((key, value) for key, value in frontmatter.values.items() if normalize_name(key) not in _GRANTS)
    new = [f"{json.dumps(key)}: {json.dumps(value, ensure_ascii=False, default=str)}" for key, value in allowed]
    body = lines if frontmatter.error else list_body_lines(tuple(lines))
    return "\n".join((_MARK, *new, _MARK, *body)).encode("utf-8", "replace")


def find_started_command(main: bytes) -> str:
    """Return the first command that Claude Code runs when it loads this SKILL.md, or ""."""
    found = _STARTED_COMMAND.search(main.decode("utf-8", "replace"))
    return (found[1] or found[2] or "").strip() if found else ""
