"""Recognize the folders of other tools, whose texts Claude Code does not load and whose names it does not know."""

from actions.regex import regex

_TOOLS = "antigravity|cline|codex|continue|copilot|cursor|gemini|kilocode|kiro|opencode|qwen|roo|windsurf"
_ANY_FOLDER = regex(
    rf"(?:\A|/)(?:\.(?:{_TOOLS})|(?:adapters|exports|integrations|platforms|targets)/(?:{_TOOLS}|pi)(?:-cli)?)/"
)
_COMMAND_FOLDER = regex(rf"\.(?:{_TOOLS})/(?:command|prompt|workflow)s?\b")


def is_in_other_tool(path: str) -> bool:
    """Return whether a path is in a folder of another tool, such as `.cursor` or `integrations/windsurf`.

    A folder that only has the name of a tool does not count: a plugin `codex` may call that tool.
    """
    return _ANY_FOLDER.search(path) is not None


def names_other_commands(text: str) -> bool:
    """Return whether a text names a folder with another tool's commands, which may look like those of a plugin."""
    return _COMMAND_FOLDER.search(text) is not None
