"""Frontmatter that is not YAML only because plain values want quotes, such as `description: Use when: …`."""

import re
from collections.abc import Mapping

from actions.skill.frontmatter import Frontmatter, parse_frontmatter

_VALUE = re.compile(r"^([A-Za-z][\w-]*:[ \t]+)(?![\"'|>])(\S.*?)[ \t]*$")
_SPECIAL = re.compile(r": |:$| #|^[\[{&*!%@`]")


def quoted(lines: tuple[str, ...], head: Frontmatter) -> Mapping[int, str]:
    """Give line number -> the line with its value quoted, where that makes valid YAML; else nothing.

    Claude Code reads such a head in the same manner; stricter readers refuse the skill.
    """
    if not head.error or not head.end:
        return {}
    changed: dict[int, str] = {}
    for number, line in enumerate(lines[1 : head.end - 1], 2):
        match = _VALUE.match(line)
        if match and _SPECIAL.search(match[2]):
            value = match[2].replace("\\", "\\\\").replace('"', '\\"')
            changed[number] = f'{match[1]}"{value}"'
    new = tuple(changed.get(number, line) for number, line in enumerate(lines[: head.end], 1))
    return changed if changed and not parse_frontmatter(new).error else {}
