"""Find added lines of code that are marked as unfinished: TODO comments, code that only raises."""

from typing import NamedTuple

from actions.regex import regex
from actions.session.edits import Edit, is_test
from actions.session.shell import Command


class Stub(NamedTuple):
    """A line that an edit added and no later edit removed."""

    record: int
    path: str
    line: str
    agent: str


_MARKED = regex(r"[^\"'`]*?(?://|#|/\*|\*|--|<!--|;|%)+!?\s*@?(?:TODO\s*[:(]|(?:FIXME|XXX)\b)")
"""A comment that begins with the marker, without a quote before it: a string that mentions one is no stub."""
_RAISED = regex(
    r"(?i)\braise NotImplementedError\b|\b(?:todo|unimplemented)!\(|\bNotImplementedException\(|\bTODO\(\s*\""
    r"|\bthrow new (?:Error|NotImplementedE\w+|UnsupportedOperationE\w+)\(\s*[\"'`](?:not (?:yet )?implemented|TODO)"
    r"|\bpanic\(\s*[\"`](?:not (?:yet )?implemented|TODO|unimplemented)"
    r"|\berrors\.New\(\s*\"not (?:yet )?implemented\"\s*\)"
)
_ABSTRACT = regex(r"(?i)abstract|Protocol\b|\bABC\b|interface|subclass|virtual|override")
_NEAR = 400


def find_stubs(edits: tuple[Edit, ...], commands: tuple[Command, ...]) -> tuple[Stub, ...]:
    """Return the stubs that are left after the last edit."""
    left: dict[tuple[str, str], Stub] = {}
    for edit in edits:
        is_marked = _hints(edit.added)
        if not (is_marked or left) or not edit.is_code or is_test(edit.path):
            continue
        if left:
            for key in [key for key in left if key[0] == edit.path and (edit.whole or key[1] in edit.removed)]:
                if key[1] not in edit.added:
                    del left[key]
        for line in edit.added.split("\n") if is_marked else ():
            if _hints(line) and _is_stub(line, edit.added) and line.strip() not in edit.removed:
                left.setdefault((edit.path, line.strip()), Stub(edit.record, edit.path, line, edit.agent))
    gone = _find_deleted(commands) if left else frozenset()
    return tuple(stub for stub in left.values() if stub.path.rpartition("/")[2] not in gone)


def _hints(text: str) -> bool:
    plain = "TODO" in text or "mplement" in text or ("!" in text and "odo!(" in text)
    return plain or ("X" in text and ("FIXME" in text or "XXX" in text))


def _is_stub(line: str, text: str) -> bool:
    """Return whether a line is marked; a line that raises in an abstract method is not."""
    if len(line) > _NEAR or not (_MARKED.match(line) or _RAISED.search(line)):
        return False
    at = text.find(line)
    return "NotImplemented" not in line or not _ABSTRACT.search(text[max(0, at - _NEAR) : at + len(line) + _NEAR])


def _find_deleted(commands: tuple[Command, ...]) -> frozenset[str]:
    parts = [part for command in commands if command.ran for part in command.parts]
    gone = [word for part in parts if part[0] == "rm" or part[:2] == ("git", "rm") for word in part[1:]]
    return frozenset(word.strip("'\"").rpartition("/")[2] for word in gone)
