"""Lines of a file from its end, or from its beginning: whole files are never held, unwanted lines never parsed."""

import os
from collections.abc import Iterator, Sequence
from typing import BinaryIO

CHUNK = 1 << 20


def newest_first(file: BinaryIO, needles: Sequence[bytes] = ()) -> Iterator[bytes]:
    """Yield the lines that hold all `needles`, the last one first, without their ends."""
    fd, end, rest = file.fileno(), os.fstat(file.fileno()).st_size, b""
    while end:
        start = max(0, end - CHUNK)
        block = os.pread(fd, end - start, start) + rest
        body = block.find(b"\n") + 1 if start else 0  # before it stands the end of a line that begins further up
        rest = block[:body] if body or not start else block
        if body or not start:
            yield from _backwards(block, body, needles)
        end = start


def oldest_first(file: BinaryIO, needles: Sequence[bytes] = ()) -> Iterator[bytes]:
    """Yield the lines that hold all `needles`, the first one first."""
    return (line for line in file if all(needle in line for needle in needles))


def _backwards(block: bytes, start: int, needles: Sequence[bytes]) -> Iterator[bytes]:
    if not needles:
        yield from (line for line in reversed(block[start:].split(b"\n")) if line)
        return
    first, *more = needles
    end = len(block)
    while (found := block.rfind(first, start, end)) >= 0:
        begin = block.rfind(b"\n", start, found) + 1 or start
        stop = block.find(b"\n", found)
        line = block[begin : stop if stop >= 0 else len(block)]
        if all(needle in line for needle in more):
            yield line
        end = begin
