"""Detect whether a user restored lines that a fix had removed, near their old place."""

from collections import Counter
from collections.abc import Iterable, Sequence

from orchestrator.run.workspace.headings import KeyedLine, Lines, Span, pair_with_headings

_NEAR = 6


class Additions:
    """The lines that a user added. after: the text after a fix. text: the same text after the user edited it."""

    def __init__(self, after: Lines, text: Lines) -> None:
        self._known, self._other = (_strip(lines) for lines in pair_with_headings(after, text))
        more = Counter(line for _, line in self._other) - Counter(line for _, line in self._known)
        self._more = {keyed for keyed in Counter(self._other) - Counter(self._known) if keyed[1] in more}

    def include(self, removed: Lines, site: Span, shift: int) -> bool:
        """Return whether one of the removed lines was added near a site. shift: by how many lines the site has moved.

        A line counts as added if it is more frequent near the site in `text` than in `after`. Where the lines near the
        site were edited, a line also counts if it is more frequent in the whole text and below the same heading. (A
        line of another section that was moved there does not count.)
        """
        stripped = set(map(bytes.strip, removed))
        return any(stripped.intersection(self._list_added(*side)) for side in self._list_sides(site, shift))

    def _list_sides(self, site: Span, shift: int) -> Iterable[tuple[Sequence[KeyedLine], Sequence[KeyedLine]]]:
        start, end = site
        above = (
            self._known[max(0, start - _NEAR) : start][::-1],
            self._other[max(0, start + shift - _NEAR) : start + shift][::-1],
        )
        yield above
        yield self._known[end : end + _NEAR], self._other[end + shift : end + shift + _NEAR]

    def _list_added(self, known: Sequence[KeyedLine], other: Sequence[KeyedLine]) -> Iterable[bytes]:
        """Yield the lines on one side of a site that were added, without their headings."""
        yield from Counter(line for _, line in other) - Counter(line for _, line in known)
        equal = next(
            (n for n, pair in enumerate(zip(known, other, strict=False)) if pair[0] != pair[1]),
            min(len(known), len(other)),
        )
        yield from (keyed[1] for keyed in other[equal:] if keyed[1] and keyed in self._more)


def _strip(lines: Iterable[KeyedLine]) -> list[KeyedLine]:
    return [(heading, line.strip()) for heading, line in lines]
