"""Find manifests of plugins that lie beside `.claude-plugin`, and the parts that are not loaded for it.

Source: the CLI 2.1.332; `tests/e2e/facts/test_unit_facts.py` asks it. Of `plugin.json` in the root of a plugin it
reads only the version.
"""

from collections.abc import Iterator

import msgspec

from actions.memo import memoize, memoize_all
from actions.project.find_units import find_plugin_units
from actions.project.plugins import MANIFEST, MarketplaceEntry, Plugin, find_entries
from actions.project.project import Project
from actions.skill.paths import MAIN

_KEYS = ("agents", "commands", "skills")
_NAME = "plugin.json"


class MisplacedManifest(msgspec.Struct, frozen=True):
    """A manifest that is not read: the file and the line of the entry for its plugin, and the parts that it loses."""

    marketplace: str
    line: int
    path: str
    expected: str
    parts: tuple[str, ...]


@memoize_all
def find_misplaced_manifests(project: Project) -> Iterator[MisplacedManifest]:
    """Yield the manifests in the root of a marketplace's plugins that name units which nothing else loads."""
    for entry in find_entries(project):
        plugin = Plugin(entry.root, "")
        path, expected = plugin.join(_NAME), plugin.join(MANIFEST)
        if path in project.files and expected not in project.files and _is_first(project, entry):
            parts = tuple(_list_lost_units(project, Plugin(entry.root, "", project.read_object(path))))
            if parts:
                yield MisplacedManifest(entry.path, entry.find_line("source"), path, expected, parts)


def _is_first(project: Project, entry: MarketplaceEntry) -> bool:
    return entry == next(other for other in find_entries(project) if other.root == entry.root)


def _list_lost_units(project: Project, plugin: Plugin) -> Iterator[str]:
    """Yield the units in the paths of a manifest that Claude Code does not load."""
    for key in _KEYS:
        for path in dict.fromkeys(plugin.list_paths(key)):
            yield from (unit for unit in _list_units(project, key, path) if unit not in _list_loaded(project))


def _list_units(project: Project, key: str, path: str) -> Iterator[str]:
    if key == "skills":
        folders = [path, *(f"{path}/{name}" for name in project.list_folder(path))]
        yield from (main for folder in folders if (main := f"{folder}/{MAIN}") in project.files)
    elif path in project.files and path.endswith(".md"):
        yield path


@memoize
def _list_loaded(project: Project) -> frozenset[str]:
    return frozenset(unit.path for unit in find_plugin_units(project))
