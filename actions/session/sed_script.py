"""List the files that a sed call may write: by `w`, `W`, `s///w` or `e` in its script, or in place."""

import re
from collections.abc import Iterator

from actions.regex import regex

ANY = "."
"""Stands for a file that the call does not name."""
_VALUED = frozenset({"-l", "--line-length", "-f", "--file"})
_SCRIPTS = frozenset({"-e", "--expression"})
_IN_PLACE = regex(r"-[nErsuz]*i(.*)|--in-place(?:=(.*))?")
_ADDRESS = regex(r"(?:[\d\s,;{}!~+$IM]|/(?:[^/\\\n]|\\.)*/|\\(.)(?:(?!\1)[^\\\n]|\\.)*\1)*")
_PARTS = regex(r"(?s)(.)((?:(?!\1)[^\\]|\\.)*)\1((?:(?!\1)[^\\]|\\.)*)\1")
_FLAGS = regex(r"[gpiIMm0-9we]*")
_LABEL = regex(r"[^;\n}]*")
_LINE = regex(r"[^\n]*")
_LABELED, _TEXT, _PLAIN = frozenset(":btT"), frozenset("aicrRv#"), frozenset("pPdDnNgGhHx=zFqQlL")
"""The sed commands that end after a label, at the end of the line, and immediately, respectively."""


def list_sed_writes(words: tuple[str, ...]) -> Iterator[str]:
    """Yield the files that a sed call writes besides its input; `ANY` if unknown. `words` does not contain `sed`."""
    scripts, rest = _split(words)
    for script in scripts:
        yield from _list_writes(script)
    if any(word in ("-f", "--file") or word.startswith("--file=") for word in rest):
        yield ANY
    if any((found := _IN_PLACE.fullmatch(word)) and (found[1] or found[2]) for word in rest):
        yield ANY


def edits_in_place(words: tuple[str, ...]) -> bool:
    """Return whether a sed call changes the files that it reads."""
    return any(_IN_PLACE.fullmatch(word) for word in words)


def may_write(words: tuple[str, ...]) -> bool:
    """Return whether a sed call may write any file."""
    return edits_in_place(words) or any(list_sed_writes(words))


def _split(words: tuple[str, ...]) -> tuple[list[str], list[str]]:
    """Return the scripts (unquoted) and the options among the words of a call."""
    scripts, options, names = [], [], []
    skips = False
    for n, word in enumerate(words):
        if skips or word in ("''", '""'):  # the latter is the suffix of -i on macOS
            skips = False
        elif word in _SCRIPTS or word in _VALUED:
            skips = True
            options.append(word)
            scripts += [_unquote("".join(words[n + 1 : n + 2]))] if word in _SCRIPTS else []
        elif word.startswith("--expression="):
            scripts.append(_unquote(word.partition("=")[2]))
        elif word.startswith("-") and word != "-":
            options.append(word)
            if word[-1] == "e" and not word.startswith("--") and not _IN_PLACE.fullmatch(word):  # -ne SCRIPT
                scripts.append(_unquote("".join(words[n + 1 : n + 2])))
        else:
            names.append(word)
    return (scripts or [_unquote(word) for word in names[:1]]), options


def _unquote(word: str) -> str:
    return word[1:-1] if len(word) > 1 and word[0] in "'\"" and word[-1] == word[0] else word


def _list_writes(script: str) -> Iterator[str]:
    """Yield the files that a script writes; `ANY` if the script cannot be parsed."""
    at = 0
    while (at := _skip(_ADDRESS, script, at)) < len(script):
        name, at = script[at], at + 1
        if name in "sy":
            parts = _PARTS.match(script, at)
            if parts is None:
                yield ANY
                return
            at = _skip(_FLAGS, script, parts.end()) if name == "s" else parts.end()
            flags = script[parts.end() : at]
            if "e" in flags:
                yield ANY
            name = "w" if "w" in flags else "p"
        if name in "wW":
            end = _skip(_LINE, script, at)
            yield script[at:end].strip() or ANY
            at = end
        elif name in _LABELED or name in _TEXT:
            at = _skip(_LABEL if name in _LABELED else _LINE, script, at)
        elif name not in _PLAIN:
            yield ANY
            return


def _skip(pattern: "re.Pattern[str]", text: str, at: int) -> int:
    found = pattern.match(text, at)
    return found.end() if found else at
