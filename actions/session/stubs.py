"""Lines of code that stand for something that is missing, as far as edits show them."""

import re
from typing import NamedTuple

from actions.session.edits import Edit
from actions.session.shell import Command
from actions.session.words import lines_with


class Stub(NamedTuple):
    """A line that an edit added and no later one took away."""

    record: int
    path: str
    line: str
    agent: str


_COMMENT = r"(?://|#|/\*|\*|--|<!--|;|%|\"\"\"|''')"
_MARKED = re.compile(rf"{_COMMENT}+!?\s*@?(?:(?:TODO|FIXME|XXX)\b(?!\s*(?:list|item|app|name|s\b))|todo(?:\(\w*\))?:)")
_SAID = re.compile(
    rf"{_COMMENT}.{{0,80}}?\b(?:implement(?:ed|ation)? (?:this |me |it )?(?:later|here)|to be implemented"
    r"|not (?:yet )?implemented(?: yet)?$|(?:is|just|only|as|for now,?) (?:a |an )?(?:placeholder|stub)\b"
    r"|placeholder (?:implementation|for now|until)"
    r"|stub(?:bed)? (?:implementation|out|for now)|for now,? (?:just )?return|in a real implementation"
    r"|in production,? (?:this|we|you) would)",
    re.I,
)
_RAISED = re.compile(
    r"\braise NotImplementedError\b|\b(?:todo|unimplemented)!\("
    r"|\bthrow new (?:Error|NotImplementedE\w+|UnsupportedOperationE\w+)\(\s*[\"'`](?:not (?:yet )?implemented|TODO)"
    r"|\bpanic\(\s*[\"`](?:not (?:yet )?implemented|TODO|unimplemented)|\bNotImplementedException\("
    r"|\bTODO\(\s*\"|\berrors\.New\(\s*\"not (?:yet )?implemented\"\s*\)",
    re.I,
)
_EMPTY = re.compile(
    r"^[ \t]{0,80}(?:async )?def (\w+)\([^\n]{0,300}\)[^\n:]{0,100}:[ \t]*"
    r"(?:\n[ \t]+(?:\"\"\"[^\n]*\"\"\"|#[^\n]*))*\n?[ \t]*(pass|\.\.\.)[ \t]*$",
    re.M,
)
_ABSTRACT = re.compile(r"abstract|Protocol\b|\bABC\b|@overload|interface|subclass|virtual|override", re.I)
_MEANT = re.compile(
    r"no-?op|intentional|deliberate|(?:not supported|not implemented|unsupported) (?:on|for|by|in) ", re.I
)
_HINTS = ("TODO", "FIXME", "XXX", "odo:", "odo!(", "mplement", "laceholder", "tub")


def stubs_left(edits: tuple[Edit, ...], commands: tuple[Command, ...]) -> tuple[Stub, ...]:
    """Return the stubs that are still there after the last edit, as they were added."""
    left: dict[tuple[str, str], Stub] = {}
    for edit in edits:
        if not edit.is_code or edit.is_test:
            continue
        if left:
            for key in [key for key in left if key[0] == edit.path and (edit.whole or key[1] in edit.removed)]:
                if key[1] not in edit.added:
                    del left[key]
        added = _lines(edit.added, edit.path)
        removed = _lines(edit.removed, edit.path) if added else ()
        for line in added:
            if line not in removed:
                left.setdefault((edit.path, line.strip()), Stub(edit.record, edit.path, line, edit.agent))
    gone = _deleted(commands) if left else frozenset()
    return tuple(stub for stub in left.values() if stub.path.rpartition("/")[2] not in gone)


def _lines(text: str, path: str) -> list[str]:
    """Return the lines of a code text that are stubs."""
    stubs = [line for line in dict.fromkeys(lines_with(text, _HINTS)) if _is_stub(line) and not _is_meant(text, line)]
    if path.endswith(".py") and "def " in text and not _ABSTRACT.search(text):
        stubs += [found[0].strip("\n").split("\n")[0] for found in _EMPTY.finditer(text) if not _MEANT.search(found[0])]
    return stubs


def _is_stub(line: str) -> bool:
    return len(line) <= 400 and bool(_MARKED.search(line) or _SAID.search(line) or _RAISED.search(line))


def _is_meant(text: str, line: str) -> bool:
    """Whether the line says that the emptiness is meant, or stands in something abstract."""
    if _MEANT.search(line):
        return True
    at = text.find(line)
    return "NotImplementedError" in line and _ABSTRACT.search(text[max(0, at - 400) : at + 100]) is not None


def _deleted(commands: tuple[Command, ...]) -> frozenset[str]:
    parts = [part for command in commands if command.ran for part in command.parts]
    gone = [word for part in parts if part[0] == "rm" or part[:2] == ("git", "rm") for word in part[1:]]
    return frozenset(word.strip("'\"").rpartition("/")[2] for word in gone)
