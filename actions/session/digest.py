"""Write a session as numbered records for a judge, up to a maximum size."""

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
    texts = [text if n >= first_whole else shorten_middle(text, MAX_RECORD) for n, (_, text) in enumerate(records)]
    head, tail = _split_to_fit(texts, limit)
    left_out = [f"[… {tail - head} records left out …]"] if head < tail else []
    return "\n".join([*texts[:head], *left_out, *texts[tail:]])


def _split_to_fit(texts: list[str], limit: int) -> tuple[int, int]:
    """Choose which texts to keep at the beginning (head) and at the end (tail).

    Returns two indexes: the first index after the head, and the first index of the tail. The tail has twice as many
    texts as the head.
    """
    head, tail, size = 0, len(texts), 0
    for number in range(len(texts)):
        from_head = number % 3 == 2
        size += len(texts[head if from_head else tail - 1]) + 1
        if size > limit:
            break
        head, tail = (head + 1, tail) if from_head else (head, tail - 1)
    return head, tail


def _list_records(transcript: Transcript) -> list[tuple[int, str]]:
    """Return the number and the text of each message, call, result and compaction."""
    records = [
        (message.record, f"[{message.record}] {_AUTHORS[message.kind]}: {message.text}")
        for message in transcript.messages
    ]
    for call, result in transcript.steps:
        author = f"sub-agent {call.agent}, " if call.agent else ""
        records.append((call.record, f"[{call.record}] {author}{call.name}: {format_input(call)}"))
        if result is not None:
            outcome = " refused" if result.is_refused else " error" if result.is_error else ""
            records.append((result.record, f"[{result.record}] {author}result{outcome}: {result.text}"))
    records += [
        (compaction.record, f"[{compaction.record}] compaction: {compaction.summary}")
        for compaction in transcript.compactions
    ]
    return records


def format_input(call: Call) -> str:
    """Return the input of a tool call as text."""
    return "; ".join(f"{key}={value!r}" for key, value in call.input.items())
