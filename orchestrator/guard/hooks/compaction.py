"""Detect compactions. Before a compaction, save the session's objective, open todos and last turns."""

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from actions.session.compaction import Memory, build_memories, build_memory
from actions.session.transcript import Kind, Transcript
from actions.session.transcript_parse import parse_transcript
from orchestrator.fs import durable, tail
from orchestrator.guard.compaction.events import CompactionEvent, append_event, get_runtime_dir, read_list
from orchestrator.guard.hooks.hook import Call
from orchestrator.guard.hooks.sidecar import read_sidecar, write_sidecar
from orchestrator.guard.sessions.config import safe_id
from orchestrator.guard.sessions.state import SessionState
from orchestrator.guard.transcripts import read_transcript


def count_compactions(call: Call, state: SessionState) -> int:
    """Return the number of compactions of a session. If it exceeds the number in the state, one has just happened.

    The PreCompact hook counts a compaction when it begins. Without that hook, the boundaries in the transcript are
    counted. If there are none, the session starts with source `compact` are counted, but at most one per prompt,
    because two hooks could be installed.
    """
    boundaries = _count_boundaries(call.transcript)
    if call.text("source") != "compact":
        return max(boundaries, state.compaction_count)
    if count := max(boundaries, state.compactions_begun):
        return count
    is_counted = call.prompt_id and call.prompt_id == state.compaction_prompt_uuid
    return state.compaction_count + (0 if is_counted else 1)


def record_compaction(call: Call) -> dict[str, Any]:
    """Save the session's objective, todos and last turns (an extract), and an event with the path of the extract.

    Returns turn, messages and todos for the log.
    Raises TuneSkillError if the transcript cannot be read or the files cannot be written.
    """
    transcript = read_transcript(call.transcript) if call.transcript else Transcript(call.session_id)
    memory = build_memory(transcript)
    folder = _get_extracts_folder(call)
    durable.ensure_private_dir(folder.parent.parent)
    durable.ensure_dir(folder)
    extract = folder / f"before_compaction_{int(call.now)}.json"
    durable.write_json(extract, _build_extract(transcript, memory), mode=0o600)
    last_boundary = transcript.compactions[-1].record if transcript.compactions else -1
    event = CompactionEvent(
        timestamp=datetime.fromtimestamp(call.now, UTC).isoformat(timespec="milliseconds"),
        turn_number=len(transcript.prompts),
        messages_removed=sum(message.record > last_boundary for message in transcript.messages),
        pre_compaction_transcript_path=str(extract.relative_to(call.root)),
        session_id=call.session_id,
    )
    append_event(call.root, event)
    write_sidecar(call.session_id, call.root, extract=event.pre_compaction_transcript_path)
    todos = [todo.text for todo in memory.todos]
    return {"turn": event.turn_number, "messages": event.messages_removed, "todos": todos}


def read_lost_memory(call: Call) -> Memory:
    """Return the session's objective, todos and turns from before its last compaction.

    Source: the file that `record_compaction` saved, or the transcript if there is none.
    """
    extract = read_sidecar(call.session_id, call.root).get("extract")
    messages = read_list(_get_extracts_folder(call) / Path(extract).name) if isinstance(extract, str) else None
    if messages:
        return build_memory(parse_transcript(messages))
    transcript = read_transcript(call.transcript) if call.transcript else Transcript()
    memories_before = [before for before, _ in build_memories(transcript)]
    return memories_before[-1] if memories_before else Memory()


def _get_extracts_folder(call: Call) -> Path:
    """Return the folder of the session's extracts.

    `sidecar.json` could be edited. Only the file name in it is used, so that no file outside this folder is read.
    """
    return get_runtime_dir(call.root) / safe_id(call.session_id)


def _build_extract(transcript: Transcript, memory: Memory) -> list[Mapping[str, Any]]:
    answers = {message.record for message in transcript.messages if message.kind is Kind.ANSWER}
    todos = [{"content": todo.text, "status": "pending"} for todo in memory.todos]
    todo_call = {"type": "tool_use", "id": "extract", "name": "TodoWrite", "input": {"todos": todos}}
    goal = memory.objective if memory.objective not in memory.turns else None
    return [
        *([{"role": "user", "content": goal.text}] if goal else []),
        {"role": "assistant", "content": [todo_call]},
        *({"role": "assistant" if turn.record in answers else "user", "content": turn.text} for turn in memory.turns),
    ]


def _count_boundaries(transcript: Path | None) -> int:
    """Count the compactions in a transcript. Only lines that mention a compaction are parsed."""
    if transcript is None:
        return 0
    with transcript.open("rb") as file:
        return sum(_is_boundary(line) for line in tail.read_newest_first(file, [b"compact_boundary"]))


def _is_boundary(line: bytes) -> bool:
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        return False
    return isinstance(record, dict) and record.get("subtype") == "compact_boundary"
