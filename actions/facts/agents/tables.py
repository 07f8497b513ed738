"""Tables of a skill whose rows are sub-agents at work: who does the step, and what is said for its failure."""

from collections.abc import Iterator
from dataclasses import dataclass

from actions.facts.agents import words as w
from actions.model import regex as re
from actions.model.memo import once
from actions.model.skill import SkillFile

_WORKER = re.compile(rf"\b{w.SURE_WORKER}|子代理|子智能体|subagent_type", re.IGNORECASE)
_FAILURE = re.compile(
    r"\b(?:fail|error|wrong|fallback|fall back|otherwise|recover|problem)|失败|出错|异常|错误|兜底|降级", re.IGNORECASE
)
_NOTHING = re.compile(
    r"\W*(?:nothing(?: \w+)?|none|n/?a|tbd|to be decided|open|undefined"
    r"|not (?:foreseen|handled|defined|covered)|unhandled|ignored?|无|未定|没有|暂无|未处理|忽略)?\W*",
    re.IGNORECASE,
)
_RULER = re.compile(r"^\s*\|[\s:|-]+\|?\s*$")


@dataclass(frozen=True)
class Row:
    """A table row: its line, and its cells by the titles of their columns."""

    line: int
    cells: tuple[tuple[str, str], ...]

    @property
    def text(self) -> str:
        """All cells in one."""
        return " | ".join(cell for _, cell in self.cells)


@once
def table_rows(file: SkillFile) -> tuple[Row, ...]:
    """Give the rows of all tables of a file's prose, without headers and rulers."""
    return tuple(_rows(file)) if "|" in file.text else ()


def _rows(file: SkillFile) -> Iterator[Row]:
    titles: list[str] = []
    last = -1
    for number, line in file.doc.rows:
        cells = _cells(line)
        if last != number - 1:
            titles = cells
        elif not _RULER.match(line):
            yield Row(number, tuple(zip(titles, cells, strict=False)))
        last = number


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


def unprovided_rows(file: SkillFile) -> Iterator[int]:
    """Give the lines of the rows with a sub-agent whose column for failures says nothing."""
    rows = table_rows(file)
    for row in rows:
        failures = [cell for title, cell in row.cells if _FAILURE.search(title)]
        if failures and _WORKER.search(row.text) and all(_NOTHING.fullmatch(cell) for cell in failures):
            yield row.line
