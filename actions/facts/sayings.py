"""Sentences with what stands around them: what announces their list or table, and what was said just before.

A statement (actions/skill/statements.py) is a sentence alone; this is for readers that need to know what it is about.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

from actions.skill.memo import once
from actions.skill.skill import SkillFile
from actions.skill.statements import Paragraph, statements_in, units, units_at
from actions.skill.stems import Stems
from actions.skill.tables import cells_of, is_row, is_ruler
from actions.skill.text import is_item

_COLON = (":", "：")
_LONGEST = 4000
_LONGEST_LIST = 60


@dataclass(frozen=True)
class Saying:
    """A sentence that begins at `line`; or a row of a table, each cell behind the title of its column."""

    line: int
    text: str
    is_row: bool
    _known: "tuple[_Unit, ...]"
    _place: int
    _begun: str = ""

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
        return f"{_text(known, above, 600)} {self._begun}".strip()[-600:]


@dataclass(frozen=True)
class _Unit:
    """A paragraph, list entry or table row, the section that it stands in, and the titles of the row's columns."""

    number: int
    said: Paragraph
    section: int
    titles: list[str]

    @property
    def first(self) -> str:
        return self.said.lines[0]

    @property
    def is_item(self) -> bool:
        return is_item(self.first)

    @property
    def is_row(self) -> bool:
        return is_row(self.first)

    @property
    def announces(self) -> bool:
        return self.said.lines[-1].rstrip().endswith(_COLON)


def sayings(file: SkillFile, stems: Stems, reach: int = 0) -> Iterator[Saying]:
    """Give the sayings of each unit of a file's prose that holds one of the stems. Headings are left out.

    The items and rows that such a unit announces come with it, and `reach` units more of its section.
    """
    known = _known(file)
    places = {unit.number: place for place, unit in enumerate(known)}
    held = [places[number] for number in units_at(file, stems.numbers(file)) if number in places]
    near = {at for place in held for at in (place, *_next(known, place, reach))}
    for place in sorted(near | _all_announced(known, near)):
        yield from _said(file, place)


@once
def _known(file: SkillFile) -> tuple[_Unit, ...]:
    """Give the units of a file's prose, the rulers of tables left out."""
    return tuple(_units(file))


def _units(file: SkillFile) -> Iterator[_Unit]:
    titles: list[str] = []
    last = 0
    for number, said in enumerate(units(file)):
        if is_ruler(said.lines[0]):
            titles = cells_of(file.doc.line(said.start - 1))
        else:
            titles = titles if is_row(said.lines[0]) and said.start == last + 1 else []
            yield _Unit(number, said, file.doc.section_at(said.start).start, titles)
        last = said.start + len(said.lines) - 1


def _all_announced(known: tuple[_Unit, ...], places: set[int]) -> set[int]:
    """Give what places announce; what a line with a colon announced announces nothing beyond that."""
    found: set[int] = set()
    last = -1
    for place in sorted(places):
        if place > last:
            below = list(_announced(known, place))
            found.update(below)
            last = below[-1] if below and known[place].announces else last
    return found


def _announced(known: tuple[_Unit, ...], place: int) -> Iterator[int]:
    """Give the rows below a title row, or the items below a line that ends with a colon."""
    first = known[place]
    if not first.announces and not (place + 1 < len(known) and known[place + 1].titles):
        return
    titles = cells_of(first.first)
    for at in range(place + 1, len(known)):
        listed = known[at].titles == titles if known[at].titles else first.announces and known[at].is_item
        if known[at].section != first.section or not (listed or (first.announces and known[at].titles)):
            return
        yield at


def _next(known: tuple[_Unit, ...], place: int, reach: int) -> Iterator[int]:
    last = min(len(known), place + reach + 1)
    return (at for at in range(place + 1, last) if known[at].section == known[place].section)


def _lead(known: tuple[_Unit, ...], place: int) -> int | None:
    """Give the place of the text above a list or table that announces it with a colon."""
    here = known[place]
    if not (here.is_item or here.titles):
        return None
    for at in range(place - 1, max(-1, place - _LONGEST_LIST), -1):
        above = known[at]
        if above.section != here.section:
            return None
        if not (above.is_row or above.is_item) or _indent(above) < _indent(here):
            return at if above.announces else None
    return None


def _indent(unit: _Unit) -> int:
    return len(unit.first) - len(unit.first.lstrip())


def _text(known: tuple[_Unit, ...], places: Iterable[int], most: int) -> str:
    return " ".join(line.strip() for at in places for line in known[at].said.lines)[-most:]


def _said(file: SkillFile, place: int) -> Iterator[Saying]:
    known = _known(file)
    unit = known[place]
    if unit.is_row:
        cells = cells_of(unit.first[:_LONGEST])
        told = (f"{title} {cell}" for title, cell in zip(unit.titles, cells, strict=False))
        yield Saying(unit.said.start, ", ".join(told if unit.titles else cells), True, known, place)
        return
    begun = ""
    for statement in statements_in(file, unit.number):
        yield Saying(statement.line, statement.text, False, known, place, begun)
        begun += f"{statement.text} "
