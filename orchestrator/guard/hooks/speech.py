"""The line of place and time that speaking hooks give the model."""

from typing import Any

from orchestrator.guard.hooks.hook import Call
from orchestrator.guard.sessions.breadcrumbs import get_breadcrumb
from orchestrator.guard.sessions.cycles import detect_auto_mode
from orchestrator.guard.sessions.temporal import get_temporal_context
from orchestrator.guard.sessions.tokens import get_token_budget
from templates import turns


def build_awareness(call: Call) -> str:
    """Give time, breadcrumb, token budget and AUTO_MODE as the model reads them; at a tool, its name too."""
    return turns.awareness(call.text("tool_name")[:100], **template_values(call))


def template_values(call: Call) -> dict[str, Any]:
    """Give what the templates of the hooks tell."""
    auto, source, _ = detect_auto_mode(call.session_id, root=call.root)
    return {
        "time": get_temporal_context(call.now),
        "breadcrumb": get_breadcrumb(call.session_id, call.prompt_id, call.root),
        "budget": get_token_budget(call.transcript, call.root),
        "auto": auto,
        "auto_source": source,
    }
