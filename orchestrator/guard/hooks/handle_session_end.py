"""SessionEnd: records that a session ended, and why."""

from orchestrator.guard.hooks.entry import RECORDED
from orchestrator.guard.hooks.hook import Answer, Call, allow, hook


@hook("SessionEnd")
def run(call: Call) -> Answer:
    """Record the end."""
    call.tell(RECORDED[call.event])
    return allow()
