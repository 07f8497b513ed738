"""Was anything lost when the conversation was compacted? From the recorded event, or from the transcript itself."""

import json
import os
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec

from actions.session.compaction import (
    Loss,
    Memory,
    compare,
    known_now,
    lost_objective,
    lost_todos,
    lost_turns,
    memories_of,
    memory_of,
)
from actions.session.transcript import Transcript
from actions.session.transcript_parse import parse_transcript
from orchestrator.limits import STALE_HOURS

MAX_BYTES = 20_000_000
"""Bytes of an events file or of a transcript from before a compaction that are read; of JSON lines, the last ones."""

Messages = list[dict[str, Any]]


class CompactionContext(msgspec.Struct):
    """A compaction event and what is known of it. Age (hours) and staleness follow from the timestamp; naive is UTC."""

    has_compaction_event: bool = False
    turn_at_compaction: int = 0
    messages_removed: int = 0
    pre_compaction_transcript: Messages | None = None
    timestamp: str | None = None
    is_stale: bool = False
    age_hours: float = 0.0
    has_security_violation: bool = False

    def __post_init__(self) -> None:
        moment = _moment(self.timestamp) if self.timestamp and not self.age_hours else None
        if moment is not None:
            self.age_hours = max(0.0, (datetime.now(UTC) - moment).total_seconds() / 3600)
        self.is_stale = self.is_stale or self.age_hours > STALE_HOURS.value

    def get_diagnostic_summary(self) -> str:
        """Return one or two sentences for people."""
        if not self.has_compaction_event:
            return "No compaction was recorded for this session."
        told = f"Compaction at turn {self.turn_at_compaction}: {self.messages_removed} messages removed"
        when = f", {self.age_hours:.1f} hours ago{' (stale)' if self.is_stale else ''}" if self.timestamp else ""
        unsafe = " Its transcript lies outside the project and was not read." if self.has_security_violation else ""
        return f"{told}{when}.{unsafe}"


class ValidationResult(msgspec.Struct):
    """Whether what is needed survived; if not, what was lost and how to mend it."""

    passed: bool
    warnings: list[str] = msgspec.field(default_factory=list)
    recovery_steps: list[str] = msgspec.field(default_factory=list)
    compaction_context: CompactionContext = msgspec.field(default_factory=CompactionContext)
    used_fallback: bool = False

    def get_summary(self) -> str:
        """Return the result for people, a line each."""
        head = "Compaction validation passed." if self.passed else "Compaction validation failed."
        lines = [head, *(f"- {warning}" for warning in self.warnings)]
        if self.recovery_steps:
            lines += ["To recover:", *(f"- {step}" for step in self.recovery_steps)]
        return "\n".join(lines)


class CompactionEvent(msgspec.Struct):
    """One entry of compaction_events.json."""

    timestamp: str
    turn_number: int
    messages_removed: int
    pre_compaction_transcript_path: str
    session_id: str


