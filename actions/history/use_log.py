"""Write a use of a text as numbered records for a model to read."""

from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

from actions.history.uses import Use
from actions.session.digest import format_input
from actions.session.judge import remove_colours
from actions.session.redaction import redact
from actions.session.transcript import Kind, Step
from actions.session.transcript_parse import shorten_report

LIMIT = 160_000
"""Maximum number of characters of a log (about 40,000 tokens)."""
_LENGTHS = (24_000, 12_000, 6_000, 3_600, 2_400, 1_600, 1_000, 600, 300, 120)
"""Maximum numbers of characters of one record; the first with which all records fit is used. It should be high, because
the documents that a run writes are compared with the text's templates."""
_SHARE_OF_RESULT = 0.5
"""The share of the maximum length that a result gets."""
_OF_RESULT, _OF_REPORT = 1_600, 6_000
"""Maximum numbers of characters of a result, and of a sub-agent's report or a file of the text."""
_OF_AGENT, _OF_CLAUDE_CODE, _OF_EARLIER, _OF_GIVEN = 200, 300, 150, 1_200
"""Maximum characters of a sub-agent's record, a message by Claude Code, a call before the use, and a text that Claude
Code put into the context."""
_REPORTS = ("Agent", "Task", "Read")
"""The tools whose results are reports or files of the text."""
_MESSAGES, _CALLS = 3, 20
"""Maximum numbers of user messages, and of calls, from before the use."""
_WHO = {
    Kind.PROMPT: "user", Kind.META: "Claude Code", Kind.INTERRUPT: "user, interrupting", Kind.SUMMARY: "summary",
    Kind.ANSWER: "assistant", Kind.ERROR: "API error",
}  # fmt: skip


def write_log(use: Use, limit: int = LIMIT) -> str:
    """Return the records of a use, in order and numbered from 1; secrets are hidden.

    To make all records fit, the middle of long records is left out. If they still do not fit, the middle records are
    left out.
    """
    records = sorted(_list_records(use), key=lambda one: one.place)
    for length in _LENGTHS:
        texts = [one.write(length) for one in records]
        if sum(map(len, texts)) + len(texts) <= limit:
            return "\n".join(texts)
    half = limit // 2 // (sum(map(len, texts)) // len(texts) + 2)
    left_out = f"[… {len(texts) - 2 * half} records left out …]"
    return "\n".join((*texts[:half], left_out, *texts[-half:]))[: 2 * limit]


class _Record(NamedTuple):
    """A record: its place in the order, its name, author and text, and its maximum number of characters."""

    place: float
    name: str
    who: str
    text: str
    most: int = _LENGTHS[0]
    share: float = 1

    def write(self, length: int) -> str:
        """Return the record as text of at most about `length` characters. A long record keeps its headings."""
        text = shorten_report(remove_colours(self.text), min(int(length * self.share), self.most))
        return redact(f"[{self.name}] {self.who}: {text}")


def _list_records(use: Use) -> Iterator[_Record]:
    transcript, start = use.transcript, use.load.record
    if not use.load.agent:
        earlier = (message for message in reversed(transcript.prompts) if message.record < start)
        yield from (_Record(m.record, _number(m.record), "user", m.text) for m in islice(earlier, _MESSAGES))
        calls = (call for call in reversed(transcript.calls) if call.record < start and call.agent == use.agent)
        for call in islice(calls, _CALLS):
            yield _Record(call.record, _number(call.record), call.name, format_input(call), _OF_EARLIER)
    given = f" with: {use.load.arguments}" if use.load.arguments else ""
    place = -1 if use.load.agent else start
    yield _Record(place, "start" if use.load.agent else _number(start), "Claude Code", f"(the text is loaded{given})")
    for message in use.messages:
        if use.load.agent or message.record != start or message.kind is not Kind.META:
            most = _OF_CLAUDE_CODE if message.kind is Kind.META else _LENGTHS[0]
            yield _Record(message.record, _number(message.record), _WHO[message.kind], message.text, most)
    for words in transcript.queued if not use.load.agent else ():
        if start < words.record < use.end:
            yield _Record(words.record, _number(words.record), "user, while the agent worked", words.text)
    for added in transcript.given if not use.load.agent else ():
        if added.record < use.end:
            text = f"(put into the context, {added.source or 'by a hook'}) {added.text}"
            yield _Record(added.record, _number(added.record), "Claude Code", text, _OF_GIVEN)
    for compaction in use.compactions:
        yield _Record(compaction.record, _number(compaction.record), "Claude Code", "(the context was compacted)")
    yield from _list_steps(use)


def _list_steps(use: Use) -> Iterator[_Record]:
    """Yield the calls and results. A sub-agent's calls and results come just before the call that started it."""
    waiting: list[Step] = []
    for step in use.steps:
        if step.call.agent != use.agent:
            waiting.append(step)
            continue
        yield from (replaced for one in waiting for replaced in _write_step(one, step.call.record - 0.5))
        waiting = []
        yield from _write_step(step)
    yield from (replaced for one in waiting for replaced in _write_step(one, use.end))


def _write_step(step: Step, place: float | None = None) -> Iterator[_Record]:
    """Yield a call and its result. `place` is set for calls of sub-agents, whose records are numbered separately."""
    call, result = step
    name, most = (f" of agent {call.agent}", _OF_AGENT) if place is not None else ("", _LENGTHS[0])
    at = call.record if place is None else place
    yield _Record(at, f"{_number(call.record)}{name}", call.name, format_input(call), most)
    if result is not None:
        at = result.record if place is None else place
        mark = "refused" if result.refused else "error" if result.error else "result"
        text = result.text or "(not recorded here)"
        most = min(most, _OF_REPORT if call.name in _REPORTS else _OF_RESULT)
        yield _Record(at, f"{_number(result.record)}{name}", mark, text, most, _SHARE_OF_RESULT)


def _number(record: int) -> str:
    return str(record + 1)
