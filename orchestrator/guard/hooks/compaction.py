"""Compactions: seen when they happened, and what the session knew written down before they do."""

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from msgspec.structs import asdict

from actions.session.compaction import Memory, memories_of, memory_of
from actions.session.transcript import Kind, Transcript
from actions.session.transcript_parse import parse_transcript
from orchestrator.fs import durable, nofollow, tail
from orchestrator.guard.compat.compaction import CompactionEvent, CompactionValidator
from orchestrator.guard.hooks.hook import Call
from orchestrator.guard.hooks.sidecar import read_sidecar, write_sidecar
from orchestrator.guard.sessions.config import safe_id
from orchestrator.guard.sessions.state import SessionOperationalState, exclusively
from orchestrator.guard.transcripts import read_transcript

EXTRACT_BYTES = 16_000_000
"""The largest extract or list of events that is read."""

EVENTS_KEPT = 100
"""How many compaction events of a project are kept."""


def detect_compaction(call: Call, state: SessionOperationalState) -> int:
    """Give how many compactions the session has had; more than the state counts means that one just happened.

    PreCompact counted it when it began. Without that hook the transcript's boundaries tell, or Claude Code itself,
    which starts the session anew with the source `compact` (once for a prompt: two installed hooks see one).
    """
    shown = _boundaries(call.transcript)
    if call.text("source") != "compact":
        return max(shown, state.compaction_count)
    if known := max(shown, state.compactions_begun):
        return known
    same = call.prompt_id and call.prompt_id == state.compaction_prompt_uuid
    return state.compaction_count + (0 if same else 1)


def record_compaction(call: Call) -> dict[str, Any]:
    """Write the extract of what must survive and the event that points to it; give what the log tells of it.

    Raises TuneSkillError when the transcript cannot be read or nothing can be written.
    """
    transcript = read_transcript(call.transcript) if call.transcript else Transcript(call.session_id)
    memory = memory_of(transcript)
    own = _own_folder(call)
    folder = own.parent
    durable.ensure_private_dir(folder.parent)
    durable.ensure_dir(own)
    extract = own / f"before_compaction_{int(call.now)}.json"
    durable.write_json(extract, _messages(transcript, memory), mode=0o600)
    since = transcript.compactions[-1].record if transcript.compactions else -1
    event = CompactionEvent(
        timestamp=datetime.fromtimestamp(call.now, UTC).isoformat(timespec="milliseconds"),
        turn_number=len(transcript.prompts),
        messages_removed=sum(m.record > since for m in transcript.messages),
        pre_compaction_transcript_path=str(extract.relative_to(call.root)),
        session_id=call.session_id,
    )
    _append(folder / "compaction_events.json", asdict(event))
    write_sidecar(call.session_id, call.root, extract=event.pre_compaction_transcript_path)
    return {"turn": event.turn_number, "messages": event.messages_removed, "todos": [t.text for t in memory.todos]}


def lost_memory(call: Call) -> Memory:
    """Give what the session knew before its last compaction: from the extract, else from the transcript."""
    extract = read_sidecar(call.session_id, call.root).get("extract")
    messages = _listed(_own_folder(call) / Path(extract).name) if isinstance(extract, str) else None
    if messages:
        return memory_of(parse_transcript(messages))
    transcript = read_transcript(call.transcript) if call.transcript else Transcript()
    before = [before for before, _ in memories_of(transcript)]
    return before[-1] if before else Memory()


def _own_folder(call: Call) -> Path:
    """Give the folder of the session's extracts: whatever a sidecar names is read from nowhere else."""
    return CompactionValidator(call.root).runtime_dir / safe_id(call.session_id)


def _messages(transcript: Transcript, memory: Memory) -> list[Mapping[str, Any]]:
    """Give the extract as plain messages: the objective, the open todos, the last turns."""
    answers = {m.record for m in transcript.messages if m.kind is Kind.ANSWER}
    todos = [{"content": todo.text, "status": "pending"} for todo in memory.todos]
    listed = {"type": "tool_use", "id": "extract", "name": "TodoWrite", "input": {"todos": todos}}
    goal = memory.objective if memory.objective not in memory.turns else None
    return [
        *([{"role": "user", "content": goal.text}] if goal else []),
        {"role": "assistant", "content": [listed]},
        *({"role": "assistant" if t.record in answers else "user", "content": t.text} for t in memory.turns),
    ]


def _append(path: Path, event: Mapping[str, Any]) -> None:
    """Add an event to the list; a file that is no list is set aside, not lost."""
    with exclusively(path):
        events = _listed(path)
        if events is None and path.exists():
            path.rename(path.with_name(f"{path.name}.damaged"))
        durable.write_json(path, [*(events or []), event][-EVENTS_KEPT:], mode=0o600)


def _listed(path: Path) -> list[Any] | None:
    try:
        found = json.loads(nofollow.read(str(path), EXTRACT_BYTES))
    except (OSError, ValueError, RecursionError):
        return None
    return found if isinstance(found, list) else None


def _boundaries(transcript: Path | None) -> int:
    """Count the compactions that a transcript shows, without parsing the rest of it."""
    if transcript is None:
        return 0
    with transcript.open("rb") as file:
        return sum(_is_boundary(line) for line in tail.newest_first(file, [b"compact_boundary"]))


def _is_boundary(line: bytes) -> bool:
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        return False
    return isinstance(record, dict) and record.get("subtype") == "compact_boundary"
