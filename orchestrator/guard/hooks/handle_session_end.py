"""SessionEnd: record that a session ended, and why."""

from orchestrator.guard.hooks.entry import RECORDED
from orchestrator.guard.hooks.hook import Answer, Call, allow, hook


@hook("SessionEnd")
def run(call: Call) -> Answer:
    """Record the end of the session."""
    call.log_event(RECORDED[call.event])
    return allow()
