"""Recognize sections and lists of what is only planned. What they name need not exist yet."""

from collections.abc import Iterator, Sequence
from itertools import dropwhile, takewhile

from actions.regex import regex
from actions.skill.structure import Section
from actions.skill.text import is_item

_PLANNED = regex(
    r"(?i)\b(?:planned|roadmap|backlog|candidates?|to-?dos?|tbd|wish-?list|future|propos(?:e[ds]?|als?)|ideas"
    r"|not (?:yet )?(?:available|built|implemented|supported|written)|under consideration|coming (?:later|next|soon)"
    r"|upgrade path|levell?(?:ing)?[- ]up|would (?:add|be|have|include|need|ship)|by implementing)\b"
    r"|計画|予定|计划|待办|规划"
)
"""Words of a heading, or of the text above a list, that show that the parts below are only planned."""
_MAX_LINES_ABOVE = 40
"""Number of lines above an item that are searched for the text that introduces its list."""


def find_planned_lines(sections: Sequence[Section]) -> Iterator[int]:
    """Yield the numbers of the lines in sections of what is only planned.

    The title of the whole text does not count: it may be about roadmaps.
    """
    for section in sections:
        if section.level > 1 and _PLANNED.search(section.title):
            yield from range(section.start, section.end + 1)


def has_planning_lead_in(lines: Sequence[str], line: int) -> bool:
    """Return whether a line is an item of a list that its lead-in calls planned."""
    return _PLANNED.search(_find_lead_in(lines, line)) is not None


def _find_lead_in(lines: Sequence[str], line: int) -> str:
    """Return the paragraph that introduces the list of an item, or ""."""
    if not is_item(lines[line - 1]):
        return ""
    above = lines[max(line - 1 - _MAX_LINES_ABOVE, 0) : line - 1][::-1]
    before_list = dropwhile(lambda text: not text.strip() or is_item(text) or text.startswith((" ", "\t")), above)
    paragraph = takewhile(lambda text: text.strip() and not text.startswith("#"), before_list)
    return " ".join(reversed([*paragraph]))
