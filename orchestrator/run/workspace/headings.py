"""Compare the Markdown headings of a text with those of an edited copy of it."""

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence

_NUMBERS = re.compile(rb"\d+")
_FENCES = (b"```", b"~~~")


class Headings:
    """The headings of a text, each with those that it stands below. `lines` are their lines, in order."""

    def __init__(self, text: Sequence[bytes]) -> None:
        self.lines = [*_list_headings(text)]
        self._length = len(text)
        titles = [text[line].strip() for line in self.lines]
        self._words, self._chains = [hide_numbers(title) for title in titles], [*_list_chains(titles)]
        self._times, self._chain_times = Counter(self._words), Counter(self._chains)

    def find_section(self, start: int, end: int) -> tuple[int, int]:
        """Return the span from the heading above lines, or the start of the text, to the next heading or the end."""
        above, below = bisect_right(self.lines, start) - 1, bisect_left(self.lines, max(start + 1, end))
        top = self.lines[above] if above >= 0 else 0
        return top, self.lines[below] if below < len(self.lines) else self._length

    def is_below_same(self, line: int, other: "Headings", other_line: int, *, is_exact: bool) -> bool:
        """Return whether the heading above a line is that above a line of the other text. Its numbers may differ.

        If its words are not unique, the headings above it must be the same, too, as for `### Steps` in each of several
        sections; with `is_exact` the numbers must not differ then.
        """
        n, m = bisect_right(self.lines, line) - 1, bisect_right(other.lines, other_line) - 1
        if n < 0 or m < 0:
            return n == m
        words, chain, other_chain = self._words[n], self._chains[n], other._chains[m]
        if self._times[words] == 1 == other._times[words]:
            return words == other._words[m]
        if is_exact:
            return chain == other_chain and self._chain_times[chain] == 1 == other._chain_times[chain]
        return [*map(hide_numbers, chain)] == [*map(hide_numbers, other_chain)]


def hide_numbers(line: bytes) -> bytes:
    """Return a line without the space around it, in which each number is 0."""
    return _NUMBERS.sub(b"0", line.strip())


def _list_headings(text: Sequence[bytes]) -> Iterator[int]:
    """Yield the lines that are headings. A comment in a fence is none."""
    fence = b""
    for n, line in enumerate(text):
        mark = line.lstrip()[:3]
        if mark in _FENCES and fence in (b"", mark):
            fence = b"" if fence else mark
        if not fence and line.startswith(b"#"):
            yield n


def _list_chains(titles: Sequence[bytes]) -> Iterator[tuple[bytes, ...]]:
    """Yield each title below the titles of the sections that contain it."""
    chain: list[bytes] = []
    for title in titles:
        while chain and _get_level(chain[-1]) >= _get_level(title):
            chain.pop()
        chain.append(title)
        yield tuple(chain)


def _get_level(title: bytes) -> int:
    return len(title) - len(title.lstrip(b"#"))
