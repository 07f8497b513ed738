"""Find the uses of a text in recorded sessions: the records that loaded it, and the steps that followed."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property, lru_cache

import msgspec
from msgspec.structs import replace

from actions.case import Case
from actions.grouping import group_by_key
from actions.history.facts import Fact, Identity
from actions.history.line_map import map_lines
from actions.history.text_facts import parse_facts
from actions.memo import memoize, memoize_all
from actions.session.names import name_sessions
from actions.session.redaction import redact
from actions.session.transcript import Compaction, Load, Message, Quote, Step, Transcript
from actions.skill.skill import SkillFile
from schemas.vocabulary import UnitKind

_MAX_SEARCHED, _MAX_QUOTED, _MAX_SHORT_LINE = 20_000, 300, 12
"""Maximum numbers of characters to search for secrets, of a quote, and of a line that is too short to compare.

Secrets are hidden before a quote is shortened, because a part of a secret is not recognized.
"""
_MIN_SHARED = 0.25
"""Minimum share of the shorter text's lines that two versions of a text have in common."""


class Use(msgspec.Struct, frozen=True, eq=False, dict=True):
    """One use of a text in a session, from its loading to the next use of the same text, or to the end.

    `name` is the session's short, unique name. `end` is the first record after the use. `facts` are the facts of the
    text as loaded.
    """

    transcript: Transcript
    session: str
    name: str
    load: Load
    end: int
    steps: Sequence[Step]
    facts: Sequence[Fact]

    @property
    def file(self) -> SkillFile:
        """The text as loaded."""
        return _build_file(self.load.text)

    @property
    def agent(self) -> str:
        """The sub-agent that loaded the text or that the text defines, or "" for the main agent."""
        return self.load.agent or self.transcript.agent

    @cached_property
    def version(self) -> str:
        """The version of Claude Code when the text was loaded, or ""."""
        versions = reversed(self.transcript.versions)
        return next((version for record, version in versions if record <= self.load.record), "")

    @cached_property
    def compactions(self) -> tuple[Compaction, ...]:
        """The compactions during the use. The compactions of a sub-agent are unknown."""
        if self.load.agent:
            return ()
        return tuple(c for c in self.transcript.compactions if self.load.record < c.record < self.end)

    @property
    def opening(self) -> Quote:
        """The record in which the text was loaded or the sub-agent was started."""
        return Quote(self.load.record, "", self.transcript.agent)

    @cached_property
    def messages(self) -> tuple[Message, ...]:
        """The messages during the use, or () if the transcript of its sub-agent is missing."""
        if self.load.agent:
            return next((agent.messages for agent in self.transcript.agents if agent.agent == self.load.agent), ())
        inside = range(self.load.record, self.end)
        return tuple(message for message in self.transcript.messages if message.record in inside)

    def quote(self, step: Step, words: str = "") -> Quote:
        """Return a redacted quote: the `words` of a step's result or, without them, the step's first input."""
        record = step.result.record if words and step.result else step.call.record
        inputs = (value for value in step.call.input.values() if isinstance(value, str))
        text = redact((words or next(inputs, step.call.name))[:_MAX_SEARCHED])[:_MAX_QUOTED]
        return Quote(record, text, step.call.agent)


@memoize_all
def find_uses(case: Case) -> Iterator[Use]:
    """Yield the uses of the case's text in its sessions.

    Copies and continuations of a session, which have the same start time and many of the same calls, are skipped.
    """
    names = name_sessions(session.session_id for session in case.sessions)
    seen: set[tuple[str, str]] = set()
    for session in sorted(case.sessions, key=lambda session: -len(session.calls)):
        ids = {(session.began, call.id) for call in session.calls if not call.id.startswith("record ")}
        if ids and len(ids & seen) * 2 > len(ids):
            continue
        seen |= ids
        for transcript in (session, *session.agents):
            yield from _find_uses_in(case, transcript, session.session_id, names[session.session_id])


def _find_uses_in(case: Case, transcript: Transcript, session: str, name: str) -> Iterator[Use]:
    loads = [load for load in transcript.loads if not load.is_reattached and _is_version_of_case(case, load)]
    ends = [load.record for load in loads[1:]]
    for load, end in zip(loads, [*ends, transcript.records], strict=False):
        facts = parse_facts(_build_file(load.text))
        if load.agent:
            steps = tuple(step for step in transcript.steps if step.call.agent == load.agent)
            yield Use(transcript, session, name, load, transcript.records, steps, facts)
        else:
            yield Use(transcript, session, name, load, end, tuple(_select_steps(transcript, load.record, end)), facts)


def _select_steps(transcript: Transcript, start: int, end: int) -> Iterator[Step]:
    """Yield the steps between two records, with the steps of the sub-agents that were started there."""
    separate_agents = {agent.agent for agent in transcript.agents}  # they have their own files and records
    inner_steps: list[Step] = []
    for step in transcript.steps:
        if step.call.agent in separate_agents:
            inner_steps.append(step)
            continue
        if start <= step.call.record < end:
            yield from inner_steps
            yield step
        inner_steps = []


def _is_version_of_case(case: Case, load: Load) -> bool:
    """Return whether a loaded text has the name or folder of the case's text, and many equal lines."""
    skill = case.skill
    names = {name.rpartition(":")[2] for name in (skill.name, skill.folder, case.unit.name)}
    folder = load.folder.rstrip("/").rpartition("/")[2]
    if (load.folder and skill.kind is not UnitKind.SKILL) or bool(load.agent) != (skill.kind is UnitKind.AGENT):
        return False
    if not names & {load.name.rpartition(":")[2], folder}:
        return False
    return _are_similar(load.text, skill.main.text)


@lru_cache(maxsize=256)
def _are_similar(loaded: str, current: str) -> bool:
    """Return whether the current text contains a loaded text, or the two share enough lines."""
    old, new = (
        {line.strip() for line in text.split("\n") if len(line) > _MAX_SHORT_LINE} for text in (loaded, current)
    )
    return loaded.strip() in current or len(old & new) > _MIN_SHARED * min(len(old), len(new))


@lru_cache(maxsize=64)
def _build_file(text: str) -> SkillFile:
    return SkillFile("loaded.md", text.encode("utf-8", "replace"))


def find_current_fact(fact: Fact, loaded: str, current: SkillFile) -> Fact | None:
    """Return the fact in the current text that corresponds to a fact in a loaded text, or None."""
    facts = _group_facts(current).get(fact.identity)
    if not facts:
        return None
    mapped = map_lines(loaded, current.text)
    lines = {line for current_fact in facts for line in current_fact.lines}
    line = next((mapped[line] for line in fact.lines if mapped.get(line) in lines), facts[0].line)
    return replace(facts[0], line=line, other_lines=tuple(sorted(lines - {line})))


@memoize
def _group_facts(file: SkillFile) -> Mapping[Identity, Sequence[Fact]]:
    return group_by_key((fact.identity, fact) for fact in parse_facts(file))


def order_by_time(uses: Iterable[Use]) -> list[Use]:
    """Sort uses, oldest first."""
    return sorted(uses, key=lambda use: (use.transcript.began, use.session, use.load.record))
