"""Revert one change, line by line, in a text that was edited afterwards; only exact matches are reverted."""

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, pairwise

from actions.alignment import Alignment, Opcode
from orchestrator.run.workspace.places import Site, Span, find_shifts

Lines = list[bytes]
Replacement = tuple[int, int, Lines]

CONTEXT = 3
"""Number of lines around a hunk that must also be unchanged, as in a unified diff."""


def revert_change(old: bytes, new: bytes, text: bytes) -> bytes | None:
    """Return `text` without the change from `old` to `new`.

    Returns None if the place of a changed line in `text` is uncertain (see `find_shifts`), or if the user restored
    removed lines, which the revert would duplicate, or added lines after a last line that has no newline.
    """
    before, after, lines = (part.splitlines(keepends=True) for part in (old, new, text))
    opcodes = Alignment(before, after).opcodes
    changes = [op for op in opcodes if not op.is_equal]
    if not changes:
        return text
    sites = [Site(op.j1, op.j2, before[op.i1 : op.i2]) for op in changes]
    places = list[Replacement]()
    for site, shift in zip(sites, find_shifts(after, lines, sites, CONTEXT), strict=True):
        if shift is None:
            return None
        places.append((site.start + shift, site.end + shift, site.removed))
    parts = _replace(lines, places)
    return None if _joins_lines(parts) else b"".join(parts)


def revert_below_changes(old: bytes, new: bytes, later: Iterable[tuple[bytes, bytes]]) -> bytes | None:
    """Return the newest text without the change from `old` to `new`, which the `later` changes (old, new) followed.

    Each change begins with the result of the one before it, so each place is known. Returns None if a later change is
    in the lines of this one, or directly beside them.
    """
    before, text = old.splitlines(keepends=True), new.splitlines(keepends=True)
    changes = [op for op in Alignment(before, text).opcodes if not op.is_equal]
    sites = [(op.j1, op.j2) for op in changes]
    for _, following in later:
        lines = following.splitlines(keepends=True)
        opcodes = Alignment(text, lines).opcodes
        shifts = [_find_unchanged(site, len(text), len(lines), opcodes) for site in sites]
        sites = [(a + shift, b + shift) for (a, b), shift in zip(sites, shifts, strict=True) if shift is not None]
        if None in shifts:
            return None
        text = lines
    parts = _replace(text, [(*site, before[op.i1 : op.i2]) for site, op in zip(sites, changes, strict=True)])
    return None if _joins_lines(parts) else b"".join(parts)


def _find_unchanged(site: Span, length: int, new_length: int, opcodes: Sequence[Opcode]) -> int | None:
    """Return the shift of lines, or a gap, that a change left unchanged with the line on each side, or None.

    At an end of the text a gap has no line on one side, so the change must have added nothing there.
    """
    first, last = max(0, site[0] - 1), min(length, site[1] + 1)
    at = bisect_right(opcodes, first, key=lambda op: op.i2)
    op = opcodes[at] if at < len(opcodes) else Opcode(True, 0, 0, 0, 0)
    is_open = site[0] == site[1] and (site[0] == 0 < op.j1 or (site[1] == length and op.j2 < new_length))
    return op.j1 - op.i1 if op.is_equal and op.i1 <= first and last <= op.i2 and not is_open else None


def revert_unedited_lines(old: bytes, new: bytes, text: bytes) -> tuple[bytes, bytes]:
    """Revert, in `text`, the lines changed from `old` to `new` that the user has not edited since.

    Returns the reverted text, and `new` with the same lines reverted. Skips lines that the change moved, because
    reverting half of a move would duplicate or delete them, and lines whose place is uncertain (see `find_shifts`).
    """
    before, after, lines = (part.splitlines(keepends=True) for part in (old, new, text))
    if after == lines:
        return old, old
    changes = list(_list_line_changes(before, after))
    moved = _find_moved(before, after, changes)
    sites = [Site(*now, before[slice(*was)]) for was, now in changes]
    places, rest = list[Replacement](), list[Replacement]()
    for (start, end, removed), shift in zip(sites, find_shifts(after, lines, sites, 0), strict=True):
        if shift is None or moved.intersection(map(_strip_end, removed + after[start:end])):
            continue
        if not _joins_lines(removed + lines[end + shift : end + shift + 1]):
            places.append((start + shift, end + shift, removed))
            rest.append((start, end, removed))
    return b"".join(_replace(lines, places)), b"".join(_replace(after, rest))


def is_reverted(old: bytes, new: bytes, text: bytes) -> bool:
    """Return whether nothing of the change from `old` to `new` is left in `text`, which was edited since.

    The text must have all lines from before the change, none that it added, and at least one that it removed. A few
    removed lines prove nothing, because a user may have restored them.
    """
    return _has_added_line(new, old, text) and lacks_change(old, new, text)


def lacks_change(old: bytes, new: bytes, text: bytes) -> bool:
    """Return whether `text` has all lines from before the change to `new`, and none that the change added.

    The text may have been edited since the change.
    """
    return not _has_added_line(old, new, text) and revert_unedited_lines(new, old, text)[1] == new


def has_all_added(old: bytes, new: bytes, text: bytes) -> bool:
    """Return whether `text` has each line, at any place, that the change from `old` to `new` added."""
    before, after = (Counter(part.splitlines()) for part in (old, new))
    return set(after - before).issubset(text.splitlines())


