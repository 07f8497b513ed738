"""Find commands and agents of a plugin that its manifest does not list, although a text calls them.

Source: the CLI 2.1.332; `tests/e2e/facts/test_unit_facts.py` asks it. A list under `commands` or `agents`, also an
empty one, replaces the default folder.
"""

import posixpath
import re
from collections.abc import Iterator, Mapping, Sequence

import msgspec

from actions.memo import memoize, memoize_all
from actions.project.find_units import find_plugin_units, find_units
from actions.project.manifest_paths import has_rejected_path
from actions.project.named_units import may_be_missing
from actions.project.plugins import MANIFEST, Plugin, find_entries, find_plugins
from actions.project.project import Project
from actions.project.units import UnitKind
from actions.regex import regex

_KEYS = {"agents": UnitKind.AGENT, "commands": UnitKind.COMMAND}
_CALLED_KINDS = {"agents": (UnitKind.AGENT,), "commands": (UnitKind.COMMAND, UnitKind.SKILL)}
"""The kinds of units that a call may mean, by the key of the manifest."""
_GLOB = regex(r"[*?\[{]")
_TEXT_FOR_PEOPLE = regex(r"(?i:readme|index|template)\b|[A-Z0-9_]+\.md")
_ROOT_TEXTS = ("README.md", "CLAUDE.md", "AGENTS.md")
_HISTORY = regex(r"(?i)changelog|history|migrat|release")
_MAX_BYTES = 200_000


class UnlistedPart(msgspec.Struct, frozen=True):
    """A file of a plugin that is not loaded, the key and its line in the manifest, and a text that calls the unit.

    `count` is the number of such files that texts call.
    """

    plugin_root: str
    path: str
    key: str
    line: int
    call: str
    caller: str
    count: int


@memoize_all
def find_unlisted_parts(project: Project) -> Iterator[UnlistedPart]:
    """Yield the first unlisted file that a text calls, for each key of each manifest that lists files."""
    for plugin in find_plugins(project).values():
        for key, kind in _KEYS.items():
            names = _map_unlisted(project, plugin, key)
            calls = [*_find_calls(project, plugin, kind, [*names])] if names else []
            document = project.read_json(plugin.join(MANIFEST))
            if calls and document:
                (name, caller), count = calls[0], len({name for name, _ in calls})
                call, line = f"/{name}" if kind is UnitKind.COMMAND else name, document.find_line(key)
                yield UnlistedPart(plugin.root, names[name], key, line, call, caller, count)


def _map_unlisted(project: Project, plugin: Plugin, key: str) -> Mapping[str, str]:
    """Map the names that the files in the default folder would have to their paths, if nothing loads these."""
    if not _replaces_folder(project, plugin, key):
        return {}
    folder, loaded = plugin.join(key), _list_loaded(project)
    names: dict[str, str] = {}
    for path in project.list_below(folder):
        is_text = _TEXT_FOR_PEOPLE.match(posixpath.basename(path)) is not None
        stem = path.removeprefix(f"{folder}/").removesuffix(".md").replace("/", ":")
        name = f"{plugin.name}:{stem}"
        is_loaded = any((kind, word) in loaded for kind in _CALLED_KINDS[key] for word in (path, name))
        if path.endswith(".md") and not is_text and not is_loaded:
            names[name] = path
    return names


def _replaces_folder(project: Project, plugin: Plugin, key: str) -> bool:
    """Return whether the manifest lists files under a key, without globs, and no marketplace has the key as well."""
    value = project.read_object(plugin.join(MANIFEST)).get(key)
    paths = [value] if isinstance(value, str) else value
    if not isinstance(paths, list) or has_rejected_path(plugin.manifest):
        return False
    is_plain = all(
        isinstance(path, str) and not _GLOB.search(path) and project.exists(plugin.join(path)) for path in paths
    )
    return is_plain and not any(key in entry.value for entry in find_entries(project) if entry.root == plugin.root)


@memoize
def _list_loaded(project: Project) -> frozenset[tuple[UnitKind, str]]:
    """Return the paths of all units, and the names of those of plugins, each with the kind."""
    named = ((unit.kind, unit.name) for unit in find_plugin_units(project))
    units = (*find_plugin_units(project), *find_units(project))
    return frozenset((*named, *((unit.kind, unit.path) for unit in units)))


def _find_calls(project: Project, plugin: Plugin, kind: UnitKind, names: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield (name, place) for the lines that call one of these names, in the plugin's texts and those at the root."""
    before = r"(?<![\w/.:-])/" if kind is UnitKind.COMMAND else r"(?<![\w/.:-])"
    call = re.compile(rf"{before}({'|'.join(map(re.escape, names))})(?![\w:/-]|\.\w)")
    texts = (path for path in project.list_below(plugin.root) if path.endswith(".md"))
    for path in dict.fromkeys((*_ROOT_TEXTS, *texts)):
        is_read = path in project.files and project.files[path].size <= _MAX_BYTES
        file = project.read_text_file(path) if is_read and not _HISTORY.search(path) else None
        for number, line in enumerate(file.doc.lines, 1) if file else ():
            names_called = call.findall(line) if ":" in line else []
            if file and names_called and not may_be_missing(file, number):
                yield from ((name, f"{path}:{number}") for name in names_called)
