"""PostToolUse: record a tool call after it ran, and tell the model the time if the configuration says so."""

from orchestrator.guard.hooks.entry import RECORDED
from orchestrator.guard.hooks.hook import Answer, Call, hook
from orchestrator.guard.hooks.speech import answer_at_tool


@hook("PostToolUse")
def run(call: Call) -> Answer:
    """Record the call; with `hooks.speak_at_tools`, give the model a line with the time and the breadcrumb."""
    call.log_event(RECORDED[call.event])
    return answer_at_tool(call)
