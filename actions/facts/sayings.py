"""What a file says, sentence by sentence: a paragraph or list item that is wrapped over several lines is one text."""

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

from actions.model import regex as re
from actions.model.memo import once
from actions.model.skill import SkillFile
from actions.model.stems import Stems
from actions.model.text import sentences, strip_list_mark

_ITEM = re.compile(r"\s*(?:[-*+•]\s|\d{1,3}[.)、]\s)")
_BEGINS = re.compile(rf"{_ITEM.pattern}|\s*(?:#{{1,6}}\s|\||>)")
_RULER = re.compile(r"\s*\|[\s:|-]+$")
_HAN_END = re.compile(r"[\u3000-\u9fff\uff00-\uffef]$")
_LONGEST = 4000
_LONGEST_LIST = 60


@dataclass(frozen=True)
class Saying:
    """A sentence that begins at `line`; or a row of a table, each cell behind the title of its column."""

    line: int
    text: str
    is_row: bool
    _known: "tuple[_Paragraph, ...]"
    _place: int
    _at: int = 0

    @cached_property
    def lead(self) -> str:
        """The sentence that announces the list or table in which it stands."""
        head = _lead(self._known, self._place)
        return "" if head is None else _text(self._known, [head], 300)

    @cached_property
    def before(self) -> str:
        """What was said just above it in its section."""
        known, head = self._known, _lead(self._known, self._place)
        until = self._place if head is None else head
        above = [at for at in range(max(0, until - 2), until) if known[at].section == known[self._place].section]
        before = _text(known, above, 600)
        return before if self.is_row else f"{before} {_joined(known[self._place])[0][: self._at]}"[-600:]


@dataclass(frozen=True)
class _Paragraph:
    start: int
    lines: tuple[str, ...]
    titles: tuple[str, ...]
    section: int


def sayings(file: SkillFile, stems: Stems, reach: int = 0) -> Iterator[Saying]:
    """Give the sayings of each paragraph of a file's prose that holds one of the stems. Headings are left out.

    The items and rows that such a paragraph announces come with it, and `reach` paragraphs more of its section.
    """
    known = paragraphs(file)
    starts = [paragraph.start for paragraph in known]
    held = {
        place
        for number in stems.numbers(file)
        for place in [bisect_right(starts, number) - 1]
        if place >= 0 and number < starts[place] + len(known[place].lines)
    }
    near = {at for place in held for at in (place, *_next(known, place, reach))}
    wanted = near.union(*(_announced(known, place) for place in near))
    told = _known(file)
    for place in sorted(wanted):
        if place not in told:
            told[place] = tuple(_said(known, place))
        yield from told[place]


def _announced(known: tuple[_Paragraph, ...], place: int) -> Iterator[int]:
    """Give the rows below a title row, or the items below a line that ends with a colon."""
    first = known[place]
    announces = first.lines[-1].rstrip().endswith((":", "："))
    if not announces and not (place + 1 < len(known) and known[place + 1].titles):
        return
    titles = _cells(first.lines[0])
    for at in range(place + 1, len(known)):
        row, item = known[at].titles and known[at].titles == titles, announces and _is_item(known[at])
        if known[at].section != first.section or not (row or item or (announces and known[at].titles)):
            return
        yield at


def _next(known: tuple[_Paragraph, ...], place: int, reach: int) -> Iterator[int]:
    last = min(len(known), place + reach + 1)
    return (at for at in range(place + 1, last) if known[at].section == known[place].section)


@once
def paragraphs(file: SkillFile) -> tuple[_Paragraph, ...]:
    """Give the paragraphs, list items and rows of a file's prose, headings and rulers left out."""
    return tuple(_parted(file))


def _parted(file: SkillFile) -> Iterator[_Paragraph]:
    held: list[str] = []
    titles: tuple[str, ...] = ()
    last = section = 0
    for number, line in file.doc.prose:
        mark = line.lstrip()[0]
        if held and (number != last + 1 or _BEGINS.match(line)):
            yield _Paragraph(last - len(held) + 1, tuple(held), titles, section)
            held = []
        if mark != "|" or number != last + 1:
            titles = ()
        if mark == "#" and line.lstrip("# ") != line.lstrip("#"):
            section = number
        elif mark == "|" and _RULER.match(line):
            titles = _cells(file.doc.line(number - 1))
        else:
            held.append(line)
        last = number
    if held:
        yield _Paragraph(last - len(held) + 1, tuple(held), titles, section)


def _is_item(paragraph: _Paragraph) -> bool:
    return bool(_ITEM.match(paragraph.lines[0]))


def _cells(row: str) -> tuple[str, ...]:
    return tuple(cell.strip() for cell in row.strip().strip("|").split("|"))


def _lead(known: tuple[_Paragraph, ...], place: int) -> int | None:
    """Give the place of the text above a list or table that announces it with a colon."""
    here = known[place]
    listed = _is_item(here)
    if not (listed or here.titles):
        return None
    for at in range(place - 1, max(-1, place - _LONGEST_LIST), -1):
        above = known[at]
        if above.section != here.section:
            return None
        indent = len(above.lines[0]) - len(above.lines[0].lstrip())
        inner = indent < len(here.lines[0]) - len(here.lines[0].lstrip())
        if (not above.titles and not above.lines[0].lstrip().startswith("|") and not _is_item(above)) or inner:
            return at if above.lines[-1].rstrip().endswith((":", "：")) else None
    return None


def _text(known: tuple[_Paragraph, ...], places: Iterable[int], most: int) -> str:
    return " ".join(line.strip() for at in places for line in known[at].lines)[-most:]


@once
def _known(file: SkillFile) -> dict[int, tuple[Saying, ...]]:
    """Give the sayings of the paragraphs that were asked for; those that are missing are put in when they are."""
    return {}


def _said(known: tuple[_Paragraph, ...], place: int) -> Iterator[Saying]:
    paragraph = known[place]
    first = paragraph.lines[0].lstrip()
    if first.startswith("|"):
        cells = _cells(first[:_LONGEST])
        told = (f"{title} {cell}" for title, cell in zip(paragraph.titles, cells, strict=False))
        yield Saying(paragraph.start, ", ".join(told if paragraph.titles else cells), True, known, place)
        return
    text, ends = _joined(paragraph)
    at = 0
    for sentence in sentences(text):
        at = max(text.find(sentence, at), 0)
        yield Saying(paragraph.start + bisect_right(ends, at), sentence, False, known, place, at)
        at += len(sentence)


def _joined(paragraph: _Paragraph) -> tuple[str, list[int]]:
    """Give the text of a paragraph, and where each of its lines ends in it."""
    text, ends = "", list[int]()
    for line in (strip_list_mark(paragraph.lines[0]), *paragraph.lines[1:]):
        text += ("" if not text or _HAN_END.search(text) else " ") + line.strip().lstrip("> ")
        ends.append(len(text))
        if len(text) > _LONGEST:
            break
    return text, ends
