"""SubagentStop: records that a sub-agent is done; counts delegations only where the configuration asks for it."""

from orchestrator.guard.hooks.entry import RECORDED
from orchestrator.guard.hooks.hook import Answer, Call, allow, allow_with_message, hook
from orchestrator.guard.sessions.drives import count_delegations
from orchestrator.guard.sessions.temporal import get_temporal_context
from templates import turns


@hook("SubagentStop")
def run(call: Call) -> Answer:
    """Record the delegation; show how many there were when `hooks.speak_at_tools` is on."""
    call.tell(RECORDED[call.event])
    if not call.config.get("hooks", "speak_at_tools"):
        return allow()
    time = get_temporal_context(call.now)
    return allow_with_message(turns.delegations(time, count_delegations(call.session_id)))
