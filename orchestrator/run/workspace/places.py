"""Locate lines of a text in an edited copy of it. Both may repeat lines, so only certain places are returned."""

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Collection, Hashable, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import accumulate
from typing import Literal, NamedTuple

from orchestrator.run.workspace.below_heading import find_below_headings
from orchestrator.run.workspace.headings import (
    RENAMED,
    KeyedLine,
    Lines,
    Span,
    find_reused,
    list_paths,
    list_step_spans,
    mark_headings,
    pair_with_headings,
)
from orchestrator.run.workspace.in_place import find_in_place
from orchestrator.run.workspace.numbering import has_moved, hide_numbers, list_unique, may_be_renumbered

Direction = Literal[-1, 1]
"""Upwards or downwards."""

_PRIME = 2**61 - 1
_BASE = 1_000_003
_MANY = 10_000
_MAX_COMPARED = 5_000_000
"""Maximum number of runs compared in each direction. Sites that are not located by then are uncertain."""
_NEAR = 6
"""Maximum distance of a line next to a site, which may be separated by blank lines."""


@lru_cache(256)
def _raise_base(width: int) -> int:
    return pow(_BASE, width, _PRIME)


class _Side(NamedTuple):
    """The lines above or below a site. shift: by how many lines they are shifted; None if they end at a boundary."""

    start: int
    end: int
    shift: int | None


class _Group(NamedTuple):
    """Sites whose runs of `width` lines are equal, and the places in both texts where such a run starts or ends."""

    width: int
    sites: Sequence[int]
    places: Sequence[int]
    edited_places: Sequence[int]


def find_shifts(
    after: Lines, text: Lines, sites: Sequence[Span], context: int, *, is_edited: bool = True
) -> list[int | None]:
    """Return by how many lines each site is shifted in `text`, or None if that is uncertain.

    A site is a span of lines of `after`, or a gap between two lines. The words around a place must distinguish it
    from all other places; the lines of the site itself are no evidence, because a user may have typed them elsewhere.
    Numbers are used only if nothing suggests that steps were renumbered. If it does, or if lines were moved, the step
    of a site must be unedited, unless unique lines are next to the site. If the words do not distinguish the place and
    no lines were moved or deleted, the order of the lines may show it (see `find_in_place`); otherwise, the heading
    directly above the site may (see `find_below_headings`). is_edited: whether a user may have edited the text.
    """
    numbered, words = (after, text), (hide_numbers(after), hide_numbers(text))
    is_renumbered = may_be_renumbered(after, text, is_edited=is_edited)
    shifts = _find_unedited(*(words if is_renumbered else numbered), sites, context, numbered)
    if None in shifts and words != numbered and not is_renumbered:
        by_words = _find_unedited(*words, sites, context, numbered)
        shifts = [other if shift is None else shift for shift, other in zip(shifts, by_words, strict=True)]
    is_moved = has_moved(*numbered) or has_moved(*words)
    if is_renumbered or is_moved:
        shifts = list(_drop_edited_steps(*words, sites, shifts))
    if not is_moved and None in shifts:
        for texts in (words,) if is_renumbered else (words, numbered):
            shifts = [
                other if shift is None and _is_unedited(after, text, site, context, other) else shift
                for site, shift, other in zip(sites, shifts, find_in_place(*texts, sites), strict=True)
            ]
    below = find_below_headings(after, text, words, sites)
    return [other if shift is None else shift for shift, other in zip(shifts, below, strict=True)]


def _is_unedited(after: Lines, text: Lines, site: Span, context: int, shift: int | None) -> bool:
    """Return whether a site, with `context` lines around it, is the same in both texts."""
    start, end = max(0, site[0] - context), min(len(after), site[1] + context)
    return shift is not None and start + shift >= 0 and after[start:end] == text[start + shift : end + shift]


