"""Format a use of a text as a log of numbered records for a model."""

from collections.abc import Iterator
from itertools import accumulate, islice
from typing import NamedTuple

from actions.history.uses import Use
from actions.session.digest import format_input
from actions.session.record_text import remove_colours, write_record
from actions.session.transcript import Kind, Step
from actions.session.transcript_parse import shorten_report

LIMIT = 160_000
"""Maximum number of characters of a log (about 40,000 tokens)."""
_RECORD_LIMITS = (24_000, 12_000, 6_000, 3_600, 2_400, 1_600, 1_000, 600, 300, 120)
"""Maximum numbers of characters of a record in the second half of the log, tried until all records fit.

The first limits are large because the documents that a run writes are compared with the text's templates.
"""
_RESULT_SHARE = 0.5
"""Maximum length of a result, as a fraction of the maximum length of other records."""
_MAX_RESULT, _MAX_REPORT = 1_600, 6_000
"""Maximum numbers of characters of a result, and of a sub-agent's report or a file of the text."""
_MAX_AGENT_RECORD, _MAX_META_MESSAGE, _MAX_EARLIER_CALL, _MAX_CONTEXT_TEXT = 200, 300, 150, 1_200
"""Maximum numbers of characters of other records.

These are records of sub-agents, messages of Claude Code, calls before the use, and texts that Claude Code put into the
context.
"""
_REPORT_TOOLS = ("Agent", "Task", "Read")
"""Tools whose results are sub-agents' reports or the contents of files."""
_MAX_EARLIER_MESSAGES, _MAX_EARLIER_CALLS = 3, 20
"""Maximum numbers of user messages, and of calls, from before the use."""
_AUTHORS = {
    Kind.PROMPT: "user", Kind.META: "Claude Code", Kind.INTERRUPT: "user, interrupting", Kind.SUMMARY: "summary",
    Kind.ANSWER: "assistant", Kind.ERROR: "API error",
}  # fmt: skip


def format_log(use: Use, limit: int = LIMIT) -> str:
    """Return the records of a use, numbered from 1, in about `limit` characters and with secrets hidden.

    To make all records fit, the middle of long records is left out, except in the first half of the log, where a run
    carries out most of the text. If they still do not fit, the middle records are left out.
    """
    records = sorted(_list_records(use), key=lambda record: record.position)
    texts = [record.write(_RECORD_LIMITS[0]) for record in records]
    first = sum(end <= limit // 2 for end in accumulate(len(text) + 1 for text in texts))
    for length in _RECORD_LIMITS:
        texts[first:] = (record.write(length) for record in records[first:])
        if sum(map(len, texts)) + len(texts) <= limit:
            return "\n".join(texts)
    texts = [record.write(_RECORD_LIMITS[-1]) for record in records]
    half = limit // 2 // (sum(map(len, texts)) // len(texts) + 2)
    left_out = f"[… {len(texts) - 2 * half} records left out …]"
    return "\n".join((*texts[:half], left_out, *texts[-half:]))[: 2 * limit]


class _Record(NamedTuple):
    """A record of the log. Records are sorted by `position`.

    `limit` is the maximum number of characters of the record. The common maximum of all records is multiplied by
    `share`.
    """

    position: float
    name: str
    author: str
    text: str
    limit: int = _RECORD_LIMITS[0]
    share: float = 1

    def write(self, length: int) -> str:
        """Return the record in about `length` characters. The headings of a long record are kept."""
        text = shorten_report(remove_colours(self.text), min(int(length * self.share), self.limit))
        return write_record(self.name, self.author, text)


def _list_records(use: Use) -> Iterator[_Record]:
    """Yield the records of a use and, unless a sub-agent loaded the text, the last messages and calls before it."""
    transcript, start = use.transcript, use.load.record
    if not use.load.agent:
        earlier = (message for message in reversed(transcript.prompts) if message.record < start)
        yield from (
            _Record(m.record, _format_number(m.record), "user", m.text) for m in islice(earlier, _MAX_EARLIER_MESSAGES)
        )
        calls = (call for call in reversed(transcript.calls) if call.record < start and call.agent == use.agent)
        for call in islice(calls, _MAX_EARLIER_CALLS):
            yield _Record(call.record, _format_number(call.record), call.name, format_input(call), _MAX_EARLIER_CALL)
    arguments = f" with: {use.load.arguments}" if use.load.arguments else ""
    position, name = (-1, "start") if use.load.agent else (start, _format_number(start))
    yield _Record(position, name, "Claude Code", f"(the text is loaded{arguments})")
    for message in use.messages:
        if use.load.agent or message.record != start or message.kind is not Kind.META:
            limit = _MAX_META_MESSAGE if message.kind is Kind.META else _RECORD_LIMITS[0]
            yield _Record(message.record, _format_number(message.record), _AUTHORS[message.kind], message.text, limit)
    for queued in transcript.queued if not use.load.agent else ():
        if start < queued.record < use.end:
            yield _Record(queued.record, _format_number(queued.record), "user, while the agent worked", queued.text)
    for added in transcript.added_texts if not use.load.agent else ():
        if added.record < use.end:
            text = f"(put into the context, {added.source or 'by a hook'}) {added.text}"
            yield _Record(added.record, _format_number(added.record), "Claude Code", text, _MAX_CONTEXT_TEXT)
    for compaction in use.compactions:
        yield _Record(
            compaction.record, _format_number(compaction.record), "Claude Code", "(the context was compacted)"
        )
    yield from _list_all_step_records(use)


def _list_all_step_records(use: Use) -> Iterator[_Record]:
    """Yield the calls and results. Those of a sub-agent come just before the call that started it."""
    inner_steps: list[Step] = []
    for step in use.steps:
        if step.call.agent != use.agent:
            inner_steps.append(step)
            continue
        yield from (record for inner in inner_steps for record in _list_step_records(inner, step.call.record - 0.5))
        inner_steps = []
        yield from _list_step_records(step)
    yield from (record for inner in inner_steps for record in _list_step_records(inner, use.end))


def _list_step_records(step: Step, agent_position: float | None = None) -> Iterator[_Record]:
    """Yield a call and its result. `agent_position` is their position if a sub-agent made the call.

    The records of a sub-agent are numbered separately, so that their numbers are not their positions in the session.
    """
    call, result = step
    is_main = agent_position is None
    name, limit = ("", _RECORD_LIMITS[0]) if is_main else (f" of agent {call.agent}", _MAX_AGENT_RECORD)
    position = call.record if agent_position is None else agent_position
    yield _Record(position, f"{_format_number(call.record)}{name}", call.name, format_input(call), limit)
    if result is not None:
        position = result.record if agent_position is None else agent_position
        label = "refused" if result.is_refused else "error" if result.is_error else "result"
        text = result.text or "(not recorded here)"
        limit = min(limit, _MAX_REPORT if call.name in _REPORT_TOOLS else _MAX_RESULT)
        yield _Record(position, f"{_format_number(result.record)}{name}", label, text, limit, _RESULT_SHARE)


def _format_number(record: int) -> str:
    return str(record + 1)
