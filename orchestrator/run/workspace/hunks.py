"""Revert one change, line by line, in a text that was edited afterwards; only exact matches are reverted."""

from collections.abc import Iterable, Sequence
from difflib import SequenceMatcher
from itertools import pairwise

Lines = list[bytes]
Span = tuple[int, int]

CONTEXT = 3
"""Number of lines around a hunk that must also be unchanged, as in a unified diff."""


def revert_change(old: bytes, new: bytes, text: bytes) -> bytes | None:
    """Return `text` without the change from `old` to `new`.

    Return None unless `text` contains each hunk with its context exactly once, in the original order.
    """
    before, after, lines = (part.splitlines(keepends=True) for part in (old, new, text))
    edits: list[tuple[int, int, Lines]] = []
    for was, now in _list_hunks(before, after):
        block = after[slice(*now)]
        found = _find_block(block, lines)
        if len(found) != 1:
            return None
        edits.append((found[0], found[0] + len(block), before[slice(*was)]))
    if any(end > start for (_, end, _), (start, _, _) in pairwise(edits)):
        return None
    for start, end, original in reversed(edits):
        lines[start:end] = original
    return b"".join(lines)


def find_overlapping(old: bytes, new: bytes, later: Iterable[tuple[str, bytes, bytes]]) -> list[str]:
    """Return the names of `later` changes (name, old, new; oldest first) that overlap the change of `old` to `new`."""
    text = new.splitlines(keepends=True)
    spans = [now for _, now in _list_hunks(old.splitlines(keepends=True), text)]
    names = []
    for name, was, now in later:
        before, after = was.splitlines(keepends=True), now.splitlines(keepends=True)
        spans = _map_spans(spans, text, before)
        edits = [op for op in _build_matcher(before, after).get_opcodes() if op[0] != "equal"]
        if any(op[1] < end and op[2] > start for op in edits for start, end in spans):
            names.append(name)
        spans, text = _map_spans(spans, before, after), after
    return names


def _build_matcher(old: Lines, new: Lines) -> SequenceMatcher[bytes]:
    return SequenceMatcher(None, old, new)


def _list_hunks(old: Lines, new: Lines) -> list[tuple[Span, Span]]:
    """Return the line spans of each hunk, with context, in `old` and in `new`."""
    groups = _build_matcher(old, new).get_grouped_opcodes(CONTEXT)
    return [((ops[0][1], ops[-1][2]), (ops[0][3], ops[-1][4])) for ops in groups]


def _find_block(block: Lines, lines: Lines) -> list[int]:
    size = len(block)
    return [n for n in range(len(lines) - size + 1) if block and lines[n : n + size] == block]


def _map_spans(spans: list[Span], old: Lines, new: Lines) -> list[Span]:
    """Map line spans of `old` to `new`; a span that covers changed text is mapped to cover its replacement."""
    ops = _build_matcher(old, new).get_opcodes()
    starts = [_map_line(start, ops, first=True) for start, _ in spans]
    ends = [_map_line(end, ops[::-1], first=False) for _, end in spans]
    return list(zip(starts, ends, strict=True))


def _map_line(line: int, ops: Sequence[tuple[str, int, int, int, int]], *, first: bool) -> int:
    for tag, i1, i2, j1, j2 in ops:
        if i1 <= line <= i2:
            if tag == "equal":
                return j1 + line - i1
            return j1 if first else j2
    return line
