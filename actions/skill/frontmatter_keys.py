"""Define the known frontmatter keys and the form of names, and correct misspelled keys."""

import re
from collections.abc import Mapping
from typing import Any

from actions.code.calls import CLAUDE_TOOLS
from actions.regex import regex
from actions.skill.frontmatter import Frontmatter, parse_frontmatter
from actions.skill.similar_names import is_similar
from actions.skill.text import normalize_name

EFFECTIVE_KEYS = frozenset(
    "name description allowed-tools disallowed-tools argument-hint arguments disable-model-invocation user-invocable"
    " model context agent background hooks when_to_use effort paths shell metadata license compatibility".split()
)
"""The keys that Claude Code reads or that the skill specification defines."""
KNOWN_KEYS = EFFECTIVE_KEYS | {"version", "author", "tags"}
"""`EFFECTIVE_KEYS` and three keys that skill catalogs display."""
DESCRIPTIVE_KEYS = frozenset(
    "name description version author tags license compatibility metadata argument-hint".split()
)
"""The keys that only describe the skill and change no behavior."""
_DEFAULTS = {
    "user-invocable": "true",
    "disable-model-invocation": "false",
    "background": "false",
    "model": "inherit",
    "tools": "*",
    "permissionMode": "default",
}
"""The default values of keys, in lower case. A key with its default value has no effect."""
_MIN_LETTERS = 6
"""Minimum length of a misspelled key. A shorter key may be another word (`models`, `path`, `hook`)."""
_WELL_FORMED = regex(r"[a-z0-9]+(?:-[a-z0-9]+)*\Z")
_SEPARATORS = regex(r"[\s_.:-]+")
_MAX_NAME = 64
_GENERIC_FOLDERS = frozenset({"skill", "skills", "src", "main", "before", "after", "plugin", "repo", "template"})
_KEY_AND_VALUE = regex(r"^([A-Za-z][\w-]*:[ \t]+)(?![\"'|>])(\S.*)$")
_YAML_SYNTAX = regex(r": |:$| #|^[\[{&*!%@`]")


def find_known_key(key: str, value: object = None) -> str | None:
    """Return the known key that `key` misspells, or None.

    A misspelling has the same letters in another form (`allowed_tools`, `allowedTools`) or nearly the same letters
    (`desciption`). `tools` is a key of agents; in a skill it is a mistake if its value names Claude Code tools.
    """
    if key in KNOWN_KEYS or key.startswith(("x-", "_")):
        return None
    if key == "tools":
        return "allowed-tools" if names_tools(value) else None
    keys_by_letters = {normalize_name(known): known for known in sorted(EFFECTIVE_KEYS)}
    if normalize_name(key) in keys_by_letters:
        return keys_by_letters[normalize_name(key)]
    similar = [known for plain, known in keys_by_letters.items() if _is_similar_key(plain, normalize_name(key))]
    return similar[0] if len(similar) == 1 else None


def is_default(key: str, value: Any) -> bool:
    """Return whether a value is the default value of a key in Claude Code."""
    is_alone = isinstance(value, list) and len(value) == 1
    return _DEFAULTS.get(key) == str(value[0] if is_alone else value).lower()


def names_tools(value: object) -> bool:
    """Return whether the value of a key names Claude Code tools."""
    return not CLAUDE_TOOLS.isdisjoint(re.findall(r"\w+", str(value)))


def is_anagram(first: str, second: str) -> bool:
    """Return whether two keys have the same letters, in any order."""
    return sorted(first.lower()) == sorted(second.lower())


def _is_similar_key(known: str, other: str) -> bool:
    if is_anagram(known, other):
        return is_similar(known, other)
    near_length = len(known) >= _MIN_LETTERS and abs(len(known) - len(other)) <= 2
    return near_length and len(set(known) ^ set(other)) <= 3 and is_similar(known, other)


def is_well_formed(name: str) -> bool:
    """Return whether a name consists of 1 to 64 lower-case letters, digits and single hyphens."""
    return len(name) <= _MAX_NAME and bool(_WELL_FORMED.match(name))


def is_spelling_of(name: str, folder: str) -> bool:
    """Return whether a name differs from a folder name only in case and separators (`Code Review_Kit`, `UnoCSS`)."""
    return _SEPARATORS.sub("", name).lower() == _SEPARATORS.sub("", folder)


def get_folder_name(folder: str) -> str | None:
    """Return the folder's name if it can be the skill's name, or None if it is malformed or generic."""
    return folder if is_well_formed(folder) and folder not in _GENERIC_FOLDERS else None


def _is_list(line: str, value: str) -> bool:
    """Return whether a value is a valid one-line YAML list or mapping, which Claude Code reads as it is."""
    return value.startswith(("[", "{")) and parses_alone(line)


def parses_alone(line: str) -> bool:
    """Return whether one line of a frontmatter is valid YAML on its own."""
    return not parse_frontmatter(("---", line, "---")).error


def quote_values(lines: tuple[str, ...], frontmatter: Frontmatter) -> Mapping[int, str]:
    """Quote values to make invalid frontmatter valid. Returns the changed lines by line number.

    The result is empty if the frontmatter is valid, or if quotes do not make it valid. Claude Code reads the values in
    the same way without quotes, but stricter parsers reject the skill.
    """
    if not frontmatter.error or frontmatter.exceeds_limit or not frontmatter.end:
        return {}
    changed_lines: dict[int, str] = {}
    for number, line in enumerate(lines[1 : frontmatter.end - 1], 2):
        match = _KEY_AND_VALUE.match(line.rstrip(" \t"))
        if match and _YAML_SYNTAX.search(match[2]) and not _is_list(line, match[2]):
            value = match[2].replace("\\", "\\\\").replace('"', '\\"')
            changed_lines[number] = f'{match[1]}"{value}"'
    new = tuple(changed_lines.get(number, line) for number, line in enumerate(lines[: frontmatter.end], 1))
    return changed_lines if changed_lines and not parse_frontmatter(new).error else {}
