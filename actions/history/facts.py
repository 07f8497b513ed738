"""Define what a text asks for at a line, so that a session can be compared with it."""

from dataclasses import dataclass
from enum import StrEnum


class FactKind(StrEnum):
    """The kinds of facts of a text."""

    COMMAND = "command"
    FILE = "file"
    IMPORT = "import"  # `@file`
    SKILL = "skill"
    AGENT = "agent"
    TOOL = "tool"  # of an MCP server
    FIELD = "field"  # of a command's JSON output
    GATE = "gate"  # wait for the user
    PROMPT = "prompt"  # a template of a sub-agent's prompt
    RULE = "rule"
    CHECK = "check"  # look into one of some files before the files below are chosen


Identity = tuple[str, str, bool]


@dataclass(frozen=True)
class Fact:
    """Something that a text asks for, or forbids, at `line`; lines count from 1.

    `text` is the words as written, in one line; `form` the same without what differs from use to use. `key` is what a
    session must show: the first words of a command, the path of a file, a name. `step` is the place of its numbered
    step among the steps of the text, 0 outside of them. `is_order`: the text says to do it, not only names it. `also`
    are further lines with the same fact.
    """

    kind: FactKind
    line: int
    text: str
    key: tuple[str, ...]
    form: str = ""
    step: int = 0
    is_order: bool = False
    is_conditional: bool = False
    is_forbidden: bool = False
    also: tuple[int, ...] = ()

    @property
    def identity(self) -> Identity:
        """What makes two facts the same, at whatever lines."""
        return self.kind.value, self.form or self.text, self.is_forbidden

    @property
    def lines(self) -> tuple[int, ...]:
        """All its lines."""
        return (self.line, *self.also)
