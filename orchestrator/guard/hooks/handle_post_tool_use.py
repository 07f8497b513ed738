"""PostToolUse: record a completed tool call. If configured, give the model the time and the breadcrumb."""

from orchestrator.guard.hooks.entry import RECORDED
from orchestrator.guard.hooks.hook import Answer, Call, hook
from orchestrator.guard.hooks.speech import answer_tool_event


@hook("PostToolUse")
def run(call: Call) -> Answer:
    """Record the call. If `hooks.speak_at_tools` is on, give the model a line with the time and the breadcrumb."""
    call.log_event(RECORDED[call.event])
    return answer_tool_event(call)
