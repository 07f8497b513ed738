"""Write a session as text for a judge: numbered records, up to a maximum size."""

from actions.session.transcript import Call, Kind, Transcript
from actions.session.transcript_parse import shorten_middle

LIMIT = 120_000
"""Maximum number of characters of a digest (about 30,000 tokens)."""
RECORD, NEWEST = 600, 20
"""Maximum number of characters of one record, and number of newest records that are kept whole."""
_AUTHORS = {Kind.PROMPT: "user", Kind.META: "system", Kind.INTERRUPT: "user", Kind.SUMMARY: "summary",
        Kind.ANSWER: "assistant", Kind.ERROR: "api error"}  # fmt: skip


def digest(transcript: Transcript, limit: int = LIMIT) -> str:
    """Return the records as text, oldest first. If they do not fit, the middle ones are left out."""
    records = sorted(_list_records(transcript), key=lambda record: record[0])
    whole = len(records) - NEWEST
    texts = [text if index >= whole else shorten_middle(text, RECORD) for index, (_, text) in enumerate(records)]
    head, tail = _split_to_fit(texts, limit)
    left_out = [f"[… {tail - head} records left out …]"] if head < tail else []
    return "\n".join([*texts[:head], *left_out, *texts[tail:]])


def _split_to_fit(texts: list[str], limit: int) -> tuple[int, int]:
    """Return where the kept head ends and the kept tail starts. The tail gets twice as many texts as the head."""
    head, tail, size = 0, len(texts), 0
    for number in range(len(texts)):
        from_head = number % 3 == 2
        size += len(texts[head if from_head else tail - 1]) + 1
        if size > limit:
            break
        head, tail = (head + 1, tail) if from_head else (head, tail - 1)
    return head, tail


def _list_records(transcript: Transcript) -> list[tuple[int, str]]:
    found = [
        (message.record, f"[{message.record}] {_AUTHORS[message.kind]}: {message.text}")
        for message in transcript.messages
    ]
    for call, result in transcript.steps:
        author = f"sub-agent {call.agent}, " if call.agent else ""
        found.append((call.record, f"[{call.record}] {author}{call.name}: {format_input(call)}"))
        if result is not None:
            outcome = " refused" if result.refused else " error" if result.error else ""
            found.append((result.record, f"[{result.record}] {author}result{outcome}: {result.text}"))
    found += [
        (compaction.record, f"[{compaction.record}] compaction: {compaction.summary}")
        for compaction in transcript.compactions
    ]
    return found


def format_input(call: Call) -> str:
    """Return the input of a tool call as text."""
    return "; ".join(f"{key}={value!r}" for key, value in call.input.items())
