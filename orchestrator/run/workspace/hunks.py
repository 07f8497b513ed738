"""Revert one change, line by line, in a text that was edited afterwards; only exact matches are reverted."""

from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from actions.alignment import Alignment, Opcode
from orchestrator.run.workspace.anchors import Anchors, find_other_section

Lines = list[bytes]
Span = tuple[int, int]

CONTEXT = 3
"""Number of lines around a hunk that must also be unchanged, as in a unified diff."""


def revert_change(old: bytes, new: bytes, text: bytes) -> bytes | None:
    """Return `text` without the change from `old` to `new`.

    Return None unless `new` and `text` contain each hunk with its context exactly once, in the original order and under
    the same headings. Return None, too, if the user put removed lines back, which would be duplicated, or added lines
    after a last one that lacks its newline.
    """
    before, after, lines = (part.splitlines(keepends=True) for part in (old, new, text))
    opcodes = Alignment(before, after).opcodes
    hunks = list(_list_hunks(opcodes, len(before)))
    blocks = [after[slice(*now)] for _, now in hunks]
    starts = _find_places(blocks, lines)
    if starts is None or _find_places(blocks, after) is None or _find_put_back(before, after, lines):
        return None
    shifts = [start - now[0] for start, (_, now) in zip(starts, hunks, strict=True)]
    changed = [op.j1 for op in opcodes if not op.is_equal]
    moved = [(n, n + shift) for shift, (_, now) in zip(shifts, hunks, strict=True) for n in _select(changed, now)]
    if find_other_section(after, lines, moved):
        return None
    spans = [(start, start + len(block)) for start, block in zip(starts, blocks, strict=True)]
    if any(end > start for (_, end), (start, _) in pairwise(spans)):
        return None
    if spans and _are_ends_put_back(opcodes, before, lines, spans[0][0], spans[-1][1]):
        return None
    parts, done = Lines(), 0
    for (start, end), (was, _) in zip(spans, hunks, strict=True):
        parts += lines[done:start] + before[slice(*was)]
        done = end
    parts += lines[done:]
    return None if _joins_lines(parts) else b"".join(parts)


def revert_unedited_lines(old: bytes, new: bytes, text: bytes) -> tuple[bytes, bytes]:
    """Revert, in `text`, the lines changed from `old` to `new` that the user has not edited since.

    Return the reverted text, and `new` with the same lines reverted. Lines that the change moved are left, because
    reverting half of a move would duplicate or delete them; so are lines that cannot be located with certainty.
    """
    before, after, lines = (part.splitlines(keepends=True) for part in (old, new, text))
    opcodes = Alignment(after, lines).opcodes
    edits = [op for op in opcodes if not op.is_equal]
    if not edits:
        return old, old
    changes = list(_list_line_changes(before, after))
    put_back, moved = _find_put_back(before, after, lines), _find_moved(before, after, changes)
    parts, done, rest, known = Lines(), 0, Lines(), 0
    anchors = Anchors(after, lines, opcodes)
    for was, now in changes:
        old_lines = before[slice(*was)]
        kept = moved.intersection(map(_strip_end, old_lines + after[slice(*now)]))
        if not (kept or _is_near_edit(now, edits)) and put_back.isdisjoint(map(bytes.strip, old_lines)):
            if not after:
                continue
            same = opcodes[bisect_right(opcodes, now[0], key=lambda op: op.i1) - 1]
            start, end = (line + same.j1 - same.i1 for line in now)
            if not anchors.are_lines_certain(*now, same) or _joins_lines(old_lines + lines[end : end + 1]):
                continue
            parts += lines[done:start] + old_lines
            rest += after[known : now[0]] + old_lines
            done, known = end, now[1]
    return b"".join(parts + lines[done:]), b"".join(rest + after[known:])


def has_added_line(old: bytes, new: bytes, text: bytes) -> bool:
    """Return whether `text` has, anywhere, a line that the change from `old` to `new` added; blank lines do not count.

    A line counts as added if `text` has it more often than `old`, so one that was moved or indented is found, too.
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
    """Yield the line spans of each hunk, with context, in the old text, which has `length` lines, and in the new one.

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
    """Yield the changed line spans in `old` and in `new`, line by line where their numbers are equal."""
    for op in Alignment(old, new).opcodes:
        if not op.is_equal and op.i2 - op.i1 == op.j2 - op.j1:
            for n in range(op.i2 - op.i1):
                yield (op.i1 + n, op.i1 + n + 1), (op.j1 + n, op.j1 + n + 1)
        elif not op.is_equal:
            yield (op.i1, op.i2), (op.j1, op.j2)


