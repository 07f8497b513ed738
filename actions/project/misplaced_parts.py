"""Find parts of a plugin in places where Claude Code does not look: inside `.claude-plugin`, or hooks in other files.

Source: the CLI 2.1.332; `tests/e2e/facts/test_unit_facts.py` asks it. In `.claude-plugin` it reads only the manifests.
"""

import posixpath
from collections.abc import Iterator

import msgspec

from actions.memo import memoize, memoize_all
from actions.project.facts.hooks import EVENTS
from actions.project.find_units import find_plugin_units
from actions.project.plugins import Plugin, find_entries, find_plugins
from actions.project.project import Project
from actions.project.units import UnitKind
from actions.regex import regex
from actions.skill.paths import MAIN

_INSIDE = ".claude-plugin"
_HOOKS_FILE = "hooks/hooks.json"
_HOOKS_PLACES = ("hooks.json", f"{_INSIDE}/hooks.json", f"{_INSIDE}/{_HOOKS_FILE}", "config/hooks.json")
_FOLDERS = {"agents": "agents", "commands": "commands", "skills": "skills"}
"""The keys of a manifest, each with the folder where Claude Code looks without it."""
_MAX_BYTES = 200_000
_TEXT_FOR_PEOPLE = regex(r"(?i:readme|index|template)\b|[A-Z0-9_]+\.md")
_READER = regex(r"\.(?:sh|bash|ps1|py|[mc]?js|ts|ya?ml)\Z|(?:\A|/)(?:Makefile|(?:package|plugin)\.json)\Z")
_INSTALLER = regex(
    r"(?i)(?:install|setup|init|bootstrap|deploy|merge)[\w.-]*\.(?:sh|bash|ps1|py|[mc]?js|ts)\Z|(?:\A|/)Makefile\Z"
)
"""The path of a script that may copy a hooks file to the settings."""
_TEST = regex(r"(?:\A|/)(?:tests?|__tests__)/")


class MisplacedPart(msgspec.Struct, frozen=True):
    """A file or a folder of a plugin that is not loaded, the place where Claude Code looks, and the number of files."""

    plugin_root: str
    path: str
    expected: str
    count: int = 1


@memoize_all
def find_misplaced_parts(project: Project) -> Iterator[MisplacedPart]:
    """Yield the folders of units and the hooks files of plugins that Claude Code does not load.

    A part for which the manifest or an entry of a marketplace has a key is left out: it is loaded, or replaced.
    """
    for plugin in find_plugins(project).values():
        if plugin.join(f"{_INSIDE}/plugin.json") in project.files:
            keys = _list_keys(project, plugin)
            for key, folder in _FOLDERS.items():
                place = plugin.join(f"{_INSIDE}/{folder}")
                count = len([*_list_lost_units(project, plugin, place, plugin.join(folder))])
                if count and key not in keys:
                    yield MisplacedPart(plugin.root, place, plugin.join(folder), count)
            if "hooks" not in keys and not _has_hooks(project, plugin):
                yield from _find_hooks_files(project, plugin)


def _list_keys(project: Project, plugin: Plugin) -> set[str]:
    """Return the keys of the manifest and of all entries of marketplaces for the plugin."""
    entries = (entry.value for entry in find_entries(project) if entry.root == plugin.root)
    return set(plugin.manifest).union(*entries)


def _list_lost_units(project: Project, plugin: Plugin, place: str, expected: str) -> Iterator[str]:
    """Yield the texts of units below a folder that no plugin loads, from there or as a copy in the right folder."""
    for path in project.list_below(place):
        is_unit = path.endswith(f"/{MAIN}") if place.endswith("/skills") else path.endswith(".md")
        is_text = _TEXT_FOR_PEOPLE.match(posixpath.basename(path)) is not None and not path.endswith(f"/{MAIN}")
        is_copy = f"{expected}{path.removeprefix(place)}" in project.files
        if is_unit and not is_text and not is_copy and path not in _list_loaded(project):
            yield path


@memoize
def _list_loaded(project: Project) -> frozenset[str]:
    return frozenset(unit.path for unit in find_plugin_units(project))


def _has_hooks(project: Project, plugin: Plugin) -> bool:
    """Return whether Claude Code loads hooks of the plugin from another file."""
    return any(unit.kind is UnitKind.HOOKS and unit.plugin_root == plugin.root for unit in find_plugin_units(project))


def _find_hooks_files(project: Project, plugin: Plugin) -> Iterator[MisplacedPart]:
    for path in map(plugin.join, _HOOKS_PLACES):
        value = project.read_object(path)
        hooks = value["hooks"] if isinstance(value.get("hooks"), dict) else value
        is_inside = f"/{_INSIDE}/" in f"/{path}"
        is_of_plugin = is_inside or b"CLAUDE_PLUGIN_ROOT" in (project.read_bytes(path) or b"")
        is_loaded = EVENTS.keys().isdisjoint(hooks) or path in _list_loaded(project)
        if is_of_plugin and not is_loaded and not _is_used(project, plugin, is_inside):
            yield MisplacedPart(plugin.root, path, plugin.join(_HOOKS_FILE))


def _is_used(project: Project, plugin: Plugin, is_inside: bool) -> bool:
    """Return whether something else reads a hooks file of the plugin: an installer or the manifest of another tool.

    Outside `.claude-plugin`, any script that names the file counts.
    """
    reader = _INSTALLER if is_inside else _READER
    return any(
        b"hooks.json" in (project.read_bytes(path) or b"")
        for path in project.list_below(plugin.root)
        if reader.search(path) and project.files[path].size <= _MAX_BYTES and not _TEST.search(path)
    )
