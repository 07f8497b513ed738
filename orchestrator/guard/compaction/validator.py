"""Check what a session lost in a compaction, using the recorded event or the transcript."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from actions.session.compaction import Loss, build_current_memory, build_memories, build_memory, compare_memories
from actions.session.transcript import Transcript
from actions.session.transcript_parse import parse_transcript
from orchestrator.guard.compaction.events import CompactionEvent, Messages, get_runtime_dir, read_events, read_messages
from orchestrator.limits import STALE_HOURS


@dataclass
class CompactionContext:
    """A compaction event, with the transcript from before the compaction.

    `age_hours` and `is_stale` are computed from the timestamp (ISO 8601, by default UTC). has_security_violation:
    whether the transcript in the event is outside the project.
    """

    has_compaction_event: bool = False
    turn_at_compaction: int = 0
    messages_removed: int = 0
    pre_compaction_transcript: Messages | None = None
    timestamp: str | None = None
    is_stale: bool = False
    age_hours: float = 0.0
    has_security_violation: bool = False

    def __post_init__(self) -> None:
        moment = _parse_time(self.timestamp) if self.timestamp and not self.age_hours else None
        if moment is not None:
            self.age_hours = max(0.0, (datetime.now(UTC) - moment).total_seconds() / 3600)
        self.is_stale = self.is_stale or self.age_hours > STALE_HOURS.value

    def get_diagnostic_summary(self) -> str:
        """Return a description of the event in one or two sentences."""
        if not self.has_compaction_event:
            return "No compaction was recorded for this session."
        what = f"Compaction at turn {self.turn_at_compaction}: {self.messages_removed} messages removed"
        when = f", {self.age_hours:.1f} hours ago{' (stale)' if self.is_stale else ''}" if self.timestamp else ""
        unsafe = " Its transcript is outside the project and was not read." if self.has_security_violation else ""
        return f"{what}{when}.{unsafe}"


@dataclass
class ValidationResult:
    """What a session lost in a compaction, and how to recover it."""

    passed: bool
    warnings: list[str] = field(default_factory=list)
    recovery_steps: list[str] = field(default_factory=list)
    compaction_context: CompactionContext = field(default_factory=CompactionContext)
    used_fallback: bool = False

    def get_summary(self) -> str:
        """Return a description of the result, one warning or step per line."""
        title = "Compaction validation passed." if self.passed else "Compaction validation failed."
        lines = [title, *(f"- {warning}" for warning in self.warnings)]
        if self.recovery_steps:
            lines += ["To recover:", *(f"- {step}" for step in self.recovery_steps)]
        return "\n".join(lines)


class CompactionValidator:
    """Compares the memory of a session before and after a compaction. Invalid files raise no errors."""

    def __init__(self, project_root: Path) -> None:
        self.project_root = project_root
        self.runtime_dir = get_runtime_dir(project_root)

    def load_compaction_context(self, session_id: str) -> CompactionContext:
        """Return the newest event of the session with its transcript. Without an event, return default values."""
        events = [event for event in read_events(self.project_root) if event.session_id == session_id]
        if not events:
            return CompactionContext()
        event = max(events, key=lambda event: _parse_time(event.timestamp) or _EARLIEST)
        context = CompactionContext(
            has_compaction_event=True,
            turn_at_compaction=event.turn_number,
            messages_removed=event.messages_removed,
            timestamp=event.timestamp,
        )
        self._load_transcript(event, context)
        return context

    def validate(self, transcript: Messages | None, session_id: str) -> ValidationResult:
        """Return what a session lost, from its recorded event. Without one, use the boundaries in its transcript."""
        parsed = None if transcript is None else parse_transcript(transcript, session_id)
        return self.validate_transcript(parsed, session_id)

    def validate_transcript(self, transcript: Transcript | None, session_id: str) -> ValidationResult:
        """Return what a session lost in a compaction. transcript: the parsed transcript of the session."""
        context = self.load_compaction_context(session_id)
        if context.has_compaction_event:
            return self._validate_event(transcript, context)
        if transcript is None or not transcript.compactions:
            return ValidationResult(True, compaction_context=context)
        return build_result(_find_losses(transcript), _build_context(transcript))

    def _validate_event(self, transcript: Transcript | None, context: CompactionContext) -> ValidationResult:
        before = context.pre_compaction_transcript
        if transcript is None or before is None:
            losses = _find_losses(transcript) if transcript else []
            result = build_result(losses, context, used_fallback=transcript is not None)
        else:
            result = build_result(
                compare_memories(build_memory(parse_transcript(before)), build_current_memory(transcript)), context
            )
        if context.has_security_violation:
            result.warnings.append("The event names a transcript outside the project; it was not read.")
            result.recovery_steps.append(f"Check {self.runtime_dir / 'compaction_events.json'}: it was edited.")
        return result

    def _load_transcript(self, event: CompactionEvent, context: CompactionContext) -> None:
        if not event.pre_compaction_transcript_path:
            return
        try:
            root = self.project_root.resolve()
            path = (root / event.pre_compaction_transcript_path).resolve()
            context.has_security_violation = not path.is_relative_to(root)
        except (OSError, ValueError, RuntimeError):
            context.has_security_violation = True
        if not context.has_security_violation:
            context.pre_compaction_transcript = read_messages(path)


def build_result(
    losses: Sequence[Loss], context: CompactionContext | None = None, *, used_fallback: bool = False
) -> ValidationResult:
    """Build the validation result from the losses."""
    return ValidationResult(
        passed=not losses,
        warnings=[loss.warning for loss in losses],
        recovery_steps=[step for loss in losses for step in loss.recovery],
        compaction_context=context or CompactionContext(),
        used_fallback=used_fallback,
    )


_EARLIEST = datetime.min.replace(tzinfo=UTC)


def _find_losses(transcript: Transcript) -> list[Loss]:
    return [loss for before, after in build_memories(transcript) for loss in compare_memories(before, after)]


def _build_context(transcript: Transcript) -> CompactionContext:
    """Build the context of the last compaction from its boundary in the transcript."""
    last = transcript.compactions[-1].record
    previous = transcript.compactions[-2].record if len(transcript.compactions) > 1 else -1
    removed = sum(previous < message.record < last for message in transcript.messages)
    turns = sum(prompt.record < last for prompt in transcript.prompts)
    return CompactionContext(True, turn_at_compaction=turns, messages_removed=removed)


def _parse_time(text: str) -> datetime | None:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