def _drop_edited_steps(
    after: Lines, text: Lines, sites: Sequence[Span], shifts: Sequence[int | None]
) -> Iterator[int | None]:
    """Yield the shifts, but None if anything else in the step of a site was edited.

    The step could be another one, which now has the label beside the lines, such as `promptB`. If the lines above and
    below a site are unique, they are no such labels.
    """
    original, edited = (_Text([(b"", line) for line in lines], lines) for lines in (after, text))
    unique, spans = set(list_unique(after)).intersection(list_unique(text)), list_step_spans(after)
    for (start, end), shift in zip(sites, shifts, strict=True):
        if shift is None or not after or (start < end and unique.issuperset(_list_neighbours(after, start, end))):
            yield shift
            continue
        last = max(0, end - 1)
        top, bottom = spans[min(start, last)][0], spans[last][1]
        is_equal = top == bottom or original.hash_lines(top, bottom) == edited.hash_lines(top + shift, bottom + shift)
        yield shift if is_equal else None


def _list_neighbours(lines: Lines, start: int, end: int) -> Iterator[bytes]:
    """Yield the nearest lines above and below a span that are not blank."""
    for near in (lines[max(0, start - _NEAR) : start][::-1], lines[end : end + _NEAR]):
        yield next((line for line in near if line.strip()), b"")


def _find_unedited(
    after: Lines, text: Lines, sites: Sequence[Span], context: int, whole: tuple[Lines, Lines]
) -> list[int | None]:
    """Return the shifts of the sites around which nothing was edited.

    From each site, without its own lines, a run of lines grows upwards, at most to the start of the text, and another
    one downwards, at most to the end of the section, until `after` has no equal run. `text` must have both runs at
    the same shift, each only once or up to the same boundary, and the site with up to `context` lines of its section
    around it, below the same headings. One run would not be enough, because it could match a copy beside the original.

    Below a heading that `text` lacks, headings are ignored. Where no heading is above a site, they are
    ignored if the runs are not found with them. Below a heading that may name another section now, the runs without
    headings must have the same shift. whole: both texts with the numbers of their lines, which must also be equal
    in both runs.
    """
    paired = pair_with_headings(after, text)
    headings = [paired[0][min(start, len(after) - 1)][0] if after else b"" for start, _ in sites]
    shifts: list[int | None] = [None] * len(sites)
    has_renamed = any(heading == RENAMED for lines in paired for heading, _ in lines)
    for is_plain in (False, True) if has_renamed else (False,):
        searched = [
            n for n, heading in enumerate(headings) if shifts[n] is None and _is_searched(heading, is_plain=is_plain)
        ]
        if searched:
            original, edited = (
                _Text(_drop_headings(lines) if is_plain else lines, raw)
                for lines, raw in zip(paired, whole, strict=True)
            )
            found = _find_shifts(original, edited, [sites[n] for n in searched], context)
            for n, shift in zip(searched, found, strict=True):
                shifts[n] = shift
    _drop_unconfirmed(after, text, sites, context, shifts)
    return shifts


def _drop_unconfirmed(after: Lines, text: Lines, sites: Sequence[Span], context: int, shifts: list[int | None]) -> None:
    """Set to None the shifts below headings that may name other sections now, unless the lines alone confirm them."""
    reused = find_reused(after, text)
    if not reused:
        return
    paths = [reused.intersection((line, *path)) for line, path in list_paths(after)]
    doubtful = [n for n, (start, _) in enumerate(sites) if after and paths[min(start, len(after) - 1)]]
    original, edited = (_Text([(b"", _hide_heading(line, reused)) for line in lines], lines) for lines in (after, text))
    for n, shift in zip(doubtful, _find_shifts(original, edited, [sites[n] for n in doubtful], context), strict=True):
        if shift != shifts[n]:
            shifts[n] = None


def _hide_heading(line: bytes, reused: Collection[bytes]) -> bytes:
    """Replace a reused heading with b"?", and indent any other line, so that no line ends a section."""
    return b"?" if line in reused else b" " + line


def _is_searched(heading: bytes, *, is_plain: bool) -> bool:
    """Return whether a site below `heading` is searched among lines without headings (`is_plain`), or with them."""
    return heading in (b"", RENAMED) if is_plain else heading != RENAMED


def _hash_all(lines: Sequence[Hashable]) -> list[int]:
    """Return the hash of the first n lines, for each n."""
    return list(accumulate(lines, lambda value, line: (value * _BASE + hash(line)) % _PRIME, initial=0))


