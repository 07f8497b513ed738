"""PreToolUse: record a tool call before it runs.

The model receives the time only if configured, because that costs a line of context at every call.
"""

from orchestrator.guard.hooks.entry import RECORDED
from orchestrator.guard.hooks.hook import Answer, Call, hook
from orchestrator.guard.hooks.speech import answer_tool_event


@hook("PreToolUse")
def run(call: Call) -> Answer:
    """Record the call. If `hooks.speak_at_tools` is on, give the model a line with the time and the breadcrumb."""
    call.log_event(RECORDED[call.event])
    return answer_tool_event(call)
