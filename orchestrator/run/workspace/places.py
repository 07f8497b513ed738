"""Find where lines of a text are in an edited copy of it; both may repeat lines, and only certain places count."""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import NamedTuple

Lines = Sequence[bytes]
Span = tuple[int, int]
Run = tuple[int, int]
"""The number of lines of a run, and their hash."""

_PRIME = 2**61 - 1
_BASE = 1_000_003
_REPEATED = -1


class _Side(NamedTuple):
    """Lines at one side of a site, and by how many lines they are shifted; None if they end at a boundary."""

    start: int
    end: int
    shift: int | None


def find_shifts(after: Lines, text: Lines, sites: Sequence[Span], context: int) -> list[int | None]:
    """Return by how many lines each site (lines of `after`, or a gap between two) is shifted in `text`.

    None means that this is uncertain. From each site a run of lines grows upwards, at most to the start of the text,
    and another one downwards, at most to the end of the section, until `after` has no equal run. `text` must have both
    runs at the same shift, each only once or up to the same boundary, with the site, up to `context` lines of its
    section around it, and the same headings above. Two runs are needed: one alone fits a copy beside the original, too.
    """
    shared = set(filter(_is_heading, after)).intersection(text)
    known, other = _Text(after, shared), _Text(text, shared)

    def find_shift(site: Span, upper: _Side | None, lower: _Side | None) -> int | None:
        if upper is None or lower is None:
            return None
        shift = upper.shift or 0
        section_end = known.find_section_end(max(lower.start + 1, site[1]))
        start = min(upper.start, max(known.find_section_start(site[0]), site[0] - context))
        end = max(lower.end, min(section_end, site[1] + context))
        if start + shift < 0 or known.lines[start:end] != other.lines[start + shift : end + shift]:
            return None
        is_cut = lower.shift is None or (site[1] + context > end and end < len(after))
        if is_cut and other.find_section_end(end + shift) != end + shift:
            return None
        return shift if lower.shift in (shift, None) and _has_neighbour(known, other, site, shift) else None

    above = _grow(known, other, sites, _cut_above)
    below = _grow(known, other, sites, _cut_below)
    return [find_shift(*one) for one in zip(sites, above, below, strict=True)]


class _Text:
    """A text whose runs of lines are compared by hashes. Runs with equal hashes count as equal, which is safe.

    A line includes the heading above if the other text has this heading, too: else the user may have renamed it.
    """

    def __init__(self, lines: Lines, shared: Collection[bytes]) -> None:
        self._headings = [n for n, line in enumerate(lines) if _is_heading(line)]
        self.lines = list(_add_headings(lines, shared))
        self._hashes = [0]
        for line in self.lines:
            self._hashes.append((self._hashes[-1] * _BASE + hash(line)) % _PRIME)

    def get(self, line: int) -> tuple[bytes, bytes] | None:
        """Return a line with its heading; None beyond the text."""
        return self.lines[line] if 0 <= line < len(self.lines) else None

    def find_section_start(self, line: int) -> int:
        """Return the last heading before a line; 0 if there is none."""
        at = bisect_left(self._headings, line)
        return self._headings[at - 1] if at else 0

    def find_section_end(self, line: int) -> int:
        """Return the first heading from a line on; the number of lines if there is none."""
        at = bisect_left(self._headings, line)
        return self._headings[at] if at < len(self._headings) else len(self.lines)

    def get_run(self, start: int, end: int) -> Run:
        power = pow(_BASE, end - start, _PRIME)
        return end - start, (self._hashes[end] - self._hashes[start] * power) % _PRIME

    def find_runs(self, runs: Iterable[Run]) -> dict[Run, int]:
        """Map those of the runs that the text has to their first lines, or to `_REPEATED`."""
        keys = defaultdict[int, set[int]](set)
        for width, key in runs:
            keys[width].add(key)
        found: dict[Run, int] = {}
        for width, some in keys.items():
            for start, key in enumerate(self._hash_runs(width)):
                if key in some:
                    found[width, key] = _REPEATED if (width, key) in found else start
        return found

    def _hash_runs(self, width: int) -> Iterator[int]:
        power = pow(_BASE, width, _PRIME)
        for first, last in zip(self._hashes, self._hashes[width:], strict=False):
            yield (last - first * power) % _PRIME


def _grow(
    known: _Text, other: _Text, sites: Sequence[Span], cut: Callable[[_Text, Span, int], Span]
) -> list[_Side | None]:
    """Return a side of each site; None if the other text lacks it. To be fast, the runs of lines grow by half."""
    sides: list[_Side | None] = [None] * len(sites)
    rest, width = list(range(len(sites))), 1
    while rest:
        spans = {n: cut(known, sites[n], width) for n in rest}
        wide = {n: known.get_run(*span) for n, span in spans.items() if span[1] - span[0] == width}
        places, other_places = known.find_runs(wide.values()), other.find_runs(wide.values())
        rest = []
        for n, span in spans.items():
            if n not in wide:
                sides[n] = _Side(*span, None)
            elif places[wide[n]] == _REPEATED:
                rest.append(n)
            elif other_places.get(wide[n], _REPEATED) != _REPEATED:
                sides[n] = _Side(*span, other_places[wide[n]] - span[0])
        width += max(1, width // 2)
    return sides


def _cut_above(text: _Text, site: Span, width: int) -> Span:
    """Return at most so many lines from the first line of a site, or from above a gap, upwards."""
    end = min(site[0] + 1, len(text.lines)) if site[0] < site[1] or not site[0] else site[0]
    return max(0, end - width), end


def _cut_below(text: _Text, site: Span, width: int) -> Span:
    """Return at most so many lines from the last line of a site, or from below a gap, downwards."""
    start = max(0, site[1] - 1) if site[0] < site[1] or site[1] == len(text.lines) else site[1]
    return start, min(start + width, text.find_section_end(max(start + 1, site[1])))


def _has_neighbour(text: _Text, other: _Text, site: Span, shift: int) -> bool:
    """Return whether the line above or below a site, or beyond one of the two beside a gap, is the same in both texts.

    A user may have typed the lines of the site itself elsewhere. The start and the end of a text count as lines.
    """
    gap = int(site[0] == site[1])
    above, below = site[0] - 1 - gap, site[1] + gap
    return any(text.get(line) == other.get(line + shift) for line in (above, below))


def _is_heading(line: bytes) -> bool:
    return line.startswith(b"#")


def _add_headings(lines: Lines, shared: Collection[bytes]) -> Iterator[tuple[bytes, bytes]]:
    heading = b""
    for line in lines:
        if _is_heading(line):
            heading = line if line in shared else b""
        yield heading, line
