"""Find the handler of a hook event, import it, and answer the event."""

import os
import sys
from contextlib import suppress
from importlib import import_module
from typing import TYPE_CHECKING, NoReturn

if TYPE_CHECKING:
    from orchestrator.guard.hooks.hook import Answer, Handler

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
"""Maps hook events to the modules of their handlers."""


def serve(event: str) -> NoReturn:
    """Read a hook event from stdin, answer it on stdout, and exit.

    The rest of tune-skill is not loaded, so that hooks are fast.
    """
    import gc
    import json

    gc.disable()  # a short process has no garbage worth collecting
    stdin = sys.stdin.buffer.read() if sys.stdin else b""
    try:
        answer = dispatch(event, stdin.decode("utf-8", "replace"), testing=False)
    except BaseException as error:  # noqa: BLE001 - under TUNE_SKILL_STRICT=1, or Ctrl-C
        from orchestrator.exits import report_error

        sys.exit(report_error(error))
    with suppress(OSError):  # if stdout is full or closed, the session continues anyway
        _write(json.dumps(answer).encode() + b"\n")
    os._exit(0)  # nothing is buffered, and the user would wait for the shutdown


def _write(text: bytes) -> None:
    while text:
        text = text[os.write(1, text) :]


def dispatch(event: str, stdin_json: str = "", testing: bool = True) -> "Answer":
    """Answer a hook event. If the event has no handler, let the session continue."""
    from orchestrator.guard.hooks.hook import allow, run_guarded

    name = HANDLERS.get(event)
    return run_guarded(event, lambda: _load_handler(name)(stdin_json, testing), stdin_json) if name else allow()


def _load_handler(name: str) -> "Handler":
    run: Handler = import_module(f"orchestrator.guard.hooks.{name}").run
    return run
