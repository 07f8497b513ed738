"""List the types of the values in plugin.json and marketplace.json that Claude Code accepts.

Source: the CLI 2.1.332, `claude plugin marketplace add` and `claude plugin install`; `tests/e2e/facts` asks it. A
plugin.json with another type is refused, and its plugin is not loaded. In an entry of a marketplace it prevents the
installation of the plugin, and elsewhere in marketplace.json the marketplace cannot be added. Other keys are not
checked: of plugin.json, for example, `author` and `repository` may have any type.
"""

from collections.abc import Mapping

from actions.regex import regex

_PATHS = (str, list)
_TEXT = (str,)
_LIST = (list,)
_OBJECT = (dict,)
Types = Mapping[str, tuple[type, ...]]

PLUGIN: Types = {
    "version": _TEXT,
    "skills": _PATHS,
    "agents": _PATHS,
    "commands": (str, list, dict),
    "hooks": (str, list, dict),
    "mcpServers": (str, list, dict),
    "lspServers": (str, list, dict),
    "outputStyles": _PATHS,
    "dependencies": _LIST,
    "settings": _OBJECT,
    "userConfig": _OBJECT,
}
ENTRY: Types = {
    **PLUGIN,
    "description": _TEXT,
    "author": _OBJECT,
    "homepage": _TEXT,
    "repository": _TEXT,
    "license": _TEXT,
    "category": _TEXT,
    "keywords": _LIST,
    "tags": _LIST,
    "strict": (bool,),
}
"""An entry of a marketplace."""
MARKETPLACE: Types = {
    "name": _TEXT,
    "owner": _OBJECT,
    "plugins": _LIST,
    "description": _TEXT,
    "version": _TEXT,
    "metadata": _OBJECT,
}
PERSON: Types = {"name": _TEXT, "email": _TEXT}
METADATA: Types = {"description": _TEXT, "version": _TEXT, "pluginRoot": _TEXT}
REQUIRED_IN_MARKETPLACE = ("name", "owner", "plugins")
ELEMENTS: Mapping[str, tuple[type, ...]] = {
    **dict.fromkeys(("skills", "agents", "commands", "outputStyles"), _TEXT),
    **dict.fromkeys(("hooks", "mcpServers", "lspServers", "dependencies"), (str, dict)),
}
"""The types that the elements of lists may have, in plugin.json and in an entry."""
COMMAND_TYPES = (dict,)
"""The type of each command, if `commands` is an object."""
NAMES = {str: "a string", list: "a list", dict: "an object", bool: "true or false"}
"""How a message names a type."""

OPTION_NAME = regex(r"(?a)[A-Za-z_]\w*")
"""The name of an option in `userConfig`."""
OPTION_TYPES = ("string", "number", "boolean", "directory", "file")
REQUIRED_IN_OPTION = ("type", "title", "description")
OPTION: Types = {
    **dict.fromkeys(("type", "title", "description"), _TEXT),
    **dict.fromkeys(("required", "multiple", "sensitive"), (bool,)),
    **dict.fromkeys(("min", "max"), (int, float)),
    "default": (str, int, float, bool, list),
    "options": _LIST,
}
"""The keys of an option. Claude Code refuses an option with another key."""
