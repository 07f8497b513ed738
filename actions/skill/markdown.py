"""The events of a Markdown parser as the records of a Document: fences, headings, links, spans, tables, blocks.

The parser is pyromark (CommonMark with tables); it gives byte ranges, lines are derived. Links, code spans and cells
carry what the parser made of them, so nothing here reads markup by itself.
"""

from bisect import bisect_right
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Any

from pyromark import Markdown, Options

from actions.skill.structure import Block, Comment, Fence, Heading, Link, Row, Span

_PARSER = Markdown(options=Options.ENABLE_TABLES | Options.ENABLE_TASKLISTS | Options.ENABLE_STRIKETHROUGH)
_BLOCKS = {"Paragraph": "paragraph", "Item": "item", "Heading": "heading", "CodeBlock": "code", "Table": "table"}
_MARKS = ("Emphasis", "Strong", "Strikethrough")
"""What only marks a text: it is said as if it stood without."""
_ROWS = frozenset({"TableHead", "TableRow"})
_LINKS = frozenset({"Link", "Image"})
_TEXT = ("Text", "Code", "InlineHtml")


@dataclass
class Markup:
    """What the parser found in a text, in its order. `quotes` are lines of block quotes."""

    fences: list[Fence] = field(default_factory=list)
    headings: list[Heading] = field(default_factory=list)
    links: list[Link] = field(default_factory=list)
    spans: list[Span] = field(default_factory=list)
    rows: list[Row] = field(default_factory=list)
    blocks: list[Block] = field(default_factory=list)
    comments: list[Comment] = field(default_factory=list)
    quotes: set[int] = field(default_factory=set)
    numbered: list[tuple[int, int]] = field(default_factory=list)


def read_markup(lines: tuple[str, ...], first: int) -> Markup:
    """Return the markup of `lines` from line number `first` on; lines count from 1."""
    reader = _Reader(lines, first)
    for event, span in _PARSER.events_with_range(reader.text):
        if isinstance(event, str):
            reader.say(" ")  # a soft or hard line break; rulers say nothing anyway
        elif "Text" in event:
            reader.say(event["Text"])
        else:
            reader.take(event, span["start"], span["end"])
    return reader.markup


class _Reader:
    """Follows the events with a stack of what is open."""

    def __init__(self, lines: tuple[str, ...], first: int) -> None:
        self.text = "\n".join(lines[first - 1 :])
        self.markup = Markup()
        self._lines = lines
        self._first = first
        self._raw = self.text.encode("utf-8", "surrogatepass")
        self._starts = [0, *accumulate(len(line) + 1 for line in self._raw.split(b"\n"))]
        self._open: list[tuple[str, Any, int, list[str]]] = []
        self._titles: list[str] = []
        self._lists: list[int | None] = []

    def take(self, event: Any, start: int, end: int) -> None:
        """Take an event that is more than text, with its byte range."""
        ((kind, value),) = event.items()
        if kind == "Start":
            if value not in _MARKS:
                self._begin(value, start, end)
        elif kind == "End":
            if value not in _MARKS:
                self._end(start, end)
        elif kind in _TEXT:
            if kind == "Code":
                self.markup.spans.append(Span(self._line(start), value))
            self.say(value)
        elif kind == "Html":
            self.say(value)

    def _begin(self, value: Any, start: int, end: int) -> None:
        name, details = (value, None) if isinstance(value, str) else next(iter(value.items()))
        if name == "BlockQuote":
            self.markup.quotes.update(range(self._line(start), self._last(start, end) + 1))
        elif name == "List":
            self._lists.append(details)
        elif name == "Item" and self._lists and self._lists[-1] is not None:
            self.markup.numbered.append((self._line(start), self._lists[-1]))
            self._lists[-1] += 1
        if name in ("Item", "Paragraph", "List", "CodeBlock") and self._open and self._open[-1][0] == "Item":
            self._cut_item(start)
        self._open.append((name, details, start, []))

    def _end(self, start: int, end: int) -> None:
        name, details, start, said = self._open.pop()
        text = "".join(said)
        if name == "TableCell":
            self._titles.append(" ".join(text.split()))
        elif name in _ROWS:
            self._row(self._line(start), name == "TableHead")
        elif name == "HtmlBlock":
            if text.lstrip().startswith("<!--"):
                self.markup.comments.append(Comment(self._line(start), self._last(start, end), text))
        elif name in _BLOCKS:
            self._block(name, details, self._line(start), self._last(start, end), text)
        else:
            if name in _LINKS:
                self._link(details, self._line(start), text)
            elif name == "List":
                self._lists.pop()
            self.say(text)

    def _block(self, name: str, details: Any, first: int, last: int, text: str) -> None:
        said = " ".join(text.split())
        if name == "CodeBlock":
            self._code(details, first, last)
        elif name == "Heading":
            self.markup.headings.append(Heading(first, int(details["level"][1]), said))
        if said:
            self.markup.blocks.append(Block(_BLOCKS[name], first, last, said))

    def _cut_item(self, start: int) -> None:
        """Close the text of an item where a block within it begins: that block speaks for itself."""
        _, _, began, said = self._open[-1]
        text = " ".join("".join(said).split())
        first = self._line(began)
        if text:
            self.markup.blocks.append(Block("item", first, max(first, self._line(start) - 1), text))
        said.clear()

    def _link(self, details: Mapping[str, Any], line: int, text: str) -> None:
        if details["link_type"] not in ("Autolink", "Email"):
            self.markup.links.append(Link(line, details["dest_url"], text))

    def _code(self, details: Any, first: int, last: int) -> None:
        if isinstance(details, dict):
            info = details["Fenced"]
            mark = self._lines[last - 1].lstrip(" \t>").rstrip()
            closed = last > first and len(mark) >= 3 and not mark.strip(mark[0]) and mark[0] in "`~"
            self.markup.fences.append(Fence(first, last, _language(info), closed))

    def _row(self, line: int, is_head: bool) -> None:
        self.markup.rows.append(Row(line, tuple(self._titles), is_head))
        self.say(" | ".join(self._titles) + " \n")
        self._titles = []

    def say(self, text: str) -> None:
        """Add a text to what is open."""
        if self._open:
            self._open[-1][3].append(text)

    def _line(self, offset: int) -> int:
        return self._first + bisect_right(self._starts, offset) - 1

    def _last(self, start: int, end: int) -> int:
        """Return the last line of a range that holds more than blanks."""
        while end > start + 1 and self._raw[end - 1 : end].isspace():
            end -= 1
        return self._line(max(start, end - 1))


def _language(info: str) -> str:
    words = info.split()
    return words[0].strip("{}.").lower() if words else ""


def prose_lines(lines: tuple[str, ...], first: int, markup: Markup) -> Iterator[tuple[int, str]]:
    """Return the numbered lines with text that stand in no fence and no comment."""
    parts: list[Fence | Comment] = [*markup.fences, *markup.comments]
    hidden = {n for part in parts for n in range(part.start, part.end + 1)}
    for number, line in enumerate(lines[first - 1 :], first):
        if number not in hidden and line and not line.isspace():
            yield number, line
