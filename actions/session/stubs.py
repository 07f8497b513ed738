"""Find unfinished code among the added lines: TODO comments, and functions that only raise an error or do nothing."""

from typing import NamedTuple

from actions.regex import regex
from actions.session.edits import Edit


class Stub(NamedTuple):
    """An unfinished line that an edit added and no later edit removed."""

    record: int
    path: str
    line: str
    agent: str


_MARKER_COMMENT = regex(
    r"[^\"'`]*?(?://|#|/\*|\*|--|<!--|;|%)+!?\s*@?"
    r"(?:(?:TODO|FIXME|XXX)\b|[Tt]odo:"
    r"|(?i:placeholder|(?:to be )?implement(?:ed)? (?:this |it )?later)\s*(?:\*/|-->|$))"
)
"""A comment that begins with a marker. No quote may precede it, because a marker in a string is not a stub."""
_EMPTY_FUNCTION = regex(r"\s*(?:async\s+)?def \w+\([^()]*\)(?:\s*->\s*[^:]+)?:\s*(?:pass|\.\.\.)\s*(?:#.*)?$")
"""A Python function on one line that does nothing."""
_RAISES_UNFINISHED = regex(
    r"(?i)\braise NotImplementedError\b|\b(?:todo|unimplemented)!\(|\bNotImplementedException\(|\bTODO\(\s*\""
    r"|\bthrow new (?:Error|NotImplementedE\w+|UnsupportedOperationE\w+)\(\s*[\"'`](?:not (?:yet )?implemented|TODO)"
    r"|\bpanic\(\s*[\"`](?:not (?:yet )?implemented|TODO|unimplemented)"
    r"|\berrors\.New\(\s*\"not (?:yet )?implemented\"\s*\)"
)
_ABSTRACT_WORDS = regex(r"(?i)abstract|overload|Protocol\b|\bABC\b|interface|subclass|virtual|override")
_MAX_DISTANCE = 400
_STUB_HINTS = (
    "TODO",
    "mplement",
    "odo!(",
    "FIXME",
    "XXX",
    "odo:",
    "laceholder",
    "LACEHOLDER",
    ": pass",
    ": ...",
    ":...",
    ":pass",
)
"""Every stub contains one of these strings. Most edits contain none and are not searched line by line."""


def find_stubs(edits: tuple[Edit, ...]) -> tuple[Stub, ...]:
    """Return the stubs that remain in the code after the last edit."""
    stubs: dict[tuple[str, str], Stub] = {}  # by path and line
    for edit in edits if _has_hint("\n".join(dict.fromkeys(edit.added for edit in edits))) else ():
        may_add = _has_hint(edit.added)
        if not (may_add or stubs):
            continue
        if stubs:
            for key in [key for key in stubs if key[0] == edit.path and (edit.is_whole or key[1] in edit.removed)]:
                if key[1] not in edit.added:
                    del stubs[key]
        for line in edit.added.split("\n") if may_add else ():
            if _has_hint(line) and _is_stub(line, edit.added) and line.strip() not in edit.removed:
                stubs.setdefault((edit.path, line.strip()), Stub(edit.record, edit.path, line, edit.agent))
    return tuple(stubs.values())


def _has_hint(text: str) -> bool:
    return any(map(text.__contains__, _STUB_HINTS))


def _is_stub(line: str, text: str) -> bool:
    """Return whether a line is a stub. A line of an abstract method is not a stub."""
    is_empty = len(line) <= _MAX_DISTANCE and _EMPTY_FUNCTION.match(line) is not None
    if len(line) > _MAX_DISTANCE or not (is_empty or _MARKER_COMMENT.match(line) or _RAISES_UNFINISHED.search(line)):
        return False
    start = text.find(line)
    context = text[max(0, start - _MAX_DISTANCE) : start + len(line) + _MAX_DISTANCE]
    may_be_abstract = is_empty or "NotImplemented" in line
    return not (may_be_abstract and _ABSTRACT_WORDS.search(context))
