"""Define a recorded Claude Code session. Records are the lines of its file, numbered from 0."""

from collections.abc import Iterable, Mapping
from enum import StrEnum
from functools import cached_property
from itertools import chain, repeat
from operator import attrgetter
from typing import Any, NamedTuple

import msgspec

from actions.session.todos import Todo


class Kind(StrEnum):
    """The kind of a message, by its author."""

    PROMPT = "prompt"  # the user
    META = "meta"  # Claude Code, in the role of the user: skill texts, command output, hook feedback
    INTERRUPT = "interrupt"  # the user stopped the turn
    SUMMARY = "summary"  # the summary of a compaction
    ANSWER = "answer"  # the assistant
    ERROR = "error"  # the API, in the role of the assistant


class Message(msgspec.Struct, frozen=True, gc=False):
    """A message, and the number of its record. The middle of a long `text` is cut."""

    record: int
    kind: Kind
    text: str


class Quote(NamedTuple):
    """A quote from a record. `agent` is the sub-agent whose transcript contains the record, "" for the main agent."""

    record: int
    quote: str
    agent: str = ""


class Call(msgspec.Struct, frozen=True, gc=False):
    """A tool call. `input` is untrusted: any JSON object. `agent` is "" for the main agent."""

    record: int
    id: str
    name: str
    input: Mapping[str, Any]
    agent: str = ""

    def get(self, key: str) -> str:
        """Return the value of a key in the input, or "" if it is missing or not a string."""
        value = self.input.get(key)
        return value if isinstance(value, str) else ""


class Result(msgspec.Struct, frozen=True, gc=False):
    """The result of a tool call. `text` is "" for tools whose output no check reads (Read, Grep …).

    `is_refused` is true if the user or a permission rule refused the call, so that it did not run (not a failure).
    `replaced` is the old text of a file that was overwritten.
    """

    record: int
    text: str
    is_error: bool = False
    is_refused: bool = False
    replaced: str = ""


class Step(NamedTuple):
    """A tool call with its result, if there is one."""

    call: Call
    result: Result | None


class Load(NamedTuple):
    """The text of a skill or a command as the session loaded it.

    `name` is the name by which it was called, or "" if only the folder is known. `folder` is "" for a command.
    `is_reattached` is true if Claude Code attached it again after a compaction, perhaps truncated. For the definition
    of a sub-agent, `agent` is the id of the sub-agent, `record` is the call that started it, and `arguments` is its
    task.
    """

    record: int
    name: str
    folder: str
    text: str
    is_reattached: bool = False
    arguments: str = ""
    agent: str = ""


class AddedText(NamedTuple):
    """Text that Claude Code added to the context from a hook, a memory file or a file that the user mentioned.

    `source` is the event of the hook or the path of the file. The middle of a long `text` is cut, except its headings.
    """

    record: int
    source: str
    text: str


class QueuedMessage(NamedTuple):
    """A message that the user wrote while the agent was working."""

    record: int
    text: str


class Compaction(NamedTuple):
    """A compaction: a summary replaced the conversation.

    `todos` is the todo list before it. `at` is its timestamp, or "" if it is unknown.
    """

    record: int
    trigger: str
    pre_tokens: int
    todos: tuple[Todo, ...]
    summary: str = ""
    at: str = ""


class Usage(msgspec.Struct, frozen=True):
    """Token counts. Each message id is counted once."""

    input: int = 0
    output: int = 0
    cache_write: int = 0
    cache_read: int = 0

    @property
    def uncached_tokens(self) -> int:
        """The tokens that were not read from the cache."""
        return self.input + self.output + self.cache_write


class SkippedLines(msgspec.Struct, frozen=True):
    """The numbers of skipped lines.

    `unknown` has the lines of unknown record types, by type. `broken` lines are invalid, `oversized` lines too long.
    `dropped` counts the oldest messages and calls, which were dropped to limit memory.
    """

    unknown: Mapping[str, int] = msgspec.field(default_factory=dict)
    broken: int = 0
    oversized: int = 0
    dropped: int = 0


class Transcript(msgspec.Struct, frozen=True, dict=True):
    """A session, or the transcript of one sub-agent (`agent`). `began` and `ended` are timestamps, or "".

    `versions` are the versions of Claude Code and `skills` the skills that were used, each with its first record.
    `is_headless` is true if there was no user.
    """

    session_id: str = ""
    agent: str = ""
    cwd: str = ""
    began: str = ""
    ended: str = ""
    records: int = 0
    messages: tuple[Message, ...] = ()
    calls: tuple[Call, ...] = ()
    results: Mapping[str, Result] = msgspec.field(default_factory=dict)
    todos: tuple[Todo, ...] = ()
    compactions: tuple[Compaction, ...] = ()
    skills: Mapping[str, int] = msgspec.field(default_factory=dict)
    usage: Usage = Usage()
    skipped: SkippedLines = SkippedLines()
    agents: tuple["Transcript", ...] = ()
    branches: tuple[tuple[int, str], ...] = ()
    """The git branches that were checked out, as (first record, branch)."""
    loads: tuple[Load, ...] = ()
    queued: tuple[QueuedMessage, ...] = ()
    added_texts: tuple[AddedText, ...] = ()
    versions: tuple[tuple[int, str], ...] = ()
    is_headless: bool = False

    def find_branch(self, record: int) -> str:
        """Return the git branch at a record, or "" if it is unknown."""
        return next((branch for since, branch in reversed(self.branches) if since <= record), "")

    @property
    def date(self) -> str:
        """The day of the first record (UTC, YYYY-MM-DD), or ""."""
        return self.began[:10]

    @cached_property
    def steps(self) -> tuple[Step, ...]:
        """All tool calls in order. The calls of a sub-agent precede the call that started it."""
        results = map(self.results.get, map(attrgetter("id"), self.calls))
        # like `Step._make` for each pair, but faster
        own_steps = list(map(tuple.__new__, repeat(Step), zip(self.calls, results, strict=True)))
        if not self.agents:
            return tuple(own_steps)
        agent_steps = {agent.agent: agent.steps for agent in self.agents}
        merged = [merged_step for step in own_steps for merged_step in (*_take_agent_steps(step, agent_steps), step)]
        return (*merged, *chain.from_iterable(agent_steps.values()))

    @property
    def tokens(self) -> int:
        """The number of uncached tokens, including those of sub-agents."""
        return self.usage.uncached_tokens + sum(agent.tokens for agent in self.agents)

    @cached_property
    def prompts(self) -> tuple[Message, ...]:
        """The messages of the user."""
        return tuple(message for message in self.messages if message.kind is Kind.PROMPT)


def find_started_agent(step: Step, agents: Iterable[str]) -> str | None:
    """Return the id of the sub-agent in `agents` that a call started, or None if it started none of them."""
    if step.call.name not in ("Task", "Agent") or step.result is None:
        return None
    return next((name for name in agents if name in step.result.text), None)


def _take_agent_steps(step: Step, agent_steps: dict[str, tuple[Step, ...]]) -> tuple[Step, ...]:
    """Remove the steps of the sub-agent that a call started from `agent_steps`, and return them."""
    id = find_started_agent(step, agent_steps)
    return agent_steps.pop(id) if id else ()
