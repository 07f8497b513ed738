"""Split a file into statements: sentences, headings, table rows, lines of code."""

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping
from itertools import accumulate

import msgspec
from msgspec.structs import replace

from actions.code.tree import Code, list_ancestors
from actions.memo import memoize
from actions.regex import regex
from actions.skill import SkillFile
from actions.skill.document import Document
from actions.skill.text import is_item, split_sentences, strip_list_mark

PROSE, HEADING, FRONTMATTER, COMMENT = "prose", "heading", "frontmatter", "comment"
_SINGLE_LINE_PREFIXES = ("#", "|")
"""Prefixes of lines that are not part of a paragraph: headings and table rows."""
_SEPARATOR_CHARACTERS = " \t-=*_|>:"
"""A line of only these characters is a separator."""
_LEAD_IN = regex(r"(?:[:：…]|<[A-Za-z][^<>]*>)[*_` ]*$")
"""The end of a lead-in line, which introduces the next block."""
_ITEM_RANK, _LEAF_RANK = 0, -2
"""The ranks of a statement that can contain others, and of one that cannot. Lead-in lines rank in between."""
_TEXT_NODES = frozenset({"comment", "string", "template_string", "raw_string", "heredoc_body"})


_MAX_EXCERPT = 120
"""Maximum number of characters of a statement in a message."""


class Statement(msgspec.Struct, frozen=True):
    """One statement of a file, from line `line` to line `end`.

    `kind` is "prose", "heading", "frontmatter", "comment", the language of a fence, or the extension of a file. `depth`
    is the indentation of prose. `context` has the headings, list items and lead-in line that introduce the statement.
    `ordered` means that the statement is in a numbered list.
    """

    file: str
    line: int
    end: int
    text: str
    kind: str
    depth: int = 0
    context: tuple[str, ...] = ()
    ordered: bool = False

    @property
    def unit(self) -> str:
        """The kind of text, for a message."""
        if self.kind.startswith("```"):
            return "line of a fence"
        if self.kind == PROSE:
            return "table row" if self.text.startswith("|") else "sentence"
        names = {HEADING: HEADING, FRONTMATTER: "line of the frontmatter", COMMENT: "line of a comment"}
        return names.get(self.kind, "line of code")

    @property
    def excerpt(self) -> str:
        """The beginning of the text, for a message, with an ellipsis if the text is longer."""
        text = self.text.strip()
        return text if len(text) <= _MAX_EXCERPT else f"{text[:_MAX_EXCERPT]} […]"

    @property
    def key(self) -> tuple[str, str, int]:
        """The comparison key. The same words may have another meaning in code or when indented."""
        return self.kind, self.text, self.depth


@memoize
def split_statements(file: SkillFile) -> tuple[Statement, ...]:
    """Return the statements of a file, in order."""
    if not file.is_markdown:
        return tuple(_split_code(file))
    statements = [*_split_code(file), *(s for s in _split_prose(file) if s.text.strip(_SEPARATOR_CHARACTERS))]
    return tuple(_add_contexts(sorted(statements, key=lambda s: s.line), file.doc))


def _add_contexts(statements: Iterable[Statement], doc: Document) -> Iterator[Statement]:
    """Add the context to each statement. All statements of a block have the same context."""
    levels = {h.line: h.level for h in doc.headings if h.line not in doc.quotes}
    numbered = {line for line, _ in doc.numbered}
    outer, rank, last = list[tuple[tuple[int, ...], Statement]](), (0, 0, 0), Statement("", -1, -1, "", "")
    for current in statements:
        if _starts_block(current, last, doc, levels):
            if has_lead_in := last.kind == PROSE and _LEAD_IN.search(last.text) is not None:
                outer.append(((1, rank[1], rank[2] + 1), last))
            rank = _get_rank(current, doc, levels)
            while outer and outer[-1][0] >= rank and not (has_lead_in and rank[2] == _LEAF_RANK):
                outer.pop()
            context = tuple(statement.text for _, statement in outer)
            if rank[2] == _ITEM_RANK:
                outer.append((rank, current))
            elif has_lead_in:
                outer.pop()
            ordered = any(statement.line in numbered for _, statement in outer)
        last = replace(
            current, kind=HEADING if current.line in levels else current.kind, context=context, ordered=ordered
        )
        yield last


