"""PreCompact: what the session knows is written down before the conversation is replaced by a summary."""

from orchestrator.guard.hooks.compaction import record_compaction
from orchestrator.guard.hooks.hook import Answer, Call, allow, hook
from orchestrator.guard.sessions.state import SessionOperationalState


@hook("PreCompact")
def run(call: Call) -> Answer:
    """Write the extract and the compaction event, and count that a compaction begins."""
    if call.testing:
        return allow()
    with SessionOperationalState.changing(call.session_id, call.root) as state:
        state.compactions_begun = max(state.compactions_begun, state.compaction_count) + 1
        told = record_compaction(call)
        state.pending_todos = told["todos"]
    call.tell("compaction_started", trigger=call.text("trigger"), **told)
    return allow()
