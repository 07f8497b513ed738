"""Lines of a file from its end, or from its beginning: whole files are never held, unwanted lines never parsed."""

import os
from collections.abc import Iterator, Sequence
from typing import BinaryIO

CHUNK = 1 << 20
LINE = 8_000_000
"""Bytes above which a line is passed over: nothing that is looked for here is that long."""
MOST = 256_000_000
"""Bytes from the end that are read: a file of any size costs no more time than these."""


def newest_first(file: BinaryIO, needles: Sequence[bytes] = ()) -> Iterator[bytes]:
    """Yield the lines that hold all `needles`, the last one first, without their ends.

    A line above LINE is left out, and so is what stands before the last MOST bytes.
    """
    fd, end = file.fileno(), os.fstat(file.fileno()).st_size
    first = max(0, end - MOST)
    begun: list[bytes] | None = []  # what was read of a line that begins further up, its end first; None: too long
    while end > first:
        start = max(first, end - CHUNK)
        block = os.pread(fd, end - start, start)
        body = block.find(b"\n") + 1 if start else 0  # before it stands the end of a line that begins further up
        if start and not body:
            begun = _longer(begun, block)
        else:
            block = block[: block.rfind(b"\n") + 1] if begun is None else b"".join((block, *reversed(begun)))
            begun = [block[:body]]
            yield from _backwards(block, body, needles)
        end = start


def _longer(begun: list[bytes] | None, block: bytes) -> list[bytes] | None:
    return None if begun is None or sum(map(len, begun)) + len(block) > LINE else [*begun, block]


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
