"""Recognize sections and lists of what is only planned. What they name need not exist yet."""

from collections.abc import Sequence
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


def is_planned(lines: Sequence[str], sections: Sequence[Section], line: int) -> bool:
    """Return whether a line is in a section or a list of parts that are only planned.

    The title of the whole text does not count: it may be about roadmaps.
    """
    titles = (section.title for section in sections if section.level > 1 and section.start <= line <= section.end)
    return any(map(_PLANNED.search, titles)) or _PLANNED.search(_find_lead_in(lines, line)) is not None


def _find_lead_in(lines: Sequence[str], line: int) -> str:
    """Return the paragraph that introduces the list of an item, or ""."""
    if not is_item(lines[line - 1]):
        return ""
    above = lines[max(line - 1 - _MAX_LINES_ABOVE, 0) : line - 1][::-1]
    before_list = dropwhile(lambda text: not text.strip() or is_item(text) or text.startswith((" ", "\t")), above)
    paragraph = takewhile(lambda text: text.strip() and not text.startswith("#"), before_list)
    return " ".join(reversed([*paragraph]))
