"""Locate lines by the heading directly above them, if it has words of its own."""

from collections import Counter
from collections.abc import Iterator, Sequence

from orchestrator.run.workspace.headings import Lines, Span, mark_headings
from orchestrator.run.workspace.rewording import count_own_words, list_common_words

_MIN_WORDS = 2
"""Minimum number of own words of a heading. One word could be a label, which another step may have now."""
_NEAR = 6
"""Maximum number of lines between a heading and a site, so that the time stays linear."""


def find_below_headings(
    after: Lines, text: Lines, words: tuple[Lines, Lines], sites: Sequence[Span]
) -> Iterator[int | None]:
    """Yield by how many lines each site is shifted in `text`, or None if no heading shows it.

    A user moves a heading only with its section, but any other line also alone. The heading must be unique in both
    texts, apart from its numbers, and the lines directly below it equal, up to the line below the site: otherwise the
    user may have reworded the lines of the site and written them again.
    words: both texts without numbers.
    """
    common = list_common_words(after)
    times, found = Counter(words[0]), Counter(words[1])
    places = {line: n for n, line in enumerate(words[1]) if found[line] == 1 == times[line]}
    is_heading = [is_marked for _, is_marked in mark_headings(after)]
    for start, end in sites:
        heading = _find_heading(after, start, is_heading)
        place = places.get(words[0][heading]) if heading is not None else None
        if heading is None or place is None or start == end or _begins_step(after, start, end):
            yield None
            continue
        is_own = count_own_words(after[heading], common) >= _MIN_WORDS
        shift = place - heading
        is_same = list(after[heading + 1 : end]) == list(text[place + 1 : end + shift])
        is_followed = words[0][end : end + 1] == words[1][end + shift : end + shift + 1]
        yield shift if is_own and is_same and is_followed else None


def _find_heading(after: Lines, start: int, is_heading: Sequence[bool]) -> int | None:
    """Return the line above a site that is not blank, if it is a heading and near."""
    above = next((n for n in range(start - 1, max(-1, start - 2 - _NEAR), -1) if after[n].strip()), None)
    return above if above is not None and is_heading[above] else None


def _begins_step(after: Lines, start: int, end: int) -> bool:
    """Return whether the lines below a site are indented deeper, so that the site may be the title of another step."""
    return end < len(after) and bool(after[end].strip()) and _count_indent(after[end]) > _count_indent(after[start])


def _count_indent(line: bytes) -> int:
    return len(line) - len(line.lstrip())