def _has_added_line(old: bytes, new: bytes, text: bytes) -> bool:
    """Return whether `text` has a line that the change from `old` to `new` added. Ignores blank lines.

    A line counts as added if it is more frequent in `text` than in `old`, at any place and with any indentation.
    """
    before, after, lines = (Counter(map(bytes.strip, part.splitlines())) for part in (old, new, text))
    return any(line and lines[line] > before[line] for line in after - before)


def find_overlapping(old: bytes, new: bytes, later: Iterable[tuple[str, bytes, bytes]]) -> list[str]:
    """Return the names of `later` changes (name, old, new; oldest first) that overlap a change from `old` to `new`."""
    text = new.splitlines(keepends=True)
    first = old.splitlines(keepends=True)
    spans = [now for _, now in _list_hunks(Alignment(first, text).opcodes, len(first))]
    names = []
    for name, was, now in later:
        before, after = was.splitlines(keepends=True), now.splitlines(keepends=True)
        spans = _map_spans(spans, Alignment(text, before).opcodes)
        opcodes = Alignment(before, after).opcodes
        edits = [op for op in opcodes if not op.is_equal]
        if any(_overlaps_edit(span, edits) for span in spans):
            names.append(name)
        spans, text = _map_spans(spans, opcodes), after
    return names


def _list_hunks(opcodes: Sequence[Opcode], length: int) -> Iterator[tuple[Span, Span]]:
    """Yield the line spans of each hunk in the old and in the new text, with context. length: the number of old lines.

    Hunks whose contexts touch are merged.
    """
    hunk: tuple[Span, Span] | None = None
    for op in opcodes:
        if op.is_equal:
            continue
        before, after = min(CONTEXT, op.i1), min(CONTEXT, length - op.i2)
        was, now = (op.i1 - before, op.i2 + after), (op.j1 - before, op.j2 + after)
        if hunk and was[0] <= hunk[0][1]:
            hunk = (hunk[0][0], was[1]), (hunk[1][0], now[1])
            continue
        if hunk:
            yield hunk
        hunk = was, now
    if hunk:
        yield hunk


def _list_line_changes(old: Lines, new: Lines) -> Iterator[tuple[Span, Span]]:
    """Yield the changed line spans in `old` and in `new`, one line each if both have the same number of lines."""
    for op in _join_changes(old, new):
        if op.i2 - op.i1 == op.j2 - op.j1:
            for i, j in zip(range(op.i1, op.i2), range(op.j1, op.j2), strict=True):
                if old[i] != new[j]:
                    yield (i, i + 1), (j, j + 1)
        else:
            yield (op.i1, op.i2), (op.j1, op.j2)


def _join_changes(old: Lines, new: Lines) -> Iterator[Opcode]:
    """Yield the changes. Two changes are joined if the lines between them equal removed or added lines.

    If a corrected line equals the line after it, the alignment matches it with that line and splits the correction
    in two.
    """
    changes = [op for op in Alignment(old, new).opcodes if not op.is_equal]
    starts = [n for n, op in enumerate(changes) if not n or not _belong_together(old, new, changes[n - 1], op)]
    for start, end in pairwise([*starts, len(changes)]):
        last = changes[end - 1]
        yield changes[start]._replace(i2=last.i2, j2=last.j2)


def _belong_together(old: Lines, new: Lines, first: Opcode, second: Opcode) -> bool:
    """Return whether the lines between two changes are all among the changed lines. Ignores blank lines."""
    between = {line for line in old[first.i2 : second.i1] if line.strip()}
    changed = (part for op in (first, second) for part in (old[op.i1 : op.i2], new[op.j1 : op.j2]))
    return bool(between) and between.issubset(chain.from_iterable(changed))


def _find_moved(old: Lines, new: Lines, changes: Iterable[tuple[Span, Span]]) -> set[bytes]:
    """Return the lines, without newlines, that the changes both remove and add. Ignores blank lines."""
    removed, added = set[bytes](), set[bytes]()
    for was, now in changes:
        removed.update(map(_strip_end, old[slice(*was)]))
        added.update(map(_strip_end, new[slice(*now)]))
    return {line for line in removed & added if line.strip()}


def _strip_end(line: bytes) -> bytes:
    return line.removesuffix(b"\n")


def _replace(lines: Lines, places: Iterable[Replacement]) -> Lines:
    """Replace the spans of `places`, which do not overlap."""
    parts, done = Lines(), 0
    for start, end, new in sorted(places):
        parts += lines[done:start] + new
        done = end
    return parts + lines[done:]


def _joins_lines(lines: Lines) -> bool:
    """Return whether a line other than the last one has no newline."""
    return any(not line.endswith((b"\n", b"\r")) for line in lines[:-1])


def _overlaps_edit(span: Span, edits: Sequence[Opcode]) -> bool:
    at = bisect_right(edits, span[0], key=lambda op: op.i2)
    return at < len(edits) and edits[at].i1 < span[1]


def _map_spans(spans: Sequence[Span], opcodes: Sequence[Opcode]) -> list[Span]:
    """Map line spans of an old text to the new one. A span that covers changed text is mapped to its replacement."""
    if not opcodes:
        return list(spans)
    return [(_map_start(start, opcodes), _map_end(end, opcodes)) for start, end in spans]


def _map_start(line: int, opcodes: Sequence[Opcode]) -> int:
    op = opcodes[bisect_left(opcodes, line, key=lambda op: op.i2)]
    return op.j1 + line - op.i1 if op.is_equal else op.j1


def _map_end(line: int, opcodes: Sequence[Opcode]) -> int:
    op = opcodes[bisect_right(opcodes, line, key=lambda op: op.i1) - 1]
    return op.j1 + line - op.i1 if op.is_equal else op.j2
