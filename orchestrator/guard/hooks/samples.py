"""Build sample input of hooks, for `hooks test`."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

SESSION = "00000000-0000-4000-8000-000000000000"
_PROMPT = "Count the gulls on the north shore."
_TOOL_CALL: Mapping[str, Any] = {"tool_name": "Bash", "tool_input": {"command": "ls"}, "tool_use_id": "toolu_sample"}
_EVENT_VALUES: Mapping[str, Mapping[str, Any]] = {
    "SessionStart": {"source": "startup"},
    "UserPromptSubmit": {"prompt": _PROMPT},
    "PreToolUse": _TOOL_CALL,
    "PostToolUse": {**_TOOL_CALL, "tool_response": {"stdout": "gulls.txt", "stderr": "", "interrupted": False}},
    "PreCompact": {"trigger": "manual", "custom_instructions": ""},
    "Stop": {"stop_hook_active": False, "last_assistant_message": "Nine."},
    "SubagentStop": {"agent_id": "sample", "agent_type": "Explore", "stop_hook_active": False},
    "SessionEnd": {"reason": "other"},
}


def build_sample(event: str, transcript: Path) -> str:
    """Build the input of a hook event, with the keys that Claude Code 2.1 sends, in the same order."""
    values = {
        "session_id": SESSION,
        "transcript_path": str(transcript),
        "cwd": str(transcript.parent),
        "prompt_id": "11111111-1111-4111-8111-111111111111",
        "hook_event_name": event,
        **_EVENT_VALUES[event],
    }
    return json.dumps(values)


def build_transcript() -> str:
    """Build a short transcript: a prompt and its answer."""
    answer = [{"type": "text", "text": "Nine."}]
    messages: list[tuple[str, Any]] = [("user", _PROMPT), ("assistant", answer)]
    records = (
        {"type": role, "sessionId": SESSION, "uuid": str(number), "message": {"role": role, "content": content}}
        for number, (role, content) in enumerate(messages)
    )
    return "".join(f"{json.dumps(record)}\n" for record in records)
