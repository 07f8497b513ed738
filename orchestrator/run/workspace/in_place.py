"""Locate lines by their order in an edited text, if the user only added lines and reworded lines where they were."""

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from actions.alignment import Alignment
from orchestrator.run.workspace.headings import Lines, Span
from orchestrator.run.workspace.rewording import list_different_lines, list_parts

_MAX_REWORDED = 60
"""Maximum number of reworded lines. Each is compared with all others."""


def find_in_place(after: Lines, text: Lines, sites: Sequence[Span]) -> list[int | None]:
    """Return by how many lines each site is shifted in `text`, or None if that is uncertain.

    Each line of `after` must be in `text`, in the same order: either unchanged, or reworded between unchanged lines.
    The lines of a site are no evidence, because a user may have typed them elsewhere. Any lines may be at its place,
    if they are as many as in `after`; one more may be there if it has no word of the site. If a line around the site,
    up to the nearest unchanged line that is unique, has other words, this could be another step. Only one line below
    may have, if the line right above the site is unchanged and unique, or a blank line is between them.
    """
    changed = {n for start, end in sites for n in range(start, end)}
    pairs = _pair_lines([None if n in changed else line for n, line in enumerate(after)], text)
    if pairs is None:
        return [None] * len(sites)
    others = {n: text[at] for n, at in pairs.items() if n not in changed}
    reworded = {n: line for n, line in others.items() if line != after[n]}
    if len(reworded) > _MAX_REWORDED or _has_moved(after, text, pairs, others):
        return [None] * len(sites)
    times, found = Counter(after), Counter(text)
    unique = [n for n in others if n not in reworded and times[after[n]] == found[after[n]] == 1]
    different = list_different_lines(after, reworded)
    expected = [others.get(n) for n in range(len(after))]
    places = {-1: -1, **_list_certain(expected, text), len(after): len(text)}
    places |= {n: at for n in changed - places.keys() if (at := _find_beside_added(n, after, text, places)) is not None}
    return [_find_shift(site, places) if _is_same_step(site, after, unique, different) else None for site in sites]


def _pair_lines(after: Sequence[bytes | None], text: Lines) -> dict[int, int] | None:
    """Map each line to its place in `text`, or return None if lines were deleted. The lines of sites are None."""
    if len(after) == len(text):
        return {n: n for n in range(len(after))}
    pairs, start = dict[int, int](), (0, 0)
    for op in Alignment(after, text).opcodes:
        added = op.j2 - start[1] - (op.i2 - start[0])
        is_next, is_site = start == (op.i1, op.j1), not any(after[op.i1 : op.i2])
        if added == 0 or (is_next and is_site and added > 0):
            pairs.update(zip(range(start[0], op.i2), range(start[1], op.j2), strict=False))
            start = op.i2, op.j2
    return pairs if start == (len(after), len(text)) else None


def _has_moved(after: Lines, text: Lines, pairs: Mapping[int, int], others: Mapping[int, bytes]) -> bool:
    """Return whether a line that was unique or reworded is elsewhere in the text. Ignores blank lines."""
    times, found = Counter(after), Counter(text)
    kept = Counter(after[n] for n, at in pairs.items() if after[n] == text[at])
    return any(
        found[after[n]] > kept[after[n]]
        for n, line in others.items()
        if after[n].strip() and (times[after[n]] == 1 or line != after[n])
    )


def _list_certain(expected: Sequence[bytes | None], text: Lines) -> Mapping[int, int]:
    """Map each line that can only be at one place to this place. None stands for any line."""
    first = list(_place_early(expected, text))
    last = [len(text) - 1 - place for place in _place_early(expected[::-1], text[::-1])][::-1]
    return {n: place for n, (place, other) in enumerate(zip(first, last, strict=True)) if place == other}


def _place_early(expected: Sequence[bytes | None], text: Lines) -> Iterator[int]:
    """Yield the first possible place of each line. All lines are in `text` in this order."""
    place = -1
    for line in expected:
        place += 1
        while line is not None and text[place] != line:
            place += 1
        yield place


def _find_beside_added(line: int, after: Lines, text: Lines, places: Mapping[int, int]) -> int | None:
    """Return the place of a line of a site beside an added line, or None if that could be the line, reworded."""
    if line - 1 not in places or line + 1 not in places:
        return None
    between = range(places[line - 1] + 1, places[line + 1])
    found = [n for n in between if text[n] == after[line]]
    parts = set(list_parts(after[line]))
    is_added = len(between) == 2 and len(parts) > 1
    is_other = parts.isdisjoint(part for n in between if n not in found for part in list_parts(text[n]))
    return found[0] if len(found) == 1 and is_added and is_other else None


def _is_same_step(site: Span, after: Lines, unique: Sequence[int], different: Sequence[int]) -> bool:
    """Return whether the lines around a site, up to the nearest unique lines, show that it is in the same step."""
    above, below = bisect_left(unique, site[0]), bisect_left(unique, site[1])
    first = bisect_left(different, unique[above - 1]) if above else 0
    last = bisect_left(different, unique[below]) if below < len(unique) else len(different)
    if first == last:
        return True
    is_next_to_unique = above > 0 and unique[above - 1] == site[0] - 1
    is_alone_below = last - first == 1 and different[first] >= site[1]
    return is_alone_below and (is_next_to_unique or not all(line.strip() for line in after[site[1] : different[first]]))


def _find_shift(site: Span, places: Mapping[int, int]) -> int | None:
    """Return the shift of a site. A gap must still be between the same lines."""
    start, end = site
    shifts = {places[n] - n if n in places else None for n in (range(start, end) or (start - 1, start))}
    return shifts.pop() if len(shifts) == 1 else None
