"""The parts of a Markdown file. Lines count from 1, both ends included."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Fence:
    """A fenced block: `start` and `end` are the lines of the fence marks themselves."""

    start: int
    end: int
    lang: str
    closed: bool


@dataclass(frozen=True)
class Heading:
    """A heading, its text without markup."""

    line: int
    level: int
    title: str


@dataclass(frozen=True)
class Section:
    """A heading and all that stands under it, subsections included. Level 0 is the text before the first."""

    title: str
    level: int
    start: int
    end: int


@dataclass(frozen=True)
class Comment:
    """An HTML comment that is a block of its own."""

    start: int
    end: int
    text: str


@dataclass(frozen=True)
class Link:
    """A link or an image as it is written; autolinks are none."""

    line: int
    url: str
    text: str


@dataclass(frozen=True)
class Span:
    """A code span in prose."""

    line: int
    text: str


@dataclass(frozen=True)
class Row:
    """A row of a table: the text of its cells, without markup."""

    line: int
    cells: tuple[str, ...]
    is_head: bool


@dataclass(frozen=True)
class Block:
    """A leaf of the text: paragraph, item, heading, code or table, with its text without markup in one line."""

    kind: str
    start: int
    end: int
    text: str
