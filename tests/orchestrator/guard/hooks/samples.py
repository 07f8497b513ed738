"""Build the input of each hook, as Claude Code passes it on stdin, with invented values."""

import json

SESSION = "7c1e90aa-1b2c-4d3e-8f40-51627384a5b6"
PROMPT = "3d5f7a91-0c2e-4f68-9ab1-c2d3e4f50617"


def make_input(event, **fields):
    """Return the input of a hook as a dictionary."""
    base = {
        "session_id": SESSION,
        "transcript_path": f"/nowhere/projects/-work/{SESSION}.jsonl",
        "cwd": "/nowhere/work",
        "prompt_id": PROMPT,
        "permission_mode": "default",
        "effort": {"level": "medium"},
        "hook_event_name": event,
    }
    return {**base, **fields}


def make_stdin(event, **fields):
    """Return the input of a hook as text."""
    return json.dumps(make_input(event, **fields))


def _make_tool_input(event, name, tool_input, response=None, **fields):
    response_fields = {"tool_response": response, "duration_ms": 12} if event == "PostToolUse" else {}
    return make_input(event, tool_name=name, tool_input=tool_input, tool_use_id="toolu_01", **response_fields, **fields)


TODOS = {"todos": [{"content": "sort the index", "status": "in_progress", "activeForm": "sorting the index"}]}
SAMPLES = {
    "SessionStart startup": make_input("SessionStart", source="startup", model="claude-x"),
    "SessionStart resume": make_input(
        "SessionStart", source="resume", context_tokens=2100, prompt_cache_likely_expired=True
    ),
    "SessionStart compact": make_input("SessionStart", source="compact"),
    "SessionStart clear": make_input("SessionStart", source="clear"),
    "UserPromptSubmit": make_input("UserPromptSubmit", prompt="sort the index, please"),
    "UserPromptExpansion": make_input(
        "UserPromptExpansion", expansion_type="slash_command", command_name="x", command_args=""
    ),
    "PreToolUse Bash": _make_tool_input("PreToolUse", "Bash", {"command": "wc -l index.txt", "description": "count"}),
    "PreToolUse Edit": _make_tool_input(
        "PreToolUse", "Edit", {"file_path": "/w/a", "old_string": "b", "new_string": "a\nb"}
    ),
    "PreToolUse Agent": _make_tool_input(
        "PreToolUse", "Agent", {"description": "look", "prompt": "look", "subagent_type": "Explore"}
    ),
    "PreToolUse in a sub-agent": _make_tool_input(
        "PreToolUse", "Bash", {"command": "ls"}, agent_id="a1", agent_type="Explore"
    ),
    "PostToolUse Bash": _make_tool_input(
        "PostToolUse", "Bash", {"command": "ls"}, {"stdout": "a\nb", "stderr": "", "interrupted": False}
    ),
    "PostToolUse Read": _make_tool_input(
        "PostToolUse", "Read", {"file_path": "/w/a"}, {"type": "text", "file": {"content": "x"}}
    ),
    "PostToolUse Skill": _make_tool_input(
        "PostToolUse", "Skill", {"skill": "sorter"}, {"success": True, "commandName": "sorter"}
    ),
    "PostToolUse TodoWrite": _make_tool_input(
        "PostToolUse", "TodoWrite", TODOS, {"oldTodos": [], "newTodos": TODOS["todos"]}
    ),
    "PostToolUse TaskCreate": _make_tool_input("PostToolUse", "TaskCreate", {"subject": "sort"}, {"task": {"id": "1"}}),
    "PostToolUseFailure": make_input("PostToolUseFailure", tool_name="Bash", error="exit 3", is_interrupt=False),
    "PostToolBatch": make_input("PostToolBatch", tool_calls=[{"tool_name": "Nope"}]),
    "PermissionRequest": make_input("PermissionRequest", tool_name="Bash", tool_input={"command": "ls"}),
    "SubagentStart": make_input("SubagentStart", agent_id="a1", agent_type="Explore"),
    "SubagentStop": make_input(
        "SubagentStop", agent_id="a1", agent_type="Explore", stop_hook_active=False, last_assistant_message="done"
    ),
    "SubagentStop of a compaction": make_input(
        "SubagentStop", agent_id="a2", agent_type="", last_assistant_message="<summary>s</summary>"
    ),
    "TaskCreated": make_input("TaskCreated", task_id="1", task_subject="sort", task_description="sort it"),
    "TaskCompleted": make_input("TaskCompleted", task_id="1", task_subject="sort", task_description="sort it"),
    "PreCompact manual": make_input("PreCompact", trigger="manual", custom_instructions="keep the list"),
    "PreCompact auto": make_input("PreCompact", trigger="auto", custom_instructions=None),
    "PostCompact": make_input("PostCompact", trigger="auto", compact_summary="s"),
    "InstructionsLoaded": make_input("InstructionsLoaded", file_path="/w/CLAUDE.md", load_reason="compact"),
    "MessageDisplay": make_input("MessageDisplay", message="hello"),
    "Stop": make_input(
        "Stop", stop_hook_active=False, last_assistant_message="done", background_tasks=[], session_crons=[]
    ),
    "Stop again": make_input("Stop", stop_hook_active=True, last_assistant_message="done"),
    "SessionEnd": make_input("SessionEnd", reason="other"),
}