class _Text:
    """A text whose runs of lines are compared by hashes. These have 61 bits and differ between processes."""

    def __init__(self, lines: Sequence[KeyedLine], raw: Lines) -> None:
        marked = mark_headings([line for _, line in lines])
        self._headings = [n for n, (_, is_title) in enumerate(marked) if is_title]
        self.lines, self.raw = lines, raw
        self._hashes, self._raw_hashes = _hash_all(lines), _hash_all(raw)

    def get(self, line: int) -> KeyedLine | None:
        """Return a line with its heading, or None outside the text."""
        return self.lines[line] if 0 <= line < len(self.lines) else None

    def find_section_start(self, line: int) -> int:
        """Return the index of the last heading before a line, or 0 if there is none."""
        at = bisect_left(self._headings, line)
        return self._headings[at - 1] if at else 0

    def find_section_end(self, line: int) -> int:
        """Return the index of the first heading at or after a line, or the number of lines if there is none."""
        at = bisect_left(self._headings, line)
        return self._headings[at] if at < len(self._headings) else len(self.lines)

    def hash_lines(self, start: int, end: int) -> int | None:
        """Return the hash of the lines from `start` to `end`, or None if they are not all in the text."""
        if start < 0 or end > len(self.lines):
            return None
        return (self._hashes[end] - self._hashes[start] * _raise_base(end - start)) % _PRIME

    def has_same_numbers(self, other: "_Text", upper: _Side, lower: _Side, shift: int) -> bool:
        """Return whether the lines of two sides have the same numbers in another text, in which they are shifted."""
        start, end = upper.start, lower.end
        hashes, others = self._raw_hashes, other._raw_hashes
        before, after = hashes[start] - others[start + shift], hashes[end] - others[end + shift]
        return (after - before * _raise_base(end - start)) % _PRIME == 0

    def hash_run(self, root: int, width: int, direction: Direction) -> int:
        """Return the hash of the `width` lines above or below the root of a run."""
        start, end = (root - width, root) if direction < 0 else (root, root + width)
        return (self._hashes[end] - self._hashes[start] * _raise_base(width)) % _PRIME

    def find_runs(
        self, keys: Iterable[int], places: Sequence[int], width: int, direction: Direction
    ) -> dict[int, list[int]]:
        """Map each hash to the places where a run with this hash starts, or where it ends if it goes upwards."""
        found = {key: list[int]() for key in keys}
        hashes, power = self._hashes, _raise_base(width)
        back, forward = (width, 0) if direction < 0 else (0, width)
        inside = places[bisect_left(places, back) : bisect_right(places, len(self.lines) - forward)]
        for place in inside:
            key = (hashes[place + forward] - hashes[place - back] * power) % _PRIME
            if key in found:
                found[key].append(place)
        return found


def _find_shifts(original: _Text, edited: _Text, sites: Sequence[Span], context: int) -> list[int | None]:
    above, below = _find_sides(original, edited, sites, -1), _find_sides(original, edited, sites, 1)
    shifts = list(_find_shifts_between(original, edited, sites, above, below, context))
    anonymous = [
        n
        for n, (upper, lower) in enumerate(zip(above, below, strict=True))
        if shifts[n] is not None and lower and lower.shift is None
        if upper and upper.start < original.find_section_start(sites[n][0])
    ]
    farther = _find_sides(original, edited, [sites[n] for n in anonymous], 1, to_end=True)
    for n, side in zip(anonymous, farther, strict=True):
        below[n] = side
        if not _has_shift(side, shifts[n], len(edited.lines) - len(original.lines)):
            shifts[n] = None
    return [
        shift
        if upper and lower and shift is not None and original.has_same_numbers(edited, upper, lower, shift)
        else None
        for upper, lower, shift in zip(above, below, shifts, strict=True)
    ]


def _find_shifts_between(
    original: _Text,
    edited: _Text,
    sites: Sequence[Span],
    above: Sequence[_Side | None],
    below: Sequence[_Side | None],
    context: int,
) -> Iterator[int | None]:
    added = _count_added_top(original.lines, edited.lines), _count_added_top(original.lines, edited.lines[::-1])
    for site, upper, lower in zip(sites, above, below, strict=True):
        yield _find_shift(original, edited, site, upper, lower, context, added) if upper and lower else None


def _has_shift(side: _Side | None, shift: int | None, at_end: int) -> bool:
    """Return whether a side has a shift. at_end: the shift of a side that reaches the end of the text."""
    return side is not None and shift == (at_end if side.shift is None else side.shift)


