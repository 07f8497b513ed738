"""Decide whether an alignment of two texts, which may repeat lines, shows where a change is in the second text."""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Sequence

from actions.alignment import Opcode

Places = dict[bytes, list[int]]


class Anchors:
    """The anchors of an alignment of `after` and `text`: lines that occur once in each and are in an equal run.

    A heading is taken to belong to the lines below it. Blank lines and the space around a line do not count.
    """

    def __init__(self, after: Sequence[bytes], text: Sequence[bytes], opcodes: Sequence[Opcode]) -> None:
        """Find the anchors. opcodes: the alignment."""
        self._after, self._text = [line.strip() for line in after], [line.strip() for line in text]
        self._places, self._other_places = _list_places(self._after), _list_places(self._text)
        unique = [n for n, line in enumerate(self._after) if line and len(self._places[line]) == 1]
        self._candidates = [n for n in unique if self._after[n] in self._other_places]
        aligned = {n: n + op.j1 - op.i1 for op in opcodes if op.is_equal for n in range(op.i1, op.i2)}
        self._anchors = {
            n: aligned[n] for n in self._candidates if n in aligned and len(self._other_places[self._after[n]]) == 1
        }
        self._ordered = list(self._anchors)
        self._ends = _list_ends(self._after, self._anchors)
        self._other_ends = _list_ends(self._text, self._anchors.values())

    def are_lines_certain(self, start: int, end: int, run: Opcode) -> bool:
        """Return whether lines `start` to `end` of `after`, which are in the equal run `run`, have one place in `text`.

        The run must contain an anchor. Otherwise its lines may match by chance. The nearest line above that is unique
        in `after`, and the nearest below up to the next heading, must be anchors: one that is not was moved or copied.
        Between them, `text` must have the lines as often as `after`; if `start` is `end`, the lines beside it count.
        """
        if not _count_between(self._ordered, run.i1, run.i2):
            return False
        above, below = _find_above(self._ordered, start), _find_below(self._ends, end, len(self._after))
        if _find_above(self._candidates, start) != above or _count_between(self._candidates, end, below):
            return False
        other_above = self._anchors.get(above, -1)
        other_below = _find_below(self._other_ends, end + run.j1 - run.i1, len(self._text))
        lines = self._after[start:end] or self._after[max(0, start - 1) : start + 1]
        return all(
            _count_between(self._places[line], above + 1, below)
            == _count_between(self._other_places[line], other_above + 1, other_below)
            for line in lines
            if line
        )


def find_other_section(after: Sequence[bytes], text: Sequence[bytes], places: Iterable[tuple[int, int]]) -> bool:
    """Return whether a place in `after` and its place in `text` are in different sections.

    The headings above them differ, and one of these is in both texts: the user did not just rename it.
    """
    headings, other_headings = ([n for n, line in enumerate(part) if line.startswith(b"#")] for part in (after, text))
    lines, other_lines = set(after), set(text)
    for place, other_place in places:
        above, other_above = _find_above(headings, place), _find_above(other_headings, other_place)
        heading = after[above] if above >= 0 else b""
        other = text[other_above] if other_above >= 0 else b""
        if heading != other and (heading in other_lines or other in lines):
            return True
    return False


def _list_places(lines: Sequence[bytes]) -> Places:
    places = defaultdict[bytes, list[int]](list)
    for n, line in enumerate(lines):
        places[line].append(n)
    return dict(places)


def _list_ends(lines: Sequence[bytes], anchors: Iterable[int]) -> list[int]:
    """Return the anchors and the headings, in order."""
    return sorted({*anchors, *(n for n, line in enumerate(lines) if line.startswith(b"#"))})


def _count_between(places: Sequence[int], start: int, end: int) -> int:
    return bisect_left(places, end) - bisect_left(places, start)


def _find_above(places: Sequence[int], start: int) -> int:
    """Return the last of the ordered places before `start`; -1 if there is none."""
    at = bisect_left(places, start)
    return places[at - 1] if at else -1


def _find_below(places: Sequence[int], end: int, last: int) -> int:
    """Return the first of the ordered places from `end`; `last` if there is none."""
    at = bisect_left(places, end)
    return places[at] if at < len(places) else last
