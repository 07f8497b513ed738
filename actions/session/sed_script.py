"""List the files that a sed call may write: with `w`, `W`, `s///w` or `e` in its script, or in place."""

import re
from collections.abc import Iterator

from actions.regex import regex

UNKNOWN_FILE = "."
"""Stands for an unknown file."""
_VALUE_OPTIONS = frozenset({"-l", "--line-length", "-f", "--file"})
_SCRIPT_OPTIONS = frozenset({"-e", "--expression"})
_IN_PLACE = regex(r"-[nErsuz]*i(.*)|--in-place(?:=(.*))?")
_ADDRESS = regex(r"(?:[\d\s,;{}!~+$IM]|/(?:[^/\\\n]|\\.)*/|\\(.)(?:(?!\1)[^\\\n]|\\.)*\1)*")
_PATTERN_AND_REPLACEMENT = regex(r"(?s)(.)((?:(?!\1)[^\\]|\\.)*)\1((?:(?!\1)[^\\]|\\.)*)\1")
_FLAGS = regex(r"[gpiIMm0-9we]*")
_LABEL = regex(r"[^;\n}]*")
_LINE = regex(r"[^\n]*")
_LABEL_COMMANDS = frozenset(":btT")
"""The sed commands that are followed by a label."""
_LINE_COMMANDS = frozenset("aicrRv#")
"""The sed commands whose argument extends to the end of the line."""
_BARE_COMMANDS = frozenset("pPdDnNgGhHx=zFqQlL")
"""The sed commands without an argument."""


def list_sed_writes(words: tuple[str, ...]) -> Iterator[str]:
    """Yield the files that a sed call writes besides its input, with `UNKNOWN_FILE` for unknown files."""
    scripts, options = _split_words(words)
    for script in scripts:
        yield from _list_writes(script)
    if any(word in ("-f", "--file") or word.startswith("--file=") for word in options):
        yield UNKNOWN_FILE
    if any((match := _IN_PLACE.fullmatch(word)) and (match[1] or match[2]) for word in options):
        yield UNKNOWN_FILE


def edits_in_place(words: tuple[str, ...]) -> bool:
    """Return whether a sed call changes the files that it reads."""
    return any(_IN_PLACE.fullmatch(word) for word in words)


def may_write(words: tuple[str, ...]) -> bool:
    """Return whether a sed call may write any file."""
    return edits_in_place(words) or any(list_sed_writes(words))


def _split_words(words: tuple[str, ...]) -> tuple[list[str], list[str]]:
    """Return the unquoted scripts and the options of a call."""
    scripts, options, names = [], [], []
    skip_next = False
    for index, word in enumerate(words):
        if skip_next or word in ("''", '""'):  # an empty suffix of -i on macOS
            skip_next = False
        elif word in _SCRIPT_OPTIONS or word in _VALUE_OPTIONS:
            skip_next = True
            options.append(word)
            scripts += [_unquote("".join(words[index + 1 : index + 2]))] if word in _SCRIPT_OPTIONS else []
        elif word.startswith("--expression="):
            scripts.append(_unquote(word.partition("=")[2]))
        elif word.startswith("-") and word != "-":
            options.append(word)
            if word[-1] == "e" and not word.startswith("--") and not _IN_PLACE.fullmatch(word):  # -ne SCRIPT
                scripts.append(_unquote("".join(words[index + 1 : index + 2])))
        else:
            names.append(word)
    return (scripts or [_unquote(word) for word in names[:1]]), options


def _unquote(word: str) -> str:
    return word[1:-1] if len(word) > 1 and word[0] in "'\"" and word[-1] == word[0] else word


def _list_writes(script: str) -> Iterator[str]:
    """Yield the files that a script writes, and `UNKNOWN_FILE` if the script cannot be parsed."""
    position = 0
    while (position := _skip(_ADDRESS, script, position)) < len(script):
        name, position = script[position], position + 1
        if name in "sy":
            parts = _PATTERN_AND_REPLACEMENT.match(script, position)
            if parts is None:
                yield UNKNOWN_FILE
                return
            position = _skip(_FLAGS, script, parts.end()) if name == "s" else parts.end()
            flags = script[parts.end() : position]
            if "e" in flags:
                yield UNKNOWN_FILE
            name = "w" if "w" in flags else "p"
        if name in "wW":
            end = _skip(_LINE, script, position)
            yield script[position:end].strip() or UNKNOWN_FILE
            position = end
        elif name in _LABEL_COMMANDS or name in _LINE_COMMANDS:
            position = _skip(_LABEL if name in _LABEL_COMMANDS else _LINE, script, position)
        elif name not in _BARE_COMMANDS:
            yield UNKNOWN_FILE
            return


def _skip(pattern: "re.Pattern[str]", text: str, position: int) -> int:
    """Return the end of a match at `position`, or `position` if there is no match."""
    match = pattern.match(text, position)
    return match.end() if match else position
