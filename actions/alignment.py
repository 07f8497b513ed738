"""Align two sequences, such as the lines of two texts, with a patience diff."""

from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterator, Sequence
from difflib import SequenceMatcher
from itertools import count
from typing import NamedTuple

_MAX_PAIRS = 250_000
"""Maximum number of pairs of items between two anchors that `difflib` compares.

In a larger gap, the n-th occurrence of an item only matches the n-th occurrence in the other sequence."""


class Block(NamedTuple):
    """A run of `size` equal items that starts at `a` in the old sequence and at `b` in the new one."""

    a: int
    b: int
    size: int


class Opcode(NamedTuple):
    """A range of old items, `i1` to `i2`, and the new items, `j1` to `j2`, that equal or replace them."""

    is_equal: bool
    i1: int
    i2: int
    j1: int
    j2: int


class Alignment:
    """The blocks of equal items in two sequences.

    Anchors are items that occur exactly once in both sequences, in the same order.
    """

    def __init__(self, old: Sequence[Hashable], new: Sequence[Hashable]) -> None:
        self.old, self.new = old, new
        self.blocks = list(self._join(_match(old, new)))
        self.opcodes = list(self._list_opcodes())

    @staticmethod
    def _join(blocks: Iterator[Block]) -> Iterator[Block]:
        last = Block(0, 0, 0)
        for block in blocks:
            if not block.size:
                continue
            if (last.a + last.size, last.b + last.size) == (block.a, block.b):
                last = Block(last.a, last.b, last.size + block.size)
            else:
                yield last
                last = block
        yield last

    def _list_opcodes(self) -> Iterator[Opcode]:
        a = b = 0
        for block in (*self.blocks, Block(len(self.old), len(self.new), 0)):
            if (a, b) != (block.a, block.b):
                yield Opcode(False, a, block.a, b, block.b)
            a, b = block.a + block.size, block.b + block.size
            if block.size:
                yield Opcode(True, block.a, a, block.b, b)


def _match(
    old: Sequence[Hashable], new: Sequence[Hashable], a: int = 0, b: int = 0, *, numbered: bool = False
) -> Iterator[Block]:
    """Yield the equal runs of two sequences, which start at `a` and `b`.

    `numbered` is true if repeated items are already numbered, so that each is matched at most once.
    """
    done_a = done_b = 0
    for anchor_a, anchor_b in (*_find_anchors(old, new), (len(old), len(new))):
        yield from _match_gap(old[done_a:anchor_a], new[done_b:anchor_b], a + done_a, b + done_b, numbered=numbered)
        if anchor_a < len(old):
            yield Block(a + anchor_a, b + anchor_b, 1)
        done_a, done_b = anchor_a + 1, anchor_b + 1


def _find_anchors(old: Sequence[Hashable], new: Sequence[Hashable]) -> list[tuple[int, int]]:
    """Return the (old, new) positions of the longest common subsequence of unique items.

    An item is unique if it occurs exactly once in each sequence.
    """
    places = {item: n for n, item in enumerate(new)}
    counts, other_counts = Counter(old), Counter(new)
    pairs = [(n, places[item]) for n, item in enumerate(old) if counts[item] == 1 == other_counts[item]]
    return _find_longest_increasing_subsequence(pairs)


def _find_longest_increasing_subsequence(pairs: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the longest subsequence of pairs whose second numbers increase. The first numbers already increase."""
    end_values, end_indexes, previous = list[int](), list[int](), list[int]()
    for n, (_, b) in enumerate(pairs):
        position = bisect_left(end_values, b)
        end_values[position : position + 1], end_indexes[position : position + 1] = [b], [n]
        previous.append(end_indexes[position - 1] if position else -1)
    subsequence, n = list[tuple[int, int]](), end_indexes[-1] if end_indexes else -1
    while n >= 0:
        subsequence.append(pairs[n])
        n = previous[n]
    return subsequence[::-1]


def _match_gap(old: Sequence[Hashable], new: Sequence[Hashable], a: int, b: int, *, numbered: bool) -> Iterator[Block]:
    start = _count_equal(old, new)
    end = _count_equal(old[start:][::-1], new[start:][::-1])
    yield Block(a, b, start)
    inner_old, inner_new = old[start : len(old) - end], new[start : len(new) - end]
    if len(inner_old) * len(inner_new) <= _MAX_PAIRS:
        for block in SequenceMatcher(None, inner_old, inner_new).get_matching_blocks():
            yield Block(a + start + block.a, b + start + block.b, block.size)
    elif not numbered:
        yield from _match(_number_repeats(inner_old), _number_repeats(inner_new), a + start, b + start, numbered=True)
    yield Block(a + len(old) - end, b + len(new) - end, end)


def _number_repeats(items: Sequence[Hashable]) -> Sequence[Hashable]:
    counts: defaultdict[Hashable, count[int]] = defaultdict(count)
    return [(item, next(counts[item])) for item in items]


def _count_equal(old: Sequence[Hashable], new: Sequence[Hashable]) -> int:
    return next((n for n, (x, y) in enumerate(zip(old, new, strict=False)) if x != y), min(len(old), len(new)))
