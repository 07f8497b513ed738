"""The tables of a file's prose."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from actions.skill.memo import once
from actions.skill.skill import SkillFile

_RULER = re.compile(r"\s*\|[\s:|-]+$")


@dataclass(frozen=True)
class Row:
    """A table row: its line, and its cells by the titles of their columns."""

    line: int
    cells: tuple[tuple[str, str], ...]

    @property
    def text(self) -> str:
        """All cells in one."""
        return " | ".join(cell for _, cell in self.cells)


def is_row(line: str) -> bool:
    """Tell whether a line is a row of a table."""
    return line.lstrip().startswith("|")


def is_ruler(line: str) -> bool:
    """Tell whether a line is the one below the titles of a table."""
    return _RULER.match(line) is not None


def cells_of(line: str) -> list[str]:
    """Give the cells of a row, without blanks at their ends."""
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


@once
def table_rows(file: SkillFile) -> tuple[Row, ...]:
    """Give the rows of all tables of a file's prose, without headers and rulers."""
    return tuple(_rows(file)) if "|" in file.text else ()


def _rows(file: SkillFile) -> Iterator[Row]:
    titles: list[str] = []
    last = -1
    for number, line in file.doc.rows:
        if last != number - 1:
            titles = cells_of(line)
        elif not is_ruler(line):
            yield Row(number, tuple(zip(titles, cells_of(line), strict=False)))
        last = number
