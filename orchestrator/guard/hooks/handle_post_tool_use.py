"""PostToolUse: records a tool call after it ran; tells the time only where the configuration asks for it."""

from orchestrator.guard.hooks.entry import RECORDED
from orchestrator.guard.hooks.hook import Answer, Call, allow, allow_with_context, hook
from orchestrator.guard.hooks.speech import build_awareness


@hook("PostToolUse")
def run(call: Call) -> Answer:
    """Record the call; speak when `hooks.speak_at_tools` is on."""
    call.tell(RECORDED[call.event])
    return (
        allow_with_context(call.event, build_awareness(call)) if call.config.get("hooks", "speak_at_tools") else allow()
    )
