"""List the hook events of Claude Code, and the value with which each event's matcher is compared.

Source: the CLI 2.1.330. `claude plugin validate` names unknown events; the values that matchers are compared with were
read in the CLI's code.
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
"""The value with which each event's matcher is compared; "" if a matcher has no effect."""


HOOK_FIELDS: Mapping[str, Mapping[str, str]] = MappingProxyType(
    {
        "command": {"command": "text!", "args": "texts", "shell": "bash|powershell", "onFailure": "continue|block",
                    "async": "flag", "asyncRewake": "flag", "rewakeMessage": "text", "rewakeSummary": "text"},
        "prompt": {"prompt": "text!", "model": "text", "continueOnBlock": "flag"},
        "agent": {"prompt": "text!", "model": "text"},
        "http": {"url": "text!", "headers": "object", "allowedEnvVars": "texts", "onFailure": "continue|block"},
        "mcp_tool": {"server": "text!", "tool": "text!", "input": "object", "onFailure": "text"},
    }
)  # fmt: skip
"""The fields of each hook type and the kinds of their values. `!` marks a required field, `|` separates values."""
COMMON_FIELDS: Mapping[str, str] = MappingProxyType(
    {"type": "text!", "if": "text", "timeout": "seconds", "statusMessage": "text", "once": "flag"}
)
"""The fields of every type of hook."""
STRICT_EVENTS = frozenset({"PreToolUse", "PermissionRequest"})
"""Events of which one invalid hook makes Claude Code drop the whole file."""
SESSION_END_SECONDS = 60
"""The maximum number of seconds that Claude Code waits for the hooks of `SessionEnd`."""
PLUGIN_SESSION_END_SECONDS = 1.5
"""The limit if only plugins have such hooks; their `timeout` is ignored. Source: the CLI 2.1.332, which a test runs."""
MATCHER_VALUES: Mapping[str, frozenset[str]] = MappingProxyType(
    {
        "SessionStart": frozenset({"startup", "resume", "clear", "compact"}),
        "PreCompact": frozenset({"manual", "auto"}),
        "PostCompact": frozenset({"manual", "auto"}),
    }
)
"""The only values with which an event's matcher is compared."""