def _find_put_back(old: Lines, new: Lines, text: Lines) -> set[bytes]:
    """Return the lines, stripped, that `old` has once, `new` lacks, and `text` has again; blank lines do not count."""
    before, after, lines = (Counter(map(bytes.strip, part)) for part in (old, new, text))
    return {line for line, times in before.items() if line and times == 1 and line not in after and line in lines}


def _find_moved(old: Lines, new: Lines, changes: Iterable[tuple[Span, Span]]) -> set[bytes]:
    """Return the lines, without their newlines, that are among the removed and the added ones; blank ones are not."""
    removed, added = set[bytes](), set[bytes]()
    for was, now in changes:
        removed.update(map(_strip_end, old[slice(*was)]))
        added.update(map(_strip_end, new[slice(*now)]))
    return {line for line in removed & added if line.strip()}


def _strip_end(line: bytes) -> bytes:
    return line.removesuffix(b"\n")


def _select(places: Sequence[int], span: Span) -> Sequence[int]:
    """Return those of the ordered places that are in a span or at its end."""
    return places[bisect_left(places, span[0]) : bisect_right(places, span[1])]


def _joins_lines(lines: Lines) -> bool:
    """Return whether a line other than the last one has no newline."""
    return any(not line.endswith((b"\n", b"\r")) for line in lines[:-1])


def _are_ends_put_back(opcodes: Sequence[Opcode], old: Lines, text: Lines, start: int, end: int) -> bool:
    """Return whether `text` has, before `start` or after `end`, the lines that were removed there from `old`.

    At the start and the end of a file no context shows that. Elsewhere such lines would part the context.
    """
    first, last = (Lines() if op.is_equal else old[op.i1 : op.i2] for op in (opcodes[0], opcodes[-1]))
    is_first_back = bool(first) and text[max(0, start - len(first)) : start] == first
    return is_first_back or (bool(last) and text[end : end + len(last)] == last)


def _is_near_edit(span: Span, edits: Sequence[Opcode]) -> bool:
    """Return whether one of the ordered edits overlaps the lines of `span`, or touches the place of an empty one."""
    if span[0] < span[1]:
        return _overlaps_edit(span, edits)
    at = bisect_left(edits, span[0], key=lambda op: op.i2)
    return at < len(edits) and edits[at].i1 <= span[0]


def _find_places(blocks: Sequence[Lines], lines: Lines) -> list[int] | None:
    """Return where each block starts in `lines`; None unless each block occurs exactly once.

    To be fast, search for a block only where its rarest lines occur.
    """
    width = min(CONTEXT, *map(len, blocks)) if blocks else 0
    if not width:
        return None if blocks else []
    places = defaultdict[tuple[bytes, ...], list[int]](list)
    for at, window in _list_windows(lines, width):
        places[window].append(at)
    found = []
    for block in blocks:
        offset, candidates = min(
            ((at, places.get(w, [])) for at, w in _list_windows(block, width)), key=lambda one: len(one[1])
        )
        starts = [at - offset for at in candidates if _matches_at(block, lines, at - offset)]
        if len(starts) != 1:
            return None
        found += starts
    return found


def _matches_at(block: Lines, lines: Lines, start: int) -> bool:
    return start >= 0 and lines[start : start + len(block)] == block


def _list_windows(lines: Lines, width: int) -> Iterator[tuple[int, tuple[bytes, ...]]]:
    return enumerate(zip(*(lines[n:] for n in range(width)), strict=False))


def _overlaps_edit(span: Span, edits: Sequence[Opcode]) -> bool:
    """Return whether one of the ordered edits overlaps the lines of `span`."""
    at = bisect_right(edits, span[0], key=lambda op: op.i2)
    return at < len(edits) and edits[at].i1 < span[1]


def _map_spans(spans: Sequence[Span], opcodes: Sequence[Opcode]) -> list[Span]:
    """Map line spans of an old text to the new one; a span that covers changed text covers its replacement."""
    if not opcodes:
        return list(spans)
    return [(_map_start(start, opcodes), _map_end(end, opcodes)) for start, end in spans]


def _map_start(line: int, opcodes: Sequence[Opcode]) -> int:
    op = opcodes[bisect_left(opcodes, line, key=lambda op: op.i2)]
    return op.j1 + line - op.i1 if op.is_equal else op.j1


def _map_end(line: int, opcodes: Sequence[Opcode]) -> int:
    op = opcodes[bisect_right(opcodes, line, key=lambda op: op.i1) - 1]
    return op.j1 + line - op.i1 if op.is_equal else op.j2
