"""Stop: let power steering decide, if it is enabled. If it does not block, complete the drive."""

import sys
from typing import TYPE_CHECKING

from orchestrator.guard.activity.drives import complete_drive
from orchestrator.guard.activity.temporal import format_session_duration, get_temporal_context
from orchestrator.guard.hooks.hook import Answer, Call, allow, allow_with_message, hook
from orchestrator.guard.hooks.limit import without_limit
from orchestrator.guard.hooks.logging import write_log_line
from orchestrator.guard.sessions.state import SessionState
from templates import turns

if TYPE_CHECKING:
    from orchestrator.model import JudgeAccess


@hook("Stop")
def run(call: Call) -> Answer:
    """Block with guidance, or complete the drive and show its statistics."""
    guidance = _find_guidance(call) if call.config.get("hooks", "power_steering") and not call.testing else ""
    if guidance:
        call.log_event("stop_blocked")
        return {"decision": "block", "reason": guidance}
    with SessionState.edit(call.session_id, call.root, save=not call.testing) as state:
        drive = complete_drive(state, call.now)
    if drive is None:
        return allow()
    call.log_event("dev_drv_ended", **drive._asdict())
    duration, total = format_session_duration(drive.duration), format_session_duration(state.total_drive_duration)
    return allow_with_message(
        turns.drive(get_temporal_context(call.now), state.drive_count, duration, total, drive.delegations)
    )


def _find_guidance(call: Call) -> str:
    """Return the guidance if power steering blocks the stop. Returns "" if the session is allowed to stop."""
    _import_msgspec()
    from orchestrator.guard.steering.checker import PowerSteeringChecker
    from orchestrator.guard.transcripts import read_transcript

    if call.transcript is None:
        return ""
    access = _find_judge(call)
    transcript = read_transcript(call.transcript)
    with without_limit():
        judge = access.get_session_judge() if access else None
        result = PowerSteeringChecker(call.root, judge).check(transcript, call.session_id)
    for note in access.notes if access else ():
        write_log_line(f"Stop: {note}", call.session_id)
    return (result.continuation_prompt or "") if result.decision == "block" else ""


def _import_msgspec() -> None:
    """Import msgspec with `typing` in place of `typing_extensions`.

    This saves 5 ms. msgspec finds everything that it needs in `typing`.
    """
    if "typing_extensions" not in sys.modules:
        sys.modules["typing_extensions"] = None  # type: ignore[assignment]
        try:
            import msgspec  # noqa: F401
        finally:
            del sys.modules["typing_extensions"]


def _find_judge(call: Call) -> "JudgeAccess | None":
    choice, ceiling = call.config.get("hooks", "judge"), call.config.get("hooks", "max_cost_usd")
    if choice == "none":
        return None
    from orchestrator.model import choose_session_judge

    return choose_session_judge(choice, ceiling, lambda message: write_log_line(f"Stop: {message}", call.session_id))