def _starts_block(statement: Statement, last: Statement, doc: Document, levels: Mapping[int, int]) -> bool:
    if (fence := doc.fence_at(statement.line)) or doc.fence_at(last.line):
        return fence != doc.fence_at(last.line)
    needs_no_blank_line = is_item(doc.line(statement.line)) or statement.line in levels or last.line in levels
    return statement.line > last.end + (not needs_no_blank_line)


def _get_rank(statement: Statement, doc: Document, levels: Mapping[int, int]) -> tuple[int, int, int]:
    """Return the sort key of a block: the heading level, then the indentation.

    A new block ends all open blocks whose keys are not smaller than its own.
    """
    if statement.line in levels:
        return 0, levels[statement.line], _ITEM_RANK
    fence, line = doc.fence_at(statement.line), doc.line(statement.line)
    return (
        1,
        _get_indent(doc.line(fence.start) if fence else line),
        _ITEM_RANK if not fence and is_item(line) else _LEAF_RANK,
    )


def _split_prose(file: SkillFile) -> Iterator[Statement]:
    """Yield the sentences of prose, which may span several lines, and each heading or table row as one statement."""
    paragraph: list[tuple[int, str]] = []
    for number, line in (*file.doc.prose, (0, "")):
        begins = is_item(line) or line.lstrip().startswith(_SINGLE_LINE_PREFIXES)
        if paragraph and (
            begins or number != paragraph[-1][0] + 1 or paragraph[-1][1].lstrip().startswith(_SINGLE_LINE_PREFIXES)
        ):
            yield from _split_sentences(file.path, paragraph)
            paragraph = []
        paragraph.append((number, line))


def _split_sentences(path: str, paragraph: list[tuple[int, str]]) -> Iterator[Statement]:
    (first, line), *rest = paragraph
    item = strip_list_mark(line)
    checkbox = "[x] " if "[x]" in line[: len(line) - len(item)].lower() else ""
    text = "\n".join((checkbox + item, *(line for _, line in rest)))
    starts = list(accumulate((len(line_text) + 1 for line_text in text.split("\n")), initial=0))
    depth, end = _get_indent(line), 0
    is_whole = line.lstrip().startswith(_SINGLE_LINE_PREFIXES)
    for part in (text,) if is_whole else split_sentences(text):
        start = text.index(part, end)
        end = start + len(part)
        first_line, last_line = (first + bisect_right(starts, offset) - 1 for offset in (start, end - 1))
        yield Statement(path, first_line, last_line, " ".join(part.split()), PROSE, 0 if start else depth)


def _split_code(file: SkillFile) -> Iterator[Statement]:
    doc = file.doc
    continuation_lines = {number for code in file.codes for number in _find_continuation_lines(code)}
    if file.is_markdown:
        parts = [(FRONTMATTER, list(enumerate(doc.lines[: doc.body_start - 1], 1)))]
        parts += [(f"```{fence.lang}", doc.code(fence)) for fence in doc.fences]
        parts += [(COMMENT, [(n, doc.line(n)) for n in range(c.start, c.end + 1)]) for c in doc.comments]
    else:
        parts = [(file.path.rpartition(".")[2].lower(), list(enumerate(doc.lines, 1)))]
    for kind, lines in parts:
        for number, line in lines:
            kind_of_line = f"{kind}, a text" if number in continuation_lines else kind
            if line.strip(_SEPARATOR_CHARACTERS if kind == FRONTMATTER else None):
                yield Statement(file.path, number, number, line, kind_of_line)


def _find_continuation_lines(code: Code) -> Iterator[int]:
    """Yield the numbers of the lines that begin inside a multi-line comment or string."""
    if code.root.has_error:
        return
    for row in range(1, code.text.count("\n") + 1):
        node = code.root.descendant_for_point_range((row, 0), (row, 0))
        nodes = (node, *list_ancestors(node)) if node is not None else ()
        if any(outer.type in _TEXT_NODES and outer.start_point.row < row <= outer.end_point.row for outer in nodes):
            yield code.first + row


def _get_indent(line: str) -> int:
    line = line.expandtabs(4)
    return len(line) - len(line.lstrip())
