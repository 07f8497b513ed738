"""Format the unified diff of two texts. Its alignment is fast for hostile texts, unlike that of `difflib`."""

from collections.abc import Iterator, Sequence

from actions.alignment import Alignment, Opcode

_CONTEXT = 3
"""Number of unchanged lines before and after a change."""


def format_unified_diff(old: Sequence[str], new: Sequence[str], old_name: str, new_name: str) -> Iterator[str]:
    """Yield the lines of a unified diff, or nothing if the lines of the texts are equal."""
    hunks = list(_group_hunks(Alignment(old, new).opcodes))
    if hunks:
        yield from (f"--- {old_name}\n", f"+++ {new_name}\n")
    for hunk in hunks:
        first, last = hunk[0], hunk[-1]
        yield f"@@ -{_format_range(first.i1, last.i2)} +{_format_range(first.j1, last.j2)} @@\n"
        for op in hunk:
            if op.is_equal:
                yield from (f" {line}" for line in old[op.i1 : op.i2])
            else:
                yield from (f"-{line}" for line in old[op.i1 : op.i2])
                yield from (f"+{line}" for line in new[op.j1 : op.j2])


def _group_hunks(opcodes: Sequence[Opcode]) -> Iterator[list[Opcode]]:
    """Yield the opcodes of each hunk: changes that are close to each other, and the lines around them."""
    hunk: list[Opcode] = []
    for number, op in enumerate(opcodes, 1):
        is_last = number == len(opcodes)
        if not op.is_equal or (hunk and not is_last and op.i2 - op.i1 <= 2 * _CONTEXT):
            hunk.append(op)
            continue
        if hunk:
            yield [*hunk, Opcode(True, op.i1, min(op.i2, op.i1 + _CONTEXT), op.j1, min(op.j2, op.j1 + _CONTEXT))]
        hunk = (
            [] if is_last else [Opcode(True, max(op.i1, op.i2 - _CONTEXT), op.i2, max(op.j1, op.j2 - _CONTEXT), op.j2)]
        )
    if hunk:
        yield hunk


def _format_range(start: int, end: int) -> str:
    """Return the lines from `start` to `end` (from 0, without `end`) as `first,count`. An empty range begins before."""
    count = end - start
    return f"{start + 1}" if count == 1 else f"{start + (count > 0)},{count}"