class CompactionValidator:
    """Compares what was known before a compaction with what came after. Never raises on what it reads."""

    def __init__(self, project_root: Path) -> None:
        self.project_root = project_root
        self.runtime_dir = project_root / ".claude" / "runtime" / "power-steering"

    def load_compaction_context(self, session_id: str) -> CompactionContext:
        """Return the newest event of the session with its transcript; safe defaults where either cannot be read."""
        events = [event for event in self._events() if event.session_id == session_id]
        if not events:
            return CompactionContext()
        event = max(events, key=lambda one: _moment(one.timestamp) or _LONG_AGO)
        context = CompactionContext(
            has_compaction_event=True,
            turn_at_compaction=event.turn_number,
            messages_removed=event.messages_removed,
            timestamp=event.timestamp,
        )
        self._load_transcript(event.pre_compaction_transcript_path, context)
        return context

    def validate(self, transcript: Messages | None, session_id: str) -> ValidationResult:
        """Return whether a session lost nothing: by its recorded event, else by the boundaries of its transcript."""
        return self.examine(None if transcript is None else parse_transcript(transcript, session_id), session_id)

    def examine(self, transcript: Transcript | None, session_id: str) -> ValidationResult:
        """Return whether a session lost nothing whose transcript is already parsed."""
        context = self.load_compaction_context(session_id)
        if context.has_compaction_event:
            return self._by_event(transcript, context)
        if transcript is None or not transcript.compactions:
            return ValidationResult(True, compaction_context=context)
        return _result(_own_losses(transcript), _own_context(transcript))

    def validate_todos(self, pre_compaction: Messages, post_compaction: Messages) -> ValidationResult:
        """Return whether the open todo items are still carried."""
        return _compared(lost_todos, pre_compaction, post_compaction)

    def validate_objectives(self, pre_compaction: Messages, post_compaction: Messages) -> ValidationResult:
        """Return whether the goal is still clear."""
        return _compared(lost_objective, pre_compaction, post_compaction)

    def validate_recent_context(
        self, pre_compaction: Messages, post_compaction: Messages, context: CompactionContext
    ) -> ValidationResult:
        """Return whether the last ten turns left a trace, and no gap stands among them."""
        return _compared(lost_turns, pre_compaction, post_compaction, context)

    def _by_event(self, transcript: Transcript | None, context: CompactionContext) -> ValidationResult:
        before = context.pre_compaction_transcript
        if transcript is None or before is None:
            losses = _own_losses(transcript) if transcript else []
            result = _result(losses, context, used_fallback=transcript is not None)
        else:
            result = _result(compare(memory_of(parse_transcript(before)), known_now(transcript)), context)
        if context.has_security_violation:
            result.warnings.append("The event names a transcript outside the project; it was not read")
            result.recovery_steps.append(f"Look at {self.runtime_dir / 'compaction_events.json'}: someone changed it")
        return result

    def _events(self) -> Iterable[CompactionEvent]:
        raw = _read(self.runtime_dir / "compaction_events.json")
        try:
            items = json.loads(raw) if raw is not None else []
        except (ValueError, RecursionError):
            return
        for item in items if isinstance(items, list) else ():
            if isinstance(item, dict) and isinstance(item.get("session_id"), str):
                yield CompactionEvent(
                    _text(item, "timestamp"),
                    _number(item, "turn_number"),
                    _number(item, "messages_removed"),
                    _text(item, "pre_compaction_transcript_path"),
                    item["session_id"],
                )

    def _load_transcript(self, name: str, context: CompactionContext) -> None:
        """Read the transcript from before, if it lies in the project; the event stands either way."""
        if not name:
            return
        try:
            root = self.project_root.resolve()
            path = (root / name).resolve()
            context.has_security_violation = not path.is_relative_to(root)
        except (OSError, ValueError, RuntimeError):
            context.has_security_violation = True
        if not context.has_security_violation and (raw := _read(path)) is not None:
            context.pre_compaction_transcript = _messages(raw)


_LONG_AGO = datetime.min.replace(tzinfo=UTC)


def _own_losses(transcript: Transcript) -> list[Loss]:
    return [loss for before, after in memories_of(transcript) for loss in compare(before, after)]


def _own_context(transcript: Transcript) -> CompactionContext:
    last = transcript.compactions[-1]
    since = transcript.compactions[-2].record if len(transcript.compactions) > 1 else -1
    gone = [m for m in transcript.messages if since < m.record < last.record]
    turns = [m for m in transcript.prompts if m.record < last.record]
    return CompactionContext(True, turn_at_compaction=len(turns), messages_removed=len(gone))


def _compared(
    lost: Callable[[Memory, Memory], Loss | None],
    before: Messages,
    after: Messages,
    context: CompactionContext | None = None,
) -> ValidationResult:
    loss = lost(memory_of(parse_transcript(before)), known_now(parse_transcript(after)))
    return _result([loss] if loss else [], context)


def _result(
    losses: Sequence[Loss], context: CompactionContext | None = None, *, used_fallback: bool = False
) -> ValidationResult:
    return ValidationResult(
        passed=not losses,
        warnings=[loss.warning for loss in losses],
        recovery_steps=[step for loss in losses for step in loss.recovery],
        compaction_context=context or CompactionContext(),
        used_fallback=used_fallback,
    )


def _read(path: Path) -> bytes | None:
    """Return the bytes of a regular file, the last MAX_BYTES of a long one; None when it cannot be read."""
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


def _messages(raw: bytes) -> Messages | None:
    """Return the records of a JSON list, which may be empty, or of JSON lines; None where nothing can be read."""
    text = raw.decode("utf-8", "replace")
    listed = _json(text) if text.lstrip().startswith("[") else None
    if listed == []:
        return []
    items = listed if isinstance(listed, list) else [_json(line) for line in text.split("\n") if line.strip()]
    return [item for item in items if isinstance(item, dict)] or None


def _json(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _moment(text: str) -> datetime | None:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def _text(item: dict[str, Any], key: str) -> str:
    value = item.get(key)
    return value if isinstance(value, str) else ""


def _number(item: dict[str, Any], key: str) -> int:
    value = item.get(key)
    return value if type(value) is int and value >= 0 else 0