def _find_shift(
    original: _Text, edited: _Text, site: Span, upper: _Side, lower: _Side, context: int, added: Span
) -> int | None:
    """Return the shift of a site whose sides were found, or None if they do not agree.

    added: how many lines the user added at the top and at the bottom of the text. Only these may be above an upper
    side that reaches the start of the text, and below a lower side that reaches its end, unless a heading follows.
    """
    shifts = {side.shift for side in (upper, lower) if side.shift is not None} or {0}
    shift = shifts.pop()
    if shifts or (upper.shift is None and not 0 <= shift <= added[0]):
        return None
    section = original.find_section_start(site[0]), _find_end(original, site)
    start = min(upper.start, max(section[0], site[0] - context))
    end = max(lower.end, min(section[1], site[1] + context))
    if original.hash_lines(start, end) != edited.hash_lines(start + shift, end + shift):
        return None
    is_cut = lower.shift is None or (site[1] + context > end and end < len(original.lines))
    is_appended = upper.shift is not None and end == len(original.lines) >= len(edited.lines) - shift - added[1]
    return None if is_cut and not is_appended and edited.find_section_end(end + shift) != end + shift else shift


def _find_sides(
    original: _Text, edited: _Text, sites: Sequence[Span], direction: Direction, *, to_end: bool = False
) -> list[_Side | None]:
    """Return one side of each site. None if the edited text lacks it, or if too many runs would have to be compared."""
    sides: list[_Side | None] = [None] * len(sites)
    roots = limits = [start if direction < 0 else end for start, end in sites]
    if direction > 0:
        ends = (len(original.lines) if to_end else _find_end(original, site) for site in sites)
        limits = [end - root for end, root in zip(ends, roots, strict=True)]
    groups = [_Group(0, range(len(sites)), range(len(original.lines) + 1), range(len(edited.lines) + 1))]
    compared = -len(original.lines) - len(edited.lines)
    for group in groups:
        compared += len(group.places) + len(group.edited_places)
        if compared > _MAX_COMPARED:
            break
        width = _widen(group)
        for n in group.sites:
            if limits[n] < width:
                sides[n] = _build_side(roots[n], limits[n], direction, None)
        remaining = [n for n in group.sites if width <= limits[n]]
        for part in _split(original, edited, group._replace(width=width, sites=remaining), roots, direction):
            if len(part.places) > 1:
                groups.append(part)
            elif len(part.edited_places) == 1:
                for n in part.sites:
                    sides[n] = _build_side(roots[n], width, direction, part.edited_places[0] - part.places[0])
    return sides


def _split(
    original: _Text, edited: _Text, group: _Group, roots: Sequence[int], direction: Direction
) -> Iterator[_Group]:
    """Split a group by the hashes of its runs, which have become wider."""
    sites = defaultdict[int, list[int]](list)
    for n in group.sites:
        sites[original.hash_run(roots[n], group.width, direction)].append(n)
    places = original.find_runs(sites, group.places, group.width, direction)
    edited_places = edited.find_runs(sites, group.edited_places, group.width, direction)
    for key, members in sites.items():
        yield _Group(group.width, members, places[key], edited_places[key])


def _widen(group: _Group) -> int:
    """Return the next width of a run: slightly larger, or several times larger if the run occurs many times."""
    width, count = group.width, len(group.places)
    return width * (16 if count > 10 * _MANY else 4) if width and count > _MANY else width + max(1, width // 8)


def _build_side(root: int, width: int, direction: Direction, shift: int | None) -> _Side:
    return _Side(root - width, root, shift) if direction < 0 else _Side(root, root + width, shift)


def _count_added_top(original: Sequence[KeyedLine], edited: Sequence[KeyedLine]) -> int:
    """Count the lines at the top of the edited text that are blank or not in the original."""
    lines = {line for _, line in original if line.strip()}
    return next((n for n, (_, line) in enumerate(edited) if line in lines), len(edited))


def _find_end(text: _Text, site: Span) -> int:
    """Return the line at which the run below a site must end: the next heading, but not one directly below a gap."""
    start, end = site
    return text.find_section_end(max(start + 1, end))


def _drop_headings(lines: Iterable[KeyedLine]) -> list[KeyedLine]:
    return [(b"", line) for _, line in lines]
