"""UserPromptSubmit: start a drive, and give the model the time, the breadcrumb and the token budget."""

from orchestrator.guard.activity.drives import start_drive
from orchestrator.guard.hooks.hook import Answer, Call, allow_with_context, hook
from orchestrator.guard.hooks.speech import build_awareness
from orchestrator.guard.sessions.state import SessionState


@hook("UserPromptSubmit")
def run(call: Call) -> Answer:
    """Start a drive; give the model the time, the breadcrumb and the token budget."""
    with SessionState.edit(call.session_id, call.root, save=not call.testing) as state:
        start_drive(state, call.prompt_id, call.now)
    call.log_event("dev_drv_started", prompt_uuid=call.prompt_id)
    return allow_with_context(call.event, build_awareness(call))
