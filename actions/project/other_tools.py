"""Recognize the folders of other tools, whose texts Claude Code does not load and whose names it does not know."""

from actions.memo import memoize
from actions.project.project import Project
from actions.project.units import Unit
from actions.regex import regex

_TOOLS = "antigravity|cline|codex|continue|copilot|cursor|gemini|kilocode|kiro|opencode|qwen|roo|windsurf"
_ANY_FOLDER = regex(
    rf"(?:\A|/)(?:\.(?:{_TOOLS}|agents?|openclaw|pi)|\.github/skills|(?:adapters|exports|integrations|platforms|targets)/(?:{_TOOLS}|pi)(?:-cli)?)/"
)
_EDITION = regex(r"(?:\A|/)[\w.-]+-(?:antigravity|codex|copilot|cursor|gemini|kiro|opencode|qwen|windsurf)(?:-cli)?/")
"""The folder of an edition for another tool, such as `birds-codex`."""
_SIGN = regex(
    rf"(?:\A|/)(?:\.(?:{_TOOLS}|agents?|openclaw|pi)(?:-plugin)?(?:/|\Z)|(?:AGENTS|GEMINI|QWEN)\.md\Z|\.(?:cline|cursor|roo|windsurf)rules\Z"
    r"|gemini-extension\.json\Z|opencode\.jsonc?\Z|\.github/(?:skills|prompts|agents|chatmodes|copilot-instructions\.md))"
)
"""The path of a file that another tool reads: its folder, its memory file, its manifest."""
_COMMAND_FOLDER = regex(rf"\.(?:{_TOOLS})/(?:command|prompt|workflow)s?\b")


def is_for_other_tool(unit: Unit) -> bool:
    """Return whether a unit is in a folder of another tool: `.cursor`, `.agents`, `adapters/windsurf`, `birds-codex`.

    A folder that only has the name of a tool does not count, and neither does a plugin of Claude Code such as
    `ask-codex`: it may call that tool.
    """
    is_in_edition = not unit.is_loaded and _EDITION.search(unit.path) is not None
    return is_in_edition or _ANY_FOLDER.search(unit.loading_path) is not None


@memoize
def has_sign_of_other_tool(project: Project) -> bool:
    """Return whether the project has a file or a link that another tool reads."""
    return any(map(_SIGN.search, (*project.files, *project.unread)))


def names_other_commands(text: str) -> bool:
    """Return whether a text names a folder with another tool's commands, which may look like those of a plugin."""
    return _COMMAND_FOLDER.search(text) is not None
