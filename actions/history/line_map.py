"""Map the lines of a loaded text to the lines of the current text, even if a formatter has changed them."""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import groupby

from actions.alignment import Alignment

_NUMBER = re.compile(r"\s*\d+[.)]\s")
"""A list number, which a formatter may change."""
_WORD = re.compile(r"[^\W_]+")
_MIN_WORDS = 3
"""Minimum number of words of a changed line that can be mapped."""


@lru_cache(maxsize=256)
def map_lines(loaded: str, current: str) -> Mapping[int, int]:
    """Map the line numbers of a loaded text to those of the current text, for the lines that are in both.

    A line is in both if all its words still follow each other, even if they are wrapped or numbered differently or have
    other Markdown marks.
    """
    old, new = loaded.split("\n"), current.split("\n")
    mapped: dict[int, int] = {}
    for change in Alignment(old, new).opcodes:
        if change.is_equal:
            mapped |= {change.i1 + n + 1: change.j1 + n + 1 for n in range(change.i2 - change.i1)}
        else:
            before = list(_list_words(old[change.i1 : change.i2], change.i1))
            after = list(_list_words(new[change.j1 : change.j2], change.j1))
            mapped |= _map_by_words(before, after)
    return mapped


def _list_words(lines: Sequence[str], start: int) -> Iterator[tuple[int, str]]:
    """Yield (line number, word) for each word of the lines. `start` is the number of lines before them."""
    for number, line in enumerate(lines, start + 1):
        yield from ((number, word) for word in _WORD.findall(_NUMBER.sub("", line, count=1)))


def _map_by_words(old: Sequence[tuple[int, str]], new: Sequence[tuple[int, str]]) -> Iterator[tuple[int, int]]:
    """Yield (old, new) line numbers for old lines whose words are consecutive in the new lines."""
    blocks = Alignment([word for _, word in old], [word for _, word in new]).blocks if old and new else ()
    new_by_old = {block.a + n: block.b + n for block in blocks for n in range(block.size)}
    for line, group in groupby(range(len(old)), key=lambda n: old[n][0]):
        positions = [new_by_old.get(n) for n in group]
        first, last = positions[0], positions[-1]
        if (
            len(positions) >= _MIN_WORDS
            and first is not None
            and last == first + len(positions) - 1
            and None not in positions
        ):
            yield line, new[first][0]
