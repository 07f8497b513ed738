"""Parse a Markdown file into lines, sections, fences, links, spans, tables and blocks. Never raises."""

from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import zip_longest

import msgspec

from actions.memo import cached_property
from actions.skill.counterexamples import find_bad_lines
from actions.skill.line_index import LineIndex
from actions.skill.markdown import Markup
from actions.skill.plans import find_planned_lines, has_planning_lead_in
from actions.skill.structure import Block, Comment, Fence, Heading, Link, Row, Section, Span
from actions.skill.text import is_item

_MARK = "---"
_MAX_ROW = 2_000
"""Maximum number of characters of a row whose cells are searched one by one."""


class Document(msgspec.Struct, frozen=True, dict=True):
    """The structure of a text file. Lines count from 1.

    `body_start` is the first line after the frontmatter, or its last line if text follows the closing `---`. `comments`
    are the HTML comments that are blocks of their own. `rows` are the rows of all tables, including the headers.
    `blocks` are the innermost blocks in order. `quotes` are the line numbers of block quotes. `numbered` has the (line,
    number) of each item of a numbered list.
    """

    lines: tuple[str, ...]
    body_start: int
    fences: Sequence[Fence] = ()
    headings: Sequence[Heading] = ()
    links: Sequence[Link] = ()
    spans: Sequence[Span] = ()
    rows: Sequence[Row] = ()
    blocks: Sequence[Block] = ()
    comments: Sequence[Comment] = ()
    quotes: frozenset[int] = frozenset()
    numbered: Sequence[tuple[int, int]] = ()

    @cached_property
    def index(self) -> LineIndex:
        """The lines as one text to search."""
        return LineIndex("\n".join(self.lines))

    @cached_property
    def prose(self) -> tuple[tuple[int, str], ...]:
        """The non-blank lines of the body outside fences and comments, as (line number, line)."""
        parts: list[Fence | Comment] = [*self.fences, *self.comments]
        hidden_lines = {number for part in parts for number in range(part.start, part.end + 1)}
        numbered = enumerate(self.lines[self.body_start - 1 :], self.body_start)
        return tuple(
            (number, line) for number, line in numbered if number not in hidden_lines and line and not line.isspace()
        )

    @cached_property
    def sections(self) -> tuple[Section, ...]:
        """The text before the first heading, then each heading with the text under it."""
        return tuple(_list_sections(self.headings, self.body_start, len(self.lines)))

    def line(self, number: int) -> str:
        """Return line `number` without its line ending, or "" if there is no such line."""
        return self.lines[number - 1] if 0 < number <= len(self.lines) else ""

    def sentence(self, number: int) -> str:
        """Return a line joined with the line before it, where its sentence may begin.

        A line that begins a list item, and a row of a table, is returned alone.
        """
        line = self.line(number)
        return line if is_item(line) or number in self._cells_by_line else f"{self.line(number - 1)} {line}"

    def cells(self, number: int) -> Sequence[tuple[str, str]]:
        """Return the cells in a row of a table, each with the head of its column. Returns () if the row is too long."""
        return self._cells_by_line.get(number, ()) if len(self.line(number)) <= _MAX_ROW else ()

    @cached_property
    def _cells_by_line(self) -> Mapping[int, Sequence[tuple[str, str]]]:
        """Map the line of each row of a table to its cells, each with the head of its column."""
        heads: tuple[str, ...] = ()
        cells_by_line: dict[int, Sequence[tuple[str, str]]] = {}
        for row in self.rows:
            heads = row.cells if row.is_head else heads
            above = ("",) * len(row.cells) if row.is_head else heads
            cells_by_line[row.line] = [*zip_longest(above, row.cells, fillvalue="")]
        return cells_by_line

    def code(self, fence: Fence) -> list[tuple[int, str]]:
        """Return (line number, line) for each line inside a fence."""
        return list(enumerate(self.lines_inside(fence), fence.start + 1))

    def lines_inside(self, fence: Fence) -> tuple[str, ...]:
        """Return the lines inside a fence."""
        return self.lines[fence.start : fence.end - 1 if fence.closed else fence.end]

    def column(self, headers: Collection[str]) -> Iterator[tuple[int, str, str]]:
        """Yield (line number, first cell, cell of the column) for each row of each table that has the column.

        `headers` are the possible headers of the column, which is never the first one.
        """
        index = 0
        for row in self.rows:
            if row.is_head:
                index = next((n for n, cell in enumerate(row.cells) if n and cell.lower() in headers), 0)
            elif 0 < index < len(row.cells):
                yield row.line, row.cells[0], row.cells[index]

    def passage_at(self, number: int) -> range:
        """Return the line numbers between the nearest blank lines before and after a line."""
        index = bisect_left(self._blank_lines, number)
        last = self._blank_lines[index] if index < len(self._blank_lines) else len(self.lines) + 1
        return range(self._blank_lines[index - 1] + 1 if index else 1, max(last, number + 1))

    def fence_at(self, number: int) -> Fence | None:
        """Return the fence that contains a line, including its fence marks."""
        index = bisect_right(self._fence_starts, number) - 1
        return self.fences[index] if index >= 0 and number <= self.fences[index].end else None

    def section_at(self, number: int) -> Section:
        """Return the innermost section that contains a line."""
        return self.sections[max(bisect_right(self._section_starts, number) - 1, 0)]

    def is_counterexample(self, number: int) -> bool:
        """Return whether a line is in a counterexample."""
        return number in self._bad_lines

    def is_planned(self, number: int) -> bool:
        """Return whether a line is in a section or a list of parts that are only planned."""
        return number in self._planned_lines or has_planning_lead_in(self.lines, number)

    @cached_property
    def _planned_lines(self) -> frozenset[int]:
        return frozenset(find_planned_lines(self.sections))

    @cached_property
    def _bad_lines(self) -> frozenset[int]:
        return frozenset(find_bad_lines(self.lines, self.sections, self.fences, self.rows))

    @cached_property
    def _blank_lines(self) -> list[int]:
        return [number for number, line in enumerate(self.lines, 1) if not line.strip()]

    @cached_property
    def _fence_starts(self) -> list[int]:
        return [fence.start for fence in self.fences]

    @cached_property
    def _section_starts(self) -> list[int]:
        return [section.start for section in self.sections]


