"""Read the drives of a transcript. A drive is the work from a prompt to the stop."""

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
    """A drive as recorded in a transcript. started, ended: the times of its records (ISO 8601, or "" if unknown)."""

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
    """Return the drives of a session in order, or only drives whose prompt id begins with `prompt`.

    Raises BadInput if the transcript cannot be read.
    """
    return [_build_report(id, records) for id, records in _group_by_prompt(transcript).items() if id.startswith(prompt)]


def _group_by_prompt(transcript: Path) -> dict[str, list[Record]]:
    """Group the records by prompt id: each record belongs to the last prompt before it.

    Older versions of Claude Code write no prompt ids. In their transcripts, the uuid of the record of each user prompt
    is used instead.
    """
    by_prompt_id: dict[str, list[Record]] = {}
    by_uuid: dict[str, list[Record]] = {}
    prompt_group: list[Record] = []
    uuid_group: list[Record] = []
    for record in _parse_records(read_lines(transcript)):
        if isinstance(id := record.get("promptId"), str):
            prompt_group = by_prompt_id.setdefault(id, [])
        elif not by_prompt_id and isinstance(id := record.get("uuid"), str) and _is_prompt(record):
            uuid_group = by_uuid.setdefault(id, [])
        prompt_group.append(record)
        if not by_prompt_id:
            uuid_group.append(record)
    return by_prompt_id or by_uuid


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
    drive = parse_transcript(records)
    times = [time for record in records if isinstance(time := record.get("timestamp"), str)]
    files = [call.get("file_path") or call.get("notebook_path") for call in drive.calls if call.name in _WRITERS]
    answers = [message.text for message in drive.messages if message.kind is Kind.ANSWER]
    return DriveReport(
        prompt_uuid=id,
        started=min(times, default=""),
        ended=max(times, default=""),
        prompt=next((message.text for message in drive.messages if message.kind is not Kind.ANSWER), ""),
        answer=answers[-1] if answers else "",
        tools=dict(Counter(call.name for call in drive.calls)),
        failures=sum(result.is_error and not result.is_refused for result in drive.results.values()),
        files=tuple(dict.fromkeys(path for path in files if path)),
        usage=drive.usage,
    )
