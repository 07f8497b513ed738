"""List variables that hooks use although Claude Code does not set them, and the fields that have the data.

Source: the CLI 2.1.332, which gives a hook its data as JSON on standard input. `tests/e2e/facts/test_hook_facts.py`
compares the names with the environment of hooks, and the fields with their input.
"""

from collections.abc import Mapping
from types import MappingProxyType

from actions.regex import regex

_FILE, _COMMAND, _RESULT = "tool_input.file_path", "tool_input.command", "tool_response"

DATA_VARIABLES: Mapping[str, str] = MappingProxyType(
    {
        "CLAUDE_FILE_PATH": _FILE,
        "CLAUDE_FILE_PATHS": _FILE,
        "CLAUDE_TOOL_NAME": "tool_name",
        "CLAUDE_TOOL_INPUT": "tool_input",
        "CLAUDE_TOOL_INPUT_FILE_PATH": _FILE,
        "CLAUDE_TOOL_INPUT_PATH": _FILE,
        "CLAUDE_TOOL_INPUT_file_path": _FILE,
        "CLAUDE_TOOL_INPUT_COMMAND": _COMMAND,
        "CLAUDE_TOOL_INPUT_command": _COMMAND,
        "CLAUDE_TOOL_PARAMS": "tool_input",
        "CLAUDE_TOOL_ARGS": "tool_input",
        "CLAUDE_TOOL_ARGUMENTS": "tool_input",
        "CLAUDE_TOOL_OUTPUT": _RESULT,
        "CLAUDE_TOOL_RESULT": _RESULT,
        "CLAUDE_TOOL_RESPONSE": _RESULT,
        "CLAUDE_COMMAND": _COMMAND,
        "CLAUDE_BASH_COMMAND": _COMMAND,
        "CLAUDE_USER_PROMPT": "prompt",
        "CLAUDE_HOOK_EVENT": "hook_event_name",
        "CLAUDE_HOOK_EVENT_NAME": "hook_event_name",
        "CLAUDE_EVENT_TYPE": "hook_event_name",
        "CLAUDE_HOOK_INPUT": "",
        "CLAUDE_TRANSCRIPT_PATH": "transcript_path",
    }
)
"""Variables that Claude Code does not set, and the field of a hook's input that has the data ("": all of it)."""
DATA_NAME = regex(
    r"CLAUDE_(?:TOOL_\w+|(?:(?:CHANGED|EDITED|MODIFIED|CURRENT|TARGET|WRITTEN)_)?(?i:FILES?(?:_?(?:PATHS?|NAMES?))?)"
    r"|HOOK_(?:EVENT|INPUT|TOOL|TYPE|DATA|PAYLOAD|JSON|FILE)\w*|EVENT(?:_NAME|_DATA)?|PROMPT|USER_(?:INPUT|MESSAGE)"
    r"|NOTIFICATION(?:_MESSAGE|_TITLE|_TYPE)?|MESSAGE|INPUT|OUTPUT|RESPONSE|ARGS|ARGUMENTS|TRANSCRIPT(?:_FILE)?"
    r"|(?:SUB)?AGENT_(?:NAME|TYPE))"
)
"""A name that is like those of `DATA_VARIABLES`. No variable of Claude Code has such a name."""
_FIELDS = (
    (regex(r"(?i)tool_?name"), "tool_name"),
    (regex(r"(?i)command"), _COMMAND),
    (regex(r"(?i)output|result|response"), _RESULT),
    (regex(r"(?i)file|path"), _FILE),
    (regex(r"(?i)tool"), "tool_input"),
    (regex(r"(?i)prompt|user"), "prompt"),
    (regex(r"(?i)transcript"), "transcript_path"),
)
"""Parts of names, and the fields that have such data."""
GENERAL_VARIABLES: Mapping[str, str] = MappingProxyType(
    {
        "TOOL_NAME": "tool_name",
        "TOOL_INPUT": "tool_input",
        "TOOL_INPUT_FILE_PATH": _FILE,
        "TOOL_INPUT_PATH": _FILE,
        "TOOL_INPUT_FILE": _FILE,
        "TOOL_INPUT_file_path": _FILE,
        "TOOL_INPUT_COMMAND": _COMMAND,
        "TOOL_INPUT_command": _COMMAND,
        "TOOL_ARGS": "tool_input",
        "TOOL_PARAMS": "tool_input",
        "TOOL_OUTPUT": _RESULT,
        "TOOL_RESULT": _RESULT,
        "TOOL_RESPONSE": _RESULT,
        "FILE_PATH": _FILE,
        "HOOK_INPUT": "",
        "STDIN": "",
    }
)
"""The same for names that a script may also use for its own purposes, so that they count only in a hook's command."""
ROOT_VARIABLES = frozenset(
    {
        "CLAUDE_PLUGIN_DIR",
        "CLAUDE_PLUGIN_PATH",
        "CLAUDE_PLUGIN_HOME",
        "CLAUDE_PROJECT_ROOT",
        "CLAUDE_PROJECT_PATH",
    }
)
"""Variables that hooks use for a folder although Claude Code does not set them."""
PLUGIN_VARIABLES = frozenset({"CLAUDE_PLUGIN_ROOT", "CLAUDE_PLUGIN_DATA"})
"""Variables that only the hooks of plugins have. Claude Code does not run a hook of settings with `${NAME}`."""


FOLDER_VARIABLES = frozenset({*PLUGIN_VARIABLES, "CLAUDE_PROJECT_DIR"})
"""Variables with a folder that Claude Code sets for hooks."""


def is_data_variable(name: str) -> bool:
    """Return whether Claude Code does not set a variable whose name says that it has the data of a hook."""
    return name in DATA_VARIABLES or DATA_NAME.fullmatch(name) is not None


def is_read_data_variable(name: str) -> bool:
    """Return the same for a name that code reads from its environment, which may also begin with `TOOL_INPUT`."""
    return is_data_variable(name) or name.startswith("TOOL_INPUT")


def get_data_field(name: str) -> str:
    """Return the field of a hook's input that has the data of such a variable ("": all of it)."""
    if name in DATA_VARIABLES or name in GENERAL_VARIABLES:
        return DATA_VARIABLES.get(name, GENERAL_VARIABLES.get(name, ""))
    return next((field for part, field in _FIELDS if part.search(name)), "")
