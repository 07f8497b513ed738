"""PreCompact: save the objective, the open todos and the last turns before a summary replaces the conversation."""

from orchestrator.guard.hooks.compaction import record_compaction
from orchestrator.guard.hooks.hook import Answer, Call, allow, hook
from orchestrator.guard.sessions.state import SessionState


@hook("PreCompact")
def run(call: Call) -> Answer:
    """Save the session's memory and the compaction event, and count the compaction."""
    if call.testing:
        return allow()
    with SessionState.edit(call.session_id, call.root) as state:
        state.compactions_begun = max(state.compactions_begun, state.compaction_count) + 1
        saved = record_compaction(call)
        state.pending_todos = saved["todos"]
    call.log_event("compaction_started", trigger=call.text("trigger"), **saved)
    return allow()
