"""SubagentStop: records that a sub-agent is done; counts delegations only where the configuration asks for it."""

from orchestrator.guard.hooks.entry import RECORDED
from orchestrator.guard.hooks.hook import Answer, Call, hook, shown, silent
from orchestrator.guard.sessions.drives import delegations
from orchestrator.guard.sessions.temporal import get_temporal_context
from templates import turns


@hook("SubagentStop")
def run(call: Call) -> Answer:
    """Record the delegation; show how many there were when `hooks.speak_at_tools` is on."""
    call.tell(RECORDED[call.event])
    if not call.config.get("hooks", "speak_at_tools"):
        return silent()
    time = get_temporal_context(call.now)
    return shown(turns.delegations(time, delegations(call.session_id)))
