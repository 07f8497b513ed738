"""PreToolUse: records a tool call before it ran, as runs of the tuner learn from it.

It tells the time only where the configuration asks for it: that costs a line of the prompt at every call.
"""

from orchestrator.guard.hooks.entry import RECORDED
from orchestrator.guard.hooks.hook import Answer, Call, hook, silent, spoken
from orchestrator.guard.hooks.speech import awareness


@hook("PreToolUse")
def run(call: Call) -> Answer:
    """Record the call; speak when `hooks.speak_at_tools` is on."""
    call.tell(RECORDED[call.event])
    return spoken(call.event, awareness(call)) if call.config.get("hooks", "speak_at_tools") else silent()
