"""Find the steps of a text: numbered headings, `<step>` tags, bold numbers, or items of a numbered list."""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from actions.memo import memoize
from actions.regex import regex
from actions.skill.document import Document
from actions.skill.skill import SkillFile

_NUMBERED = regex(r"(?i)^\W*(?:(?:step|phase|stage|part)\s*)?(\d+[a-z]?)(?:[.):]|\b)")
_OPEN_TAG = regex(r"\s*<(?:step|phase|stage)\b[^>]*\b(?:name|id|title)=[\"']([^\"']{1,80})[\"'][^>]*>\s*")
_TAG = regex(r"^\s*</?[A-Za-z][\w-]*(?:\s[^<>]*)?>\s*$")
_CLOSE_TAG = regex(r"\s*</(?:step|phase|stage)>\s*")
_BOLD_NUMBER = regex(r"(?i)\*\*(?:step\s+)?(\d+)[.):]")
_STEPS_WORD = regex(r"(?i)\b(?:steps?|process|workflow|procedure|instructions|execution|what to do|your task)\b")
"""Words above a numbered list that indicate that its items are steps."""
_MIN_ITEMS, _MAX_LEAD_IN = 3, 3
"""Minimum number of items of a list of steps, and number of lines above the list to search for its lead-in."""


class TextStep(NamedTuple):
    """A step of a text: its title, first line and last line."""

    title: str
    start: int
    end: int

    @property
    def number(self) -> str:
        """The number in the title, such as `2b`, or ""."""
        match = _NUMBERED.match(self.title)
        return match[1].lower() if match else ""


@memoize
def strip_tags(file: SkillFile) -> SkillFile:
    """Replace lines with only a tag by empty lines, because Markdown treats the lines below a tag as HTML."""
    lines = [_TAG.sub("", line) if "<" in line else line for line in file.text.split("\n")]
    return SkillFile(file.path, "\n".join(lines).encode("utf-8", "replace"), file.limit)


def find_steps(file: SkillFile) -> tuple[TextStep, ...]:
    """Return the top-level steps of a text, or () if it has fewer than two."""
    plain = strip_tags(file).doc
    finders = ((_find_headings, plain), (_find_tags, file.doc), (_find_bold_numbers, plain), (_find_items, plain))
    return next((steps for find, doc in finders if len(steps := tuple(find(doc))) > 1), ())


def _find_headings(doc: Document) -> Iterator[TextStep]:
    """Yield the numbered headings of the highest level that has any."""
    numbered = [section for section in doc.sections if section.level and _NUMBERED.match(section.title)]
    level = min((section.level for section in numbered), default=0)
    yield from (TextStep(section.title, section.start, section.end) for section in numbered if section.level == level)


def _find_tags(doc: Document) -> Iterator[TextStep]:
    """Yield the steps between tags such as `<step name="...">` and `</step>`. Inner tags are ignored."""
    opened: tuple[str, int] | None = None
    for line, text in doc.prose:
        if "<" not in text:
            continue
        if tag := _OPEN_TAG.fullmatch(text):
            opened = opened or (tag[1], line)
        elif opened and _CLOSE_TAG.fullmatch(text):
            yield TextStep(*opened, line)
            opened = None


def _find_bold_numbers(doc: Document) -> Iterator[TextStep]:
    """Yield the steps that begin with a bold number, such as `**Step 1.`."""
    yield from _build_steps(doc, [(line, text) for line, text in doc.prose if _BOLD_NUMBER.match(text)])


def _find_items(doc: Document) -> Iterator[TextStep]:
    """Yield the top-level items of the longest numbered list that follows words such as "Steps" or "Process"."""
    lists: list[list[int]] = []
    for line, number in doc.numbered:
        if doc.line(line)[:1].isspace():
            continue
        if number == 1:
            lists.append([])
        if lists and number == len(lists[-1]) + 1:
            lists[-1].append(line)
    processes = [lines for lines in lists if len(lines) >= _MIN_ITEMS and _is_process(doc, lines[0])]
    steps = [list(_build_steps(doc, [(line, doc.line(line)) for line in lines])) for lines in processes]
    yield from max(steps, key=lambda process: process[-1].end - process[0].start, default=[])


def _is_process(doc: Document, line: int) -> bool:
    """Return whether words such as "Steps" come before the numbered list that begins at `line`."""
    above = (doc.line(n) for n in range(line - 1, max(0, line - 1 - _MAX_LEAD_IN), -1))
    return _STEPS_WORD.search(doc.section_at(line).title) is not None or any(map(_STEPS_WORD.search, above))


def _build_steps(doc: Document, starts: Sequence[tuple[int, str]]) -> Iterator[TextStep]:
    """Yield the steps that begin at `starts`, which are (line number, title) pairs.

    A step ends before the next step or with its section.
    """
    for (line, text), (next_line, _) in pairwise([*starts, (len(doc.lines) + 1, "")]):
        yield TextStep(text.strip(" *"), line, min(next_line - 1, _find_section_end(doc, line)))


def _find_section_end(doc: Document, line: int) -> int:
    """Return the last line before the next heading."""
    return min((h.line - 1 for h in doc.headings if h.line > line), default=len(doc.lines))
