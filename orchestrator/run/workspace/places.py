"""Locate lines of a text in an edited copy of it by the lines around them. Only certain places are returned.

A line that says enough and occurs once in both texts, apart from its numbers, is a landmark. A place is certain if all
lines from the nearest landmark above to the nearest one below are unedited, or those to the end of its section, if its
heading is the same. So whatever a user adds, moves, copies, renumbers or rewords elsewhere cannot be mistaken for the
place, and an edit next to it makes it uncertain.
"""

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple
from unicodedata import category

from orchestrator.run.workspace.headings import Headings, hide_numbers

Lines = list[bytes]
Span = tuple[int, int]

_WORD = re.compile(r"[^\W\d_]{3,}")
_UNSPACED = re.compile(r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
"""Characters of scripts without spaces around words, such as Thai, or with words of one or two characters."""
_MIN_WORDS = 3
"""Minimum number of words of a landmark. One word may be a label, which another step may have now."""
_MIN_CHARACTERS = 6
"""Minimum number of unspaced characters of a landmark."""
_STEP_NUMBER = re.compile(rb"^(\s*(?:#+\s+)?)\d+(?=[.)]\s)")
_NEAR = 6
"""Number of lines beyond the nearest landmarks in which a copy of a line without a word counts."""
_MAX_COMPARED = 2_000_000
"""Maximum number of lines compared in all. Sites that are not located by then are uncertain."""


class Site(NamedTuple):
    """The lines from `start` to `end` that a change added, or a gap if it added none, and the lines that it removed."""

    start: int
    end: int
    removed: Lines


def find_shifts(after: Lines, text: Lines, sites: Sequence[Site], context: int) -> list[int | None]:
    """Return by how many lines each site is shifted in `text`, an edited copy of `after`, or None if that is uncertain.

    The lines of a site must be unedited, with the lines around it: up to the nearest landmarks, and at least `context`
    lines on each side. Where no landmark is on one side, the text must be unedited up to its start or end, apart from
    lines that the user added beyond it. The number of a step may differ, and so may the lines of other sites. The user
    must neither have copied a line of the site nor restored one that was removed there.
    """
    places = _Places(after, text, sites)
    return [places.find_shift(site, context) for site in sites]


class _Places:
    """Both texts, and what all sites need of them."""

    def __init__(self, after: Lines, text: Lines, sites: Sequence[Site]) -> None:
        self._after, self._text = after, text
        self._changed = {n for start, end, _ in sites for n in range(start, end)}
        self._landmarks = _find_landmarks(after, text, self._changed)
        self._lines = sorted(self._landmarks)
        self._headings, self._new_headings = Headings(after), Headings(text)
        self._ends = {len(text), *self._new_headings.lines}
        self._top, self._bottom = _count_added(after, text), _count_added(after, text[::-1])
        known, found = (Counter(map(bytes.strip, lines)) for lines in (after, text))
        self._known, self._more = known, set(found - known)
        self._copied_lines = {line for line in self._more if known[line] == 1}
        self._near = dict[tuple[Span, int], Collection[bytes]]()
        self._copied = dict[tuple[Span, Span, int], bool]()
        self._compared, self._budget = dict[tuple[Span, int], bool](), _MAX_COMPARED

    def find_shift(self, site: Site, context: int) -> int | None:
        """Return the shift of a site, or None."""
        block, shifts = self._find_block(site, context)
        found = [shift for shift in shifts if self._is_unedited(block, shift)]
        if len(found) != 1 or self._has_copy(site, block, found[0]) or self._is_below_other_title(site, found[0]):
            return None
        start, end = site.start + found[0], site.end + found[0]
        return found[0] if self._after[site.start : site.end] == self._text[start:end] else None

    def _find_block(self, site: Site, context: int) -> tuple[Span, Collection[int]]:
        """Return the span of the lines that must be unedited, and their possible shifts."""
        top, bottom = self._find_section(site)
        first, last = self._find_landmarks_around(site)
        start, end = max(0, min(first, site.start - context)), min(len(self._after), max(last + 1, site.end + context))
        is_between = site.start == site.end and site.start in self._headings.lines
        if top <= first and bottom <= last and bottom < len(self._after) and not is_between:
            shift = self._landmarks[first] - first
            return (max(start, top), bottom), [shift] if bottom + shift in self._ends else ()
        if first < top and last < bottom and top in self._headings.lines and not is_between:
            return (top, min(end, bottom)), [self._landmarks[last] - last]
        shifts = {self._landmarks[line] - line for line in (first, last) if line in self._landmarks}
        return (start, end), self._list_possible(shifts, first, last)

    def _find_landmarks_around(self, site: Site) -> Span:
        """Return the nearest landmarks above and below a site. Without one it is -1, or the number of lines."""
        above, below = bisect_left(self._lines, site.start) - 1, bisect_left(self._lines, site.end)
        first = self._lines[above] if above >= 0 else -1
        return first, self._lines[below] if below < len(self._lines) else len(self._after)

    def _has_landmarks(self, site: Site) -> bool:
        """Return whether the section of a site has landmarks on both sides of it."""
        (top, bottom), (above, below) = self._find_section(site), self._find_landmarks_around(site)
        return top <= above and below < bottom

    def _find_section(self, site: Site) -> Span:
        return self._headings.find_section(site.start, site.end)

    def _list_possible(self, shifts: Collection[int], first: int, last: int) -> Collection[int]:
        """Return the shifts of a block that may reach the start or the end of the text, which have no landmark."""
        added = len(self._text) - len(self._after)
        at_top, at_bottom = range(self._top + 1), range(added - self._bottom, added + 1)
        if not shifts:
            return [shift for shift in at_top if shift in at_bottom]
        edges = [edge for edge, line in ((at_top, first), (at_bottom, last)) if line not in self._landmarks]
        return [shift for shift in shifts if len(shifts) == 1 and all(shift in edge for edge in edges)]

    def _is_unedited(self, block: Span, shift: int) -> bool:
        """Return whether the lines of a block are in the edited text, at this shift. Ignores the lines of sites."""
        if (block, shift) not in self._compared:
            start, end = block
            self._budget -= end - start
            is_inside = start + shift >= 0 and end + shift <= len(self._text) and self._budget >= 0
            self._compared[block, shift] = is_inside and all(self._is_same(n, n + shift) for n in range(start, end))
        return self._compared[block, shift]

    def _is_same(self, n: int, place: int) -> bool:
        """Return whether a line is at a place, if it is not one of a site. Its numbers may have been edited."""
        line, other = self._after[n], self._text[place]
        if line == other or n in self._changed or self._landmarks.get(n) == place:
            return True
        return _hide_step_number(line) == _hide_step_number(other)

    def _has_copy(self, site: Site, block: Span, shift: int) -> bool:
        """Return whether a line of a site was copied, or a removed one restored.

        A line without a word, such as the end of a fence, is only looked for near the site. If the site has no line
        with a word, the lines around it tell whether it was copied with them, in its section.
        """
        own, removed = (set(map(bytes.strip, lines)) for lines in (self._after[site.start : site.end], site.removed))
        if not any(map(_has_word, own)) and self._has_copied_word(site, block, shift):
            return True
        more = self._more.intersection(own | removed)
        if own | removed != {b""}:
            more.discard(b"")
        if any(_has_word(line) or (line in removed and line not in self._known) for line in more):
            return True
        return bool(more) and not more.isdisjoint(self._list_more_near(block, shift))

    def _is_below_other_title(self, site: Site, shift: int) -> bool:
        """Return whether a site is below another or a copied heading now, so that it may be in a copy of its section.

        If the site has a word, the heading counts only where no landmark below, and no block with the heading, confirms
        the section.
        """
        top, _ = self._find_section(site)
        has_word = any(map(_has_word, self._after[site.start : site.end]))
        if has_word and (self._has_landmarks(site) or self._find_landmarks_around(site)[0] < top):
            return False
        is_exact, place = not has_word, site.start + shift
        return not self._headings.is_below_same(site.start, self._new_headings, place, is_exact=is_exact)

    def _has_copied_word(self, site: Site, block: Span, shift: int) -> bool:
        """Return whether a line with a word of a block was copied.

        A line that was unique is looked for everywhere; another one in the section of the site, because an added step
        may have it, too.
        """
        section = self._find_section(site)
        top, bottom = self._new_headings.find_section(site.start + shift, site.end + shift)
        key = block, section, top
        if key not in self._copied:
            known, found = self._after[slice(*section)], self._text[top:bottom]
            more = Counter(map(bytes.strip, found)) - Counter(map(bytes.strip, known))
            lines = map(bytes.strip, self._after[slice(*block)])
            self._copied[key] = any((line in self._copied_lines or line in more) and _has_word(line) for line in lines)
        return self._copied[key]

    def _list_more_near(self, block: Span, shift: int) -> Collection[bytes]:
        """Return the lines, stripped, that the edited text has more often in a block and near it."""
        if (block, shift) not in self._near:
            start, end = max(0, block[0] - _NEAR), block[1] + _NEAR
            known, found = self._after[start:end], self._text[max(0, start + shift) : end + shift]
            times, other = (Counter(map(bytes.strip, lines)) for lines in (known, found))
            self._near[block, shift] = (other - times).keys()
        return self._near[block, shift]


def _decode(line: bytes) -> str:
    """Return the text of a line in which marks, such as the vowel signs of Hindi, are letters, as readers see them."""
    text = line.decode(errors="replace")
    return text if text.isascii() else "".join("x" if category(c).startswith("M") else c for c in text)


def _has_word(line: bytes) -> bool:
    text = _decode(line)
    return _WORD.search(text) is not None or _UNSPACED.search(text) is not None


@lru_cache(20_000)
def says_enough(line: bytes) -> bool:
    """Return whether a line has enough words to tell it from a label or a mark."""
    text = _decode(line)
    return len(_WORD.findall(text)) >= _MIN_WORDS or len(_UNSPACED.findall(text)) >= _MIN_CHARACTERS


def _find_landmarks(after: Lines, text: Lines, changed: Collection[int]) -> Mapping[int, int]:
    """Map the lines of `after` that occur once in both texts, apart from their numbers, to their places in `text`."""
    known, found = ([*map(hide_numbers, lines)] for lines in (after, text))
    times, other_times = Counter(known), Counter(found)
    places = {line: n for n, line in enumerate(found)}
    return {
        n: places[line]
        for n, line in enumerate(known)
        if times[line] == 1 == other_times[line] and n not in changed and says_enough(line)
    }


def _count_added(after: Lines, text: Lines) -> int:
    """Count the lines at the top of the edited text that are blank or not in the original."""
    lines = {line for line in after if line.strip()}
    return next((n for n, line in enumerate(text) if line in lines), len(text))


def _hide_step_number(line: bytes) -> bytes:
    return _STEP_NUMBER.sub(rb"\g<1>0", line)
