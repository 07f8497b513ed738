"""Write a session as numbered records for a judge, up to a maximum size and without secrets."""

from collections.abc import Callable

from actions.session.record_text import show_value, write_record
from actions.session.transcript import Call, Kind, Transcript
from actions.session.transcript_parse import shorten_middle

MAX_DIGEST = 120_000
"""Maximum number of characters of a digest (about 30,000 tokens)."""
MAX_RECORD, WHOLE_RECORDS = 600, 20
"""Maximum length of older records in characters, and number of newest records that are not shortened."""
_AUTHORS = {Kind.PROMPT: "user", Kind.META: "system", Kind.INTERRUPT: "user", Kind.SUMMARY: "summary",
        Kind.ANSWER: "assistant", Kind.ERROR: "api error"}  # fmt: skip


def write_digest(transcript: Transcript, limit: int = MAX_DIGEST) -> str:
    """Return the records of a transcript as text, oldest first.

    If the text would exceed `limit` characters, the records in the middle are left out.
    """
    records = sorted(_list_records(transcript), key=lambda record: record[0])
    first_whole = len(records) - WHOLE_RECORDS

    def write(n: int) -> str:
        number, author, content = records[n]
        text = content if isinstance(content, str) else format_input(content)
        return write_record(number, author, text if n >= first_whole else shorten_middle(text, MAX_RECORD))

    head, tail = _write_to_fit(write, len(records), limit)
    left_out = len(records) - len(head) - len(tail)
    return "\n".join([*head, *([f"[… {left_out} records left out …]"] if left_out else []), *tail])


def _write_to_fit(write: Callable[[int], str], count: int, limit: int) -> tuple[list[str], list[str]]:
    """Write the first records (head) and the last records (tail) that fit. The tail has twice as many as the head.

    Records between them are not written, because it takes long to find the secrets in a text.
    """
    head: list[str] = []
    tail: list[str] = []
    size = 0
    for number in range(count):
        is_head = number % 3 == 2
        text = write(len(head) if is_head else count - 1 - len(tail))
        size += len(text) + 1
        if size > limit:
            break
        (head if is_head else tail).append(text)
    return head, tail[::-1]


def _list_records(transcript: Transcript) -> list[tuple[int, str, str | Call]]:
    """Return the number, the author and the text of each message, result and compaction, and each call as it is."""
    records: list[tuple[int, str, str | Call]] = [
        (message.record, _AUTHORS[message.kind], message.text) for message in transcript.messages
    ]
    for call, result in transcript.steps:
        author = f"sub-agent {call.agent}, " if call.agent else ""
        records.append((call.record, f"{author}{call.name}", call))
        if result is not None:
            outcome = " refused" if result.is_refused else " error" if result.is_error else ""
            records.append((result.record, f"{author}result{outcome}", result.text))
    records += [(compaction.record, "compaction", compaction.summary) for compaction in transcript.compactions]
    return records


def format_input(call: Call) -> str:
    """Return the input of a tool call as text, without secrets.

    They are hidden before the values are formatted, because a form may end at a newline or a quote, which is escaped
    in the text.
    """
    return "; ".join(f"{key}={show_value(value)!r}" for key, value in call.input.items())
