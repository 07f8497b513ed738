"""Build the line with time and breadcrumb that hooks show to the model."""

from typing import Any

from orchestrator.guard.activity.temporal import get_temporal_context
from orchestrator.guard.activity.tokens import get_token_budget
from orchestrator.guard.hooks.hook import Answer, Call, allow, allow_with_context
from orchestrator.guard.sessions.breadcrumbs import get_breadcrumb
from orchestrator.guard.sessions.cycles import detect_auto_mode
from templates import turns


def build_awareness(call: Call) -> str:
    """Build a line with time, breadcrumb, token budget and AUTO_MODE. At a tool call it also has the tool's name."""
    return turns.awareness(call.text("tool_name")[:100], **build_template_values(call))


def answer_tool_event(call: Call) -> Answer:
    """Answer a tool event. If `hooks.speak_at_tools` is on, the answer has the time and the breadcrumb."""
    if not call.config.get("hooks", "speak_at_tools"):
        return allow()
    return allow_with_context(call.event, build_awareness(call))


def build_template_values(call: Call) -> dict[str, Any]:
    """Return the values for the templates of hooks."""
    auto, source, _ = detect_auto_mode(call.session_id, root=call.root)
    return {
        "time": get_temporal_context(call.now),
        "breadcrumb": get_breadcrumb(call.session_id, call.prompt_id, call.root),
        "budget": get_token_budget(call.transcript, call.root),
        "auto": auto,
        "auto_source": source,
    }
