"""List the hook events of Claude Code, and what the matcher of each is compared with.

Source: the CLI 2.1.330 (`claude plugin validate` names unknown events; the value that a matcher is compared with was
read in the code of the CLI).
"""

from collections.abc import Mapping
from types import MappingProxyType

TOOL, SUBAGENT, MCP_SERVER = "tool name", "agent type", "MCP server"

EVENTS: Mapping[str, str] = MappingProxyType(
    {
        "PreToolUse": TOOL,
        "PostToolUse": TOOL,
        "PostToolUseFailure": TOOL,
        "PermissionRequest": TOOL,
        "PermissionDenied": TOOL,
        "SubagentStart": SUBAGENT,
        "SubagentStop": SUBAGENT,
        "Elicitation": MCP_SERVER,
        "ElicitationResult": MCP_SERVER,
        "SessionStart": "source",
        "SessionEnd": "reason",
        "Setup": "trigger",
        "PreCompact": "trigger",
        "PostCompact": "trigger",
        "PreModelSwitch": "model",
        "PostModelSwitch": "model",
        "Notification": "notification type",
        "StopFailure": "error",
        "ConfigChange": "source",
        "DirectoryAdded": "source",
        "InstructionsLoaded": "load reason",
        "FileChanged": "file name",
        "UserPromptExpansion": "command name",
        "PostToolBatch": "",
        "UserPromptSubmit": "",
        "Stop": "",
        "TeammateIdle": "",
        "TaskCreated": "",
        "TaskCompleted": "",
        "WorktreeCreate": "",
        "WorktreeRemove": "",
        "CwdChanged": "",
        "MessageDisplay": "",
    }
)
"""Each event with what its matcher is compared with; "" where a matcher has no effect."""
