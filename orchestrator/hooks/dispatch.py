"""From the name of a hook event to its handler, which is imported only then."""

from importlib import import_module

from orchestrator.hooks.hook import Answer, Run, guarded, silent

HANDLERS = {
    "SessionStart": "handle_session_start",
    "UserPromptSubmit": "handle_user_prompt_submit",
    "PreToolUse": "handle_pre_tool_use",
    "PostToolUse": "handle_post_tool_use",
    "PreCompact": "handle_pre_compact",
    "Stop": "handle_stop",
    "SubagentStop": "handle_subagent_stop",
    "SessionEnd": "handle_session_end",
}
"""Each hook event that is handled, and the module that does it."""


def dispatch(event: str, stdin_json: str = "", testing: bool = True) -> Answer:
    """Answer a hook event; one that nobody handles lets the session go on."""
    name = HANDLERS.get(event)
    return guarded(event, lambda: _handler(name)(stdin_json, testing)) if name else silent()


def _handler(name: str) -> Run:
    run: Run = import_module(f"orchestrator.hooks.{name}").run
    return run
