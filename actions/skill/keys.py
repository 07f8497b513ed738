"""The frontmatter's keys and the skill's name: which there are, which are well-formed, and which a slip stands for."""

import re
from collections.abc import Mapping
from difflib import get_close_matches

from actions.skill.frontmatter import Frontmatter, parse_frontmatter

KNOWN = frozenset(
    "name description license allowed-tools metadata compatibility version argument-hint disable-model-invocation"
    " user-invocable model context agent hooks when_to_use arguments disallowed-tools effort paths shell author"
    " tags".split()
)
"""The specification of skills, Claude Code, and three that catalogues of skills show: version, author, tags."""
_ALIKE = 0.85
_OTHER_NAMES = {"tools": "allowed-tools", "user-invokable": "user-invocable"}
_WELL_FORMED = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*\Z")
_APART = re.compile(r"[\s_.:]+|(?<=[a-z0-9])(?=[A-Z])")
_LONGEST_NAME = 64
_ANY_FOLDER = frozenset({"skill", "skills", "src", "main", "before", "after", "plugin", "repo", "template"})
_VALUE = re.compile(r"^([A-Za-z][\w-]*:[ \t]+)(?![\"'|>])(\S.*?)[ \t]*$")
_SPECIAL = re.compile(r": |:$| #|^[\[{&*!%@`]")


def meant_key(key: str) -> str | None:
    """Return the known key that an unknown one is a slip of: other letters, `_` for `-`, or an agent's word for it."""
    plain = key.strip().lower().replace("_", "-").replace(" ", "-")
    if plain in _OTHER_NAMES:
        return _OTHER_NAMES[plain]
    spelled = {known.replace("_", "-"): known for known in sorted(KNOWN)}
    near = get_close_matches(plain, spelled, n=1, cutoff=_ALIKE)
    return spelled[near[0]] if near else None


def is_well_formed(name: str) -> bool:
    """Return whether a name is of 1 to 64 lower-case letters, digits and single hyphens."""
    return len(name) <= _LONGEST_NAME and bool(_WELL_FORMED.match(name))


def as_slug(name: str) -> str:
    """Return a name as the rule wants it: `Code Review_Kit` and `CodeReviewKit` become `code-review-kit`."""
    return _APART.sub("-", name.strip()).lower()


def folder_name(folder: str) -> str | None:
    """Return the folder's name where it can be the skill's: well-formed, and not a name that any folder may have."""
    return folder if is_well_formed(folder) and folder not in _ANY_FOLDER else None


def quoted(lines: tuple[str, ...], head: Frontmatter) -> Mapping[int, str]:
    """Return line number -> the line with its value quoted, where that makes valid YAML; else nothing.

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
