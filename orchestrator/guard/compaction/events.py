"""Read and write a project's record of compactions, and read the messages that were saved before each compaction."""

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from orchestrator.fs import durable, nofollow
from orchestrator.guard.sessions.state import hold_lock

MAX_BYTES = 20_000_000
"""Maximum size in bytes of an events file. Only the last bytes of a longer transcript are read."""

MAX_EVENTS = 100
"""Maximum number of events per project. Older events are dropped."""

Messages = list[dict[str, Any]]


class CompactionEvent(msgspec.Struct):
    """One entry of compaction_events.json."""

    timestamp: str
    turn_number: int
    messages_removed: int
    pre_compaction_transcript_path: str
    session_id: str


def get_runtime_dir(project_root: Path) -> Path:
    """Return the folder of the events and of the messages saved before each compaction."""
    return project_root / ".claude" / "runtime" / "power-steering"


def has_events(project_root: Path) -> bool:
    """Return whether a compaction of any session of a project was recorded."""
    return _events_path(project_root).exists()


def read_events(project_root: Path) -> Iterator[CompactionEvent]:
    """Yield the events of a project. Invalid events are skipped, and invalid values are replaced by defaults."""
    for item in read_list(_events_path(project_root)) or ():
        if isinstance(item, dict) and isinstance(item.get("session_id"), str):
            yield CompactionEvent(
                _get_text(item, "timestamp"),
                _get_number(item, "turn_number"),
                _get_number(item, "messages_removed"),
                _get_text(item, "pre_compaction_transcript_path"),
                item["session_id"],
            )


def append_event(project_root: Path, event: CompactionEvent) -> None:
    """Append an event. A file that does not contain a list is first renamed to `.damaged`. Raises TuneSkillError."""
    path = _events_path(project_root)
    with hold_lock(path):
        events = read_list(path)
        if events is None and path.exists():
            path.rename(path.with_name(f"{path.name}.damaged"))
        durable.write_json(path, [*(events or []), msgspec.structs.asdict(event)][-MAX_EVENTS:], mode=0o600)


def read_list(path: Path) -> list[Any] | None:
    """Return the JSON list in a file. Returns None if it cannot be read or is not a list."""
    try:
        found = json.loads(nofollow.read(str(path), MAX_BYTES))
    except (OSError, ValueError, RecursionError):
        return None
    return found if isinstance(found, list) else None


def read_messages(path: Path) -> Messages | None:
    """Return the records of a transcript (a JSON list or JSON lines).

    Returns None if it is unreadable or has no records.
    """
    raw = _read(path)
    if raw is None:
        return None
    json_list = _parse_json(raw) if raw.lstrip().startswith(b"[") else None
    if json_list == []:
        return []
    lines = (line for line in raw.split(b"\n") if line.strip())
    items = json_list if isinstance(json_list, list) else [_parse_json(line) for line in lines]
    return [item for item in items if isinstance(item, dict)] or None


def _events_path(project_root: Path) -> Path:
    return get_runtime_dir(project_root) / "compaction_events.json"


def _read(path: Path) -> bytes | None:
    """Return the last MAX_BYTES of a regular file, starting at a line. Returns None if it cannot be read."""
    try:
        if not path.is_file():
            return None
        with path.open("rb") as file:
            size = os.fstat(file.fileno()).st_size
            if size > MAX_BYTES:
                file.seek(size - MAX_BYTES)
                file.readline()
            return file.read(MAX_BYTES)
    except (OSError, ValueError):
        return None


def _parse_json(raw: bytes) -> Any:
    try:
        return json.loads(raw.decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return None


def _get_text(item: dict[str, Any], key: str) -> str:
    value = item.get(key)
    return value if isinstance(value, str) else ""


def _get_number(item: dict[str, Any], key: str) -> int:
    value = item.get(key)
    return value if type(value) is int and value >= 0 else 0