def parse_document(text: str, *, is_markdown: bool = True) -> Document:
    """Parse a text. Only the lines are recorded if it is not Markdown."""
    lines = tuple(text.lstrip("\ufeff").split("\n"))
    if "\r" in text:
        lines = tuple(line.rstrip("\r") for line in lines)
    if lines and lines[-1] == "":
        lines = lines[:-1]
    end = find_frontmatter_end(lines)
    start = end if end and lines[end - 1].rstrip() != _MARK else end + 1
    if not is_markdown:
        return Document(lines, start)
    markup = Markup(lines, start)
    blocks, quotes = sorted(markup.blocks, key=lambda block: block.start), frozenset(markup.quotes)
    elements = (markup.fences, markup.headings, markup.links, markup.spans, markup.rows)
    return Document(lines, start, *elements, blocks, markup.comments, quotes, markup.numbered)


def find_frontmatter_end(lines: tuple[str, ...]) -> int:
    """Return the number of the line whose `---` closes the frontmatter, or 0.

    As in Claude Code 2.1.332, text may follow the mark, and `...` closes nothing. Claude Code also ends the frontmatter
    at a `---` within a line, which PRJ-005 reports; here, the line that the author meant counts.
    """
    if not lines or lines[0].rstrip() != _MARK:
        return 0
    return next((n for n, line in enumerate(lines[1:], 2) if line.startswith(_MARK)), 0)


def list_body_lines(lines: tuple[str, ...]) -> tuple[str, ...]:
    """Return the lines after the frontmatter. They begin with the text behind the closing `---`, if it has one."""
    end = find_frontmatter_end(lines)
    rest = lines[end - 1].removeprefix(_MARK).strip() if end else ""
    return (rest, *lines[end:]) if rest else lines[end:]


def _list_sections(headings: Sequence[Heading], start: int, last: int) -> Iterator[Section]:
    """Yield the section before the first heading, then the section of each heading.

    A section ends before the next heading of the same or a higher level.
    """
    yield Section("", 0, start, headings[0].line - 1 if headings else last)
    ends = [last] * len(headings)
    open_sections: list[int] = []
    for index, heading in enumerate(headings):
        while open_sections and headings[open_sections[-1]].level >= heading.level:
            ends[open_sections.pop()] = heading.line - 1
        open_sections.append(index)
    for heading, end in zip(headings, ends, strict=True):
        yield Section(heading.title, heading.level, heading.line, end)
