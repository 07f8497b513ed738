"""Tables that declare the state: a first column of field names, under a heading or in a file that is called so."""

import posixpath
from collections.abc import Iterator
from dataclasses import dataclass

from actions.model import regex as re
from actions.model.memo import once
from actions.model.skill import SkillFile

_HEADER = re.compile(
    r"^\s*\|\s*\**(?:state )?(?:fields?|keys?|propert(?:y|ies)|字段名?|键|属性)\**\s*\|", re.IGNORECASE
)
_ROW = re.compile(r"^\s*\|\s*\**`?([A-Za-z_]\w{0,60})`?\**\s*\|")
_RULER = re.compile(r"^\s*\|[\s:|-]+$")
_STATE = re.compile(r"\bstate\b|状态", re.IGNORECASE)


@dataclass(frozen=True)
class StateTable:
    """A table from its header at `start` to its last row at `end`; `fields` are (name, line)."""

    start: int
    end: int
    fields: tuple[tuple[str, int], ...]


@once
def state_tables(file: SkillFile) -> tuple[StateTable, ...]:
    """Give the tables of two or more fields that declare the state."""
    return tuple(_state_tables(file))


def _state_tables(file: SkillFile) -> Iterator[StateTable]:
    for number, line in file.doc.prose if "|" in file.text else ():
        if (
            "|" in line
            and _HEADER.match(line)
            and _RULER.match(file.doc.line(number + 1))
            and _about_state(file, number)
        ):
            rows = list(_rows(file, number + 2))
            if len(rows) > 1 and not file.doc.is_counterexample(number):
                yield StateTable(number, rows[-1][1], tuple(rows))


def _about_state(file: SkillFile, number: int) -> bool:
    stem = posixpath.splitext(posixpath.basename(file.path))[0].replace("-", " ").replace("_", " ")
    return bool(_STATE.search(file.doc.section_at(number).title) or _STATE.search(stem))


def _rows(file: SkillFile, number: int) -> Iterator[tuple[str, int]]:
    while match := _ROW.match(file.doc.line(number)):
        yield match[1], number
        number += 1
