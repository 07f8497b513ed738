"""Convert the events of a Markdown parser to records: fences, headings, links, spans, tables, blocks.

The parser is pyromark (CommonMark with tables), which also supplies the text of links, code spans and cells. This
module only derives line numbers from byte ranges and parses no markup.
"""

from bisect import bisect_left
from collections.abc import Iterable, Mapping
from itertools import accumulate
from typing import Any, cast

from pyromark import Markdown, Options

from actions.skill.structure import Block, Comment, Fence, Heading, Link, Row, Span

_PARSER = Markdown(options=Options.ENABLE_TABLES | Options.ENABLE_TASKLISTS | Options.ENABLE_STRIKETHROUGH)
_BLOCKS = {"Paragraph": "paragraph", "Item": "item", "Heading": "heading", "CodeBlock": "code", "Table": "table"}
_INLINE_MARKUP = frozenset({"Emphasis", "Strong", "Strikethrough"})
"""Inline markup, which leaves the words of a text unchanged."""
_ITEM_ENDING_BLOCKS = frozenset({"Item", "Paragraph", "List", "CodeBlock"})
"""Blocks inside a list item that end the item's own text."""
_RECORDED_STARTS = frozenset({"BlockQuote", "List", "Item"})
"""Elements whose start is recorded."""
_ROWS = frozenset({"TableHead", "TableRow"})
_LINKS = frozenset({"Link", "Image"})


class Markup:
    """The elements that the parser finds in `lines` from line `first` on. Lines count from 1.

    `quotes` are the lines of block quotes, `numbered` the (line, number) of each item of a numbered list.
    """

    def __init__(self, lines: tuple[str, ...], first: int) -> None:
        self.fences: list[Fence] = []
        self.headings: list[Heading] = []
        self.links: list[Link] = []
        self.spans: list[Span] = []
        self.rows: list[Row] = []
        self.blocks: list[Block] = []
        self.comments: list[Comment] = []
        self.quotes: set[int] = set()
        self.numbered: list[tuple[int, int]] = []
        self._lines = lines
        self._first = first
        text = "\n".join(lines[first - 1 :])
        raw = lines[first - 1 :] if text.isascii() else text.encode("utf-8", "surrogatepass").split(b"\n")
        self._starts = [0, *accumulate(map((1).__add__, map(len, raw)))]
        self._open: list[tuple[str, Any, int, list[str]]] = [("", None, 0, [])]
        self._titles: list[str] = []
        self._lists: list[int | None] = []
        self._read(text)

    def _read(self, text: str) -> None:
        """Process the events with a stack of open elements.

        This runs for every word of a skill, so it avoids calls. Elements begin in the order of the text, so the line
        number never decreases.
        """
        stack, words = self._open, self._open[0][3]
        starts, first, count = self._starts, self._first - 1, 0
        events = cast(Iterable[tuple[Any, Any]], _PARSER.events_with_range(text))
        for event, span in events:
            if event.__class__ is str:
                words.append(" ")  # a soft or hard line break, or a rule (`---`), which has no text
                continue
            kind, value = event.popitem()
            if kind == "Text":
                words.append(value)
            elif kind == "Start":
                if value.__class__ is str:
                    if value in _INLINE_MARKUP:
                        continue
                    name, details = value, None
                else:
                    name, details = value.popitem()
                start, words = span["start"], []
                while starts[count] <= start:
                    count += 1
                if name in _RECORDED_STARTS or stack[-1][0] == "Item":
                    self._begin_element(name, details, first + count, span["end"])
                stack.append((name, details, first + count, words))
            elif kind == "End":
                if value.__class__ is str and value in _INLINE_MARKUP:
                    continue
                name, details, line, words = stack.pop()
                words = self._end_element(name, details, line, span["end"], "".join(words))
            elif kind == "Code":
                while starts[count] <= span["start"]:
                    count += 1
                self.spans.append(Span(first + count, value))
                words.append(value)
            elif kind == "Html" or kind == "InlineHtml":
                words.append(value)

    def _begin_element(self, name: str, details: Any, line: int, end: int) -> None:
        if name == "BlockQuote":
            self.quotes.update(range(line, self._find_last_line(line, end) + 1))
        elif name == "List":
            self._lists.append(details)
        elif name == "Item" and self._lists[-1] is not None:
            self.numbered.append((line, self._lists[-1]))
            self._lists[-1] += 1
        if name in _ITEM_ENDING_BLOCKS and self._open[-1][0] == "Item":
            self._cut_item(line)

    def _end_element(self, name: str, details: Any, line: int, end: int, text: str) -> list[str]:
        """Record an element that ends, and return the word list of the enclosing element."""
        words = self._open[-1][3]
        if name in _BLOCKS:
            self._add_block(name, details, line, end, _join_words(text))
        elif name == "TableCell":
            self._titles.append(_join_words(text))
        elif name in _ROWS:
            words.append(self._add_row(line, name == "TableHead"))
        elif name == "HtmlBlock":
            if text.lstrip().startswith("<!--"):
                self.comments.append(Comment(line, self._find_last_line(line, end), text))
        else:
            if name in _LINKS:
                self._add_link(details, line, text)
            elif name == "List":
                self._lists.pop()
            words.append(text)
        return words

    def _add_block(self, name: str, details: Any, first: int, end: int, words: str) -> None:
        last = self._find_last_line(first, end)
        if name == "CodeBlock":
            self._add_fence(details, first, last)
        elif name == "Heading":
            self.headings.append(Heading(first, int(details["level"][1]), words))
        if words:
            self.blocks.append(Block(_BLOCKS[name], first, last, words))

    def _cut_item(self, line: int) -> None:
        """End the text of an item at a block inside it, which is recorded separately."""
        _, _, first, words = self._open[-1]
        if text := _join_words("".join(words)):
            self.blocks.append(Block("item", first, max(first, line - 1), text))
            words.clear()

    def _add_link(self, details: Mapping[str, Any], line: int, text: str) -> None:
        if details["link_type"] not in ("Autolink", "Email"):
            self.links.append(Link(line, details["dest_url"], text))

    def _add_fence(self, details: Any, first: int, last: int) -> None:
        if isinstance(details, dict):
            info = details["Fenced"]
            mark = self._lines[last - 1].lstrip(" \t>").rstrip()
            closed = last > first and len(mark) >= 3 and not mark.strip(mark[0]) and mark[0] in "`~"
            self.fences.append(Fence(first, last, _get_language(info), closed))

    def _add_row(self, line: int, is_head: bool) -> str:
        cells, self._titles = tuple(self._titles), []
        self.rows.append(Row(line, cells, is_head))
        return " | ".join(cells) + " \n"

    def _find_last_line(self, first: int, end: int) -> int:
        """Return the last non-blank line of an element that begins in line `first` and ends at byte `end`."""
        last = self._first + bisect_left(self._starts, end) - 1
        while last > first and not self._lines[last - 1].strip(" \t\r\v\f"):
            last -= 1
        return last


def _join_words(text: str) -> str:
    # Most texts need no change, and it takes less time to check that first.
    is_plain = text.isprintable() and "  " not in text and text[:1] != " " != text[-1:]
    return text if is_plain else " ".join(text.split())


def _get_language(info: str) -> str:
    words = info.split()
    return words[0].strip("{}.").lower() if words else ""
