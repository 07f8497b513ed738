"""Read the drives (from a prompt to the stop) of a transcript: prompt, tool calls, files and answer."""

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec

from actions.session.transcript import Kind, Usage
from actions.session.transcript_parse import parse_transcript
from actions.session.transcript_record import Line
from orchestrator.guard.transcripts import read_lines

_WRITERS = frozenset({"Edit", "MultiEdit", "Write", "NotebookEdit"})
Record = Mapping[str, Any]


class DriveReport(msgspec.Struct, frozen=True):
    """A drive as recorded in a transcript. Times are those of its records (ISO 8601; "" if unknown)."""

    prompt_uuid: str
    started: str
    ended: str
    prompt: str
    answer: str
    tools: Mapping[str, int]
    failures: int
    files: tuple[str, ...]
    usage: Usage


def read_drives(transcript: Path, prompt: str = "") -> list[DriveReport]:
    """Return the drives of a session in order, or those whose prompt id begins with `prompt`.

    Raises BadInput if the transcript cannot be read.
    """
    return [_build_report(id, records) for id, records in _group_by_prompt(transcript).items() if id.startswith(prompt)]


def _group_by_prompt(transcript: Path) -> dict[str, list[Record]]:
    """Group the records by prompt id: each record belongs to the last id before it.

    Older versions of Claude Code write no prompt ids; there each prompt of the user begins a drive, with the id of its
    record.
    """
    named: dict[str, list[Record]] = {}
    begun: dict[str, list[Record]] = {}
    current_named: list[Record] = []
    current_begun: list[Record] = []
    for record in _parse_records(read_lines(transcript)):
        if isinstance(id := record.get("promptId"), str):
            current_named = named.setdefault(id, [])
        elif not named and isinstance(id := record.get("uuid"), str) and _is_prompt(record):
            current_begun = begun.setdefault(id, [])
        current_named.append(record)
        if not named:
            current_begun.append(record)
    return named or begun


def _is_prompt(record: Record) -> bool:
    return record.get("type") == "user" and bool(parse_transcript([record]).prompts)


def _parse_records(lines: Iterator[Line]) -> Iterator[Record]:
    for line in lines:
        try:
            record = json.loads(line) if isinstance(line, (bytes, str)) else line
        except (ValueError, RecursionError):
            continue
        if isinstance(record, dict):
            yield record


def _build_report(id: str, records: list[Record]) -> DriveReport:
    part = parse_transcript(records)
    times = [time for record in records if isinstance(time := record.get("timestamp"), str)]
    written = [call.get("file_path") or call.get("notebook_path") for call in part.calls if call.name in _WRITERS]
    answers = [message.text for message in part.messages if message.kind is Kind.ANSWER]
    return DriveReport(
        prompt_uuid=id,
        started=min(times, default=""),
        ended=max(times, default=""),
        prompt=next((message.text for message in part.messages if message.kind is not Kind.ANSWER), ""),
        answer=answers[-1] if answers else "",
        tools=dict(Counter(call.name for call in part.calls)),
        failures=sum(result.error and not result.refused for result in part.results.values()),
        files=tuple(dict.fromkeys(path for path in written if path)),
        usage=part.usage,
    )
