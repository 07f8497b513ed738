"""SessionStart: after a compaction, tell the agent what it lost. In a new session, tell it about the previous one."""

from orchestrator.errors import WriteFailed, reason
from orchestrator.fs.ownership import describe_other_owner
from orchestrator.guard.hooks.compaction import count_compactions
from orchestrator.guard.hooks.hook import Answer, Call, allow, allow_with_context, allow_with_message, hook
from orchestrator.guard.hooks.leftovers import remove_leftovers
from orchestrator.guard.hooks.logging import write_log_line
from orchestrator.guard.hooks.recovery import format_migration_message, format_recovery_message
from orchestrator.guard.sessions.agent_texts import record_agent_texts
from orchestrator.guard.sessions.cycles import (
    detect_auto_mode,
    edit_agent_state,
    increment_agent_cycle,
    load_agent_state,
)
from orchestrator.guard.sessions.paths import data_dir
from orchestrator.guard.sessions.state import SessionState
from templates import render


@hook("SessionStart")
def run(call: Call) -> Answer:
    """Detect a compaction or a new session, count cycles, save the session's state, and inform the model.

    The user gets a message if a file disables power steering, or if the folder for the records is another user's.
    """
    try:
        return _answer(call)
    except (OSError, WriteFailed) as error:
        if not (whose := describe_other_owner(data_dir(call.root))):
            raise
        write_log_line(f"{call.event}: {reason(error)}", call.session_id)
        return allow_with_message(f"tune-skill does not record this session: {whose}")


def _answer(call: Call) -> Answer:
    disabling_file = _find_disabling_file(call)
    answer = _start_session(call)
    if disabling_file:
        answer |= allow_with_message(render("hooks/steering_off.md", why=disabling_file).strip())
    return answer


def _find_disabling_file(call: Call) -> str:
    """Return the `.disabled` file that disables power steering.

    Returns "" if there is no such file, or if power steering is not enabled anyway.
    """
    if not call.config.get("hooks", "power_steering"):
        return ""
    from orchestrator.guard.steering.state import get_runtime_folder
    from orchestrator.guard.steering.switches import read_switches

    return read_switches(call.root, get_runtime_folder(call.root)).file


def _start_session(call: Call) -> Answer:
    previous = load_agent_state(call.root)["last_session_id"]
    compaction = _update_state(call)
    cycle = increment_agent_cycle(call.session_id, call.root, call.testing, call.now) if compaction else 0
    if call.text("session_id") and not call.testing:
        remove_leftovers(call.root)
        record_agent_texts(call.session_id, call.root)
        with edit_agent_state(call.root) as agent:
            agent["last_session_id"] = call.session_id
    call.log_event("session_started", source=call.text("source"))
    if compaction:
        call.log_event("compaction_detected", cycle=cycle, count=compaction)
        return allow_with_context(call.event, format_recovery_message(call, cycle))
    if previous and previous != call.session_id:
        call.log_event("migration_detected", previous_session_id=previous)
        return allow_with_context(call.event, format_migration_message(call, previous))
    return allow()


def _update_state(call: Call) -> int:
    """Update the session's state.

    Returns the number of the compaction that has just happened, or 0 if none has.
    """
    auto, source, confidence = detect_auto_mode(call.session_id, root=call.root)
    with SessionState.edit(call.session_id, call.root, save=not call.testing) as state:
        compactions = count_compactions(call, state)
        is_new = compactions > state.compaction_count
        state.compaction_count = compactions
        state.compactions_begun = max(state.compactions_begun, compactions)
        state.compaction_prompt_uuid = call.prompt_id if is_new else state.compaction_prompt_uuid
        state.started_at = state.started_at or call.now
        state.agent_id = call.config.agent_id
        state.auto_mode, state.auto_mode_source, state.auto_mode_confidence = auto, source, confidence
    return compactions if is_new else 0
