"""What the steps of a skill say that they need and leave: tables with such columns, and labels such as `Output:`.

Only names in code spans that look like values count; files have contracts of their own.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from actions.facts.dataflow.file_names import EXTENSION
from actions.facts.dataflow.words import INPUT, OUTPUT, label
from actions.skill.memo import once
from actions.skill.places import is_named_only_at
from actions.skill.skill import Skill, SkillFile
from actions.skill.tables import is_row, table_rows

_INPUT, _OUTPUT = label(INPUT), label(OUTPUT)
_LABELLED = re.compile(
    rf"^\s*(?:[-*+]\s+|\d+[.)]\s+)?\**(?:(?P<input>{INPUT})|(?P<output>{OUTPUT}))\**\s*[:：]\**", re.IGNORECASE
)
_SPAN = re.compile(r"`([^`\n]{1,80})`")
_VALUE = re.compile(r"(?:\w+\.)?([A-Za-z]\w*(?:_\w+)*)(?:\[\])?$")


@dataclass(frozen=True)
class Listed:
    """A value that a step lists among what it needs (`given` is False) or leaves."""

    name: str
    given: bool
    file: str
    line: int


@dataclass(frozen=True)
class Gaps:
    """Values that a step needs and nothing else names, and values that a step leaves and nothing else names."""

    needed: tuple[Listed, ...]
    left: tuple[Listed, ...]


@once
def gaps(skill: Skill) -> Gaps:
    """Give both. What the last step leaves is for the user, what the first one needs comes from them."""
    found = [item for file in skill.instructions for item in _listed(file)]
    if not any(item.given for item in found) or all(item.given for item in found):
        return Gaps((), ())
    order = {id(item): place for place, item in enumerate(found)}
    needed, left = (_first(item for item in found if item.given is given) for given in (False, True))
    begin = min(order[id(item)] for item in left.values())
    last = (found[-1].file, found[-1].line)
    lone = [item for name, item in needed.items() if name not in left and order[id(item)] > begin][:_MOST]
    idle = [item for name, item in left.items() if name not in needed and (item.file, item.line) != last][:_MOST]
    return Gaps(
        tuple(item for item in lone if _only_there(skill, found, item)),
        tuple(item for item in idle if _only_there(skill, found, item)),
    )


_MOST = 50


def _first(items: Iterator[Listed]) -> dict[str, Listed]:
    known: dict[str, Listed] = {}
    for item in items:
        known.setdefault(item.name, item)
    return known


def _listed(file: SkillFile) -> Iterator[Listed]:
    """Give what the tables and labels of a file list, by line."""
    found = sorted((*_in_tables(file), *_behind_labels(file)), key=lambda told: told[0])
    for number, given, text in found:
        yield from (Listed(name, given, file.path, number) for name in _values(text))


def _in_tables(file: SkillFile) -> Iterator[tuple[int, bool, str]]:
    """Give line, side and text of the cells of tables with columns of both sides."""
    for row in table_rows(file):
        told = [(row.line, given, cell) for title, cell in row.cells if (given := _side(title)) is not None]
        if len({given for _, given, _ in told}) > 1:
            yield from told


def _behind_labels(file: SkillFile) -> Iterator[tuple[int, bool, str]]:
    for number, line in file.doc.prose:
        match = _LABELLED.match(line) if "`" in line and not is_row(line) else None
        if match:
            yield number, bool(match["output"]), line[match.end() :]


def _side(cell: str) -> bool | None:
    return True if _OUTPUT.match(cell) else False if _INPUT.match(cell) else None


def _values(text: str) -> Iterator[str]:
    for span in _SPAN.findall(text):
        match = _VALUE.match(span)
        if match and not EXTENSION.search(span):
            yield match[1]


def _only_there(skill: Skill, found: list[Listed], item: Listed) -> bool:
    """Tell whether no line of the skill names the value but those that list it on the same side."""
    places = {(other.file, other.line) for other in found if other.name == item.name and other.given is item.given}
    return is_named_only_at(skill, item.name, places)
