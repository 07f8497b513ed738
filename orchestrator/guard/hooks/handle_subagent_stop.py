"""SubagentStop: record that a sub-agent has finished. If configured, show the number of delegations."""

from orchestrator.guard.activity.drives import count_delegations
from orchestrator.guard.activity.temporal import get_temporal_context
from orchestrator.guard.hooks.entry import RECORDED
from orchestrator.guard.hooks.hook import Answer, Call, allow, allow_with_message, hook
from templates import turns


@hook("SubagentStop")
def run(call: Call) -> Answer:
    """Record the delegation. If `hooks.speak_at_tools` is on, show the number of delegations in the session."""
    call.log_event(RECORDED[call.event])
    if not call.config.get("hooks", "speak_at_tools"):
        return allow()
    time = get_temporal_context(call.now)
    return allow_with_message(turns.delegations(time, count_delegations(call.session_id)))
