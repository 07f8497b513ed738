"""Find the keys of `enabledPlugins` in the settings by which Claude Code enables no plugin.

Source: the CLI 2.1.332; `tests/e2e/facts/test_settings_facts.py` asks it. A key is `plugin@marketplace`; another key is
ignored without a message.
"""

from collections.abc import Iterator

import msgspec

from actions.memo import memoize
from actions.project.facts.settings import SETTINGS_FILES
from actions.project.plugins import find_entries
from actions.project.project import Project
from actions.project.units import Unit
from actions.regex import regex

_KEY = regex(r"(?:([\w.-]{1,200})[/:])?([\w.-]{1,200})")


class PluginKey(msgspec.Struct, frozen=True):
    """A key of `enabledPlugins` without a marketplace: its line, its name, and the key that is meant, or ""."""

    line: int
    name: str
    known: str


def find_invalid_plugin_keys(project: Project, unit: Unit) -> Iterator[PluginKey]:
    """Yield the keys of this settings file that are to enable a plugin, but do not name its marketplace."""
    if unit.path.rpartition("/")[2] not in SETTINGS_FILES or not (document := project.read_json(unit.path)):
        return
    plugins = project.read_object(unit.path).get("enabledPlugins")
    keys = plugins if isinstance(plugins, dict) else {}
    for key, value in keys.items():
        if "@" not in key and value is True:
            known = _find_known(project, key)
            line = document.find_line("enabledPlugins", key)
            yield PluginKey(line, key, "" if known in keys else known)


def _find_known(project: Project, key: str) -> str:
    """Return the `plugin@marketplace` that a key such as `marketplace/plugin` or `plugin` means, or ""."""
    if not (match := _KEY.fullmatch(key)):
        return ""
    marketplace, plugin = match.groups()
    known = [other for name, other in _list_plugins(project) if name == plugin and marketplace in (None, other)]
    return f"{plugin}@{known[0]}" if len(known) == 1 else ""


@memoize
def _list_plugins(project: Project) -> frozenset[tuple[str, str]]:
    """Return the name of each plugin in a marketplace of the project, with that of the marketplace."""
    pairs = ((entry.value.get("name"), project.read_object(entry.path).get("name")) for entry in find_entries(project))
    return frozenset((plugin, name) for plugin, name in pairs if isinstance(plugin, str) and isinstance(name, str))
