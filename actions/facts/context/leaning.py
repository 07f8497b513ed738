"""Words that lean on their place ("the table above", "the schema included below"), and what they lean on."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from actions.skill.document import Document
from actions.skill.memo import once
from actions.skill.skill import SkillFile
from actions.skill.tables import is_row
from actions.skill.text import is_item, words

_PHRASE = re.compile(
    r"(?P<named>(?:[\w-]+ ){0,3}(?P<noun>[\w-]+))"
    r"(?: (?:described|listed|shown|defined|included|given))? (?P<way>above|below)\b",
    re.IGNORECASE,
)
_BLOCKS = re.compile(
    r"^(?:code |command )?(?:blocks?|commands?|templates?|snippets?|examples?|prompts?)$", re.IGNORECASE
)
_LISTS = re.compile(r"^(?:lists?|steps?|rules?|bullets?|criteria)$", re.IGNORECASE)
_BOLD = re.compile(r"\*\*([^*\n]{2,80})\*\*")


@dataclass(frozen=True)
class Leaning:
    """The words `text` of a line lean on one of the lines `on`, the nearest first; on none where nothing fits."""

    line: int
    text: str
    on: tuple[int, ...]

    def is_within(self, lines: range) -> bool:
        """Tell whether the nearest line that may be meant is one of these."""
        return bool(self.on) and self.on[0] in lines

    def is_surely_within(self, lines: range) -> bool:
        """Tell whether every line that may be meant is one of these."""
        return bool(self.on) and all(n in lines for n in self.on)


@once
def leanings(file: SkillFile) -> tuple[Leaning, ...]:
    """Give what leans on its place in the prose of a file."""
    lines = ((n, line) for n, line in file.doc.prose if "above" in line or "below" in line)
    return tuple(_leaning(file.doc, n, match) for n, line in lines for match in _PHRASE.finditer(line))


def _leaning(doc: Document, number: int, match: re.Match[str]) -> Leaning:
    wanted = words(match["named"])[-2:]
    down = match["way"].lower() == "below"
    headings = tuple(n for n, title in _headings(doc, number, down) if set(wanted) <= set(words(title)))
    return Leaning(number, match[0], headings[:1] or tuple(_beside(doc, number, down, match["noun"])))


def _headings(doc: Document, number: int, down: bool) -> Iterator[tuple[int, str]]:
    found = [(s.start, s.title) for s in doc.sections if s.level and (s.start > number) == down]
    yield from found if down else reversed(found)


def _beside(doc: Document, number: int, down: bool, noun: str) -> Iterator[int]:
    """Give the lines on one side that may be meant by a noun, the nearest first."""
    if _BLOCKS.match(noun):
        starts = [fence.start for fence in doc.fences if (fence.start > number) == down]
        yield from starts if down else reversed(starts)
        return
    prose = [(n, line) for n, line in doc.prose if n != number and (n > number) == down]
    for n, line in prose if down else reversed(prose):
        if _is_meant(line, noun.lower()):
            yield n


def _is_meant(line: str, noun: str) -> bool:
    if noun.startswith("table"):
        return is_row(line)
    leads = (bold.lower() for bold in _BOLD.findall(line))
    return bool(_LISTS.match(noun)) and (is_item(line) or any(noun in lead for lead in leads))
