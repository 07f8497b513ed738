"""Define the parts of a Markdown file. Lines count from 1; `start` and `end` are inclusive.

A skill has thousands of these objects. They cannot form reference cycles, so they need no garbage collection
(`gc=False`).
"""

import msgspec

_SHELL_LANGUAGES = frozenset({"bash", "sh", "shell", "zsh", "console", "shell-session", "terminal"})


class Fence(msgspec.Struct, frozen=True, gc=False):
    """A fenced block. `start` and `end` are the lines that contain the fence marks."""

    start: int
    end: int
    lang: str
    closed: bool

    @property
    def is_shell(self) -> bool:
        """Whether the fence contains shell commands."""
        return self.lang.lower() in _SHELL_LANGUAGES


class Heading(msgspec.Struct, frozen=True, gc=False):
    """A heading, with its text without markup."""

    line: int
    level: int
    title: str


class Section(msgspec.Struct, frozen=True, gc=False):
    """A heading and the text under it, with subsections. Level 0 is the text before the first heading."""

    title: str
    level: int
    start: int
    end: int


class Comment(msgspec.Struct, frozen=True, gc=False):
    """An HTML comment that is a separate block."""

    start: int
    end: int
    text: str


class Link(msgspec.Struct, frozen=True, gc=False):
    """A link or an image. Autolinks are not included."""

    line: int
    url: str
    text: str


class Span(msgspec.Struct, frozen=True, gc=False):
    """A code span in prose."""

    line: int
    text: str


class Row(msgspec.Struct, frozen=True, gc=False):
    """A table row, with the text of its cells without markup."""

    line: int
    cells: tuple[str, ...]
    is_head: bool


class Block(msgspec.Struct, frozen=True, gc=False):
    """A paragraph, item, heading, code block or table. `text` has no markup and is on one line."""

    kind: str
    start: int
    end: int
    text: str
