"""Read the lines of a file from its end or its beginning, without loading the whole file."""

import os
from collections.abc import Iterator, Sequence
from typing import BinaryIO

CHUNK = 1 << 20
MAX_LINE = 8_000_000
"""Maximum length of a line in bytes. Longer lines are skipped."""
MAX_BYTES = 256_000_000
"""Maximum number of bytes to read from the end, which limits the time for large files."""


def read_newest_first(file: BinaryIO, needles: Sequence[bytes] = ()) -> Iterator[bytes]:
    """Yield the lines that contain all `needles`, last line first, without their newlines.

    Lines that are longer than MAX_LINE and everything before the last MAX_BYTES are skipped.
    """
    fd, end = file.fileno(), os.fstat(file.fileno()).st_size
    first = max(0, end - MAX_BYTES)
    # The parts, last one first, of a line that starts in an earlier block; None if the line is too long.
    partial: list[bytes] | None = []
    while end > first:
        start = max(first, end - CHUNK)
        block = os.pread(fd, end - start, start)
        first_line = block.find(b"\n") + 1 if start else 0  # offset of the first line that starts in this block
        if start and not first_line:
            partial = _extend(partial, block)
        else:
            block = block[: block.rfind(b"\n") + 1] if partial is None else b"".join((block, *reversed(partial)))
            partial = [block[:first_line]]
            yield from _search_backwards(block, first_line, needles)
        end = start


def _extend(partial: list[bytes] | None, block: bytes) -> list[bytes] | None:
    """Add a block, which is inside the line, to the parts of a line. Returns None if the line is then too long."""
    return None if partial is None or sum(map(len, partial)) + len(block) > MAX_LINE else [*partial, block]


def read_oldest_first(file: BinaryIO, needles: Sequence[bytes] = ()) -> Iterator[bytes]:
    """Yield the lines that contain all `needles`, first line first, with their newlines."""
    return (line for line in file if all(needle in line for needle in needles))


def _search_backwards(block: bytes, start: int, needles: Sequence[bytes]) -> Iterator[bytes]:
    """Yield the lines of a block from `start` that contain all `needles`, last line first."""
    if not needles:
        yield from (line for line in reversed(block[start:].split(b"\n")) if line)
        return
    first, *more = needles
    end = len(block)
    while (offset := block.rfind(first, start, end)) >= 0:
        line_start = block.rfind(b"\n", start, offset) + 1 or start
        line_end = block.find(b"\n", offset)
        line = block[line_start : line_end if line_end >= 0 else len(block)]
        if all(needle in line for needle in more):
            yield line
        end = line_start
