"""Define the facts of a text: what its lines ask for, forbid or name, for comparison with sessions."""

from enum import StrEnum

import msgspec


class FactKind(StrEnum):
    """The kinds of facts of a text."""

    COMMAND = "command"
    FILE = "file"
    IMPORT = "import"  # `@file`
    SKILL = "skill"
    AGENT = "agent"
    TOOL = "tool"  # a tool of Claude Code or an MCP server
    WORDS = "words"  # a sentence to say
    HEADING = "heading"  # a heading of a report template
    FIELD = "field"  # a field of a command's JSON output
    GATE = "gate"  # a point at which to wait for the user
    PROMPT = "prompt"  # a template for a sub-agent's prompt
    RULE = "rule"
    MESSAGE = "message"  # a rule for commit messages
    CHECK = "check"  # files to inspect, in order to choose which of the files below to read


Identity = tuple[str, str, bool]
"""Kind, form, and whether the fact is forbidden."""


class Fact(msgspec.Struct, frozen=True):
    """Something that a text asks for, forbids or names at `line` (counted from 1).

    `text` is the text as written, on one line. `form` is `text` without the parts that differ between uses. `key` is
    what a session must contain: the first words of a command, the path of a file, or a name. `step` is the position of
    the numbered step that contains the line, or 0 outside steps. `is_order` means that the text asks for the fact and
    does not only name it. `is_for_user` means that a template is for a message to the user, not for a file. `is_start`
    means that the fact must happen before the other work. `other_lines` are the other lines with the same fact.
    """

    kind: FactKind
    line: int
    text: str
    key: tuple[str, ...]
    form: str = ""
    step: int = 0
    is_order: bool = False
    is_for_user: bool = False
    is_start: bool = False
    is_conditional: bool = False
    is_forbidden: bool = False
    other_lines: tuple[int, ...] = ()

    @property
    def identity(self) -> Identity:
        """The identity of the fact. Facts with the same identity on different lines count as one fact."""
        return self.kind.value, self.form or self.text, self.is_forbidden

    @property
    def lines(self) -> tuple[int, ...]:
        """All lines that contain the fact."""
        return (self.line, *self.other_lines)
