"""Find the paths in manifests and marketplaces that are of the wrong kind: a file for a folder, or a type of file.

Source: the CLI 2.1.332; `tests/e2e/facts/test_manifest_facts.py` asks it. `skills` are folders, `commands` folders or
`.md` files. Claude Code does not load a plugin whose `hooks`, `mcpServers` or `lspServers` is a path that does not end
in `.json` (for a server, also `.mcpb` or `.dxt`).
"""

import posixpath
from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from actions.memo import memoize
from actions.project.find_units import find_plugin_units
from actions.project.json_document import JsonDocument
from actions.project.manifest_paths import is_rejected, is_sample, list_paths
from actions.project.plugins import MANIFEST, MARKETPLACE, find_entries
from actions.project.project import Project
from actions.project.units import Unit, UnitKind
from actions.skill.frontmatter import parse_frontmatter
from actions.skill.paths import MAIN

_FILE_TYPES = {"hooks": (".json",), "mcpServers": (".json", ".mcpb", ".dxt"), "lspServers": (".json",)}
"""The keys whose paths must be those of a file, each with the ends of such a path."""


class WrongKind(msgspec.Struct, frozen=True):
    """A path in a manifest that is of the wrong kind: its line, the path as written (`word`), its key, and the fault.

    `loses_plugin` means that nothing of the plugin is loaded, `is_harmless` that the skill is loaded from elsewhere.
    """

    line: int
    word: str
    key: str
    fault: str
    loses_plugin: bool = False
    is_harmless: bool = False


def find_wrong_kinds(project: Project, unit: Unit) -> Iterator[WrongKind]:
    """Yield the paths of the wrong kind in a plugin's manifest, or in the entries of a marketplace."""
    document = project.read_json(unit.path)
    if document is None or not isinstance(document.value, dict) or is_sample(unit):
        return
    if unit.path.endswith(MANIFEST):
        root = unit.path.removesuffix(MANIFEST).rstrip("/")
        yield from _find_in_manifest(project, document, root, (), document.value)
    elif unit.path.endswith(MARKETPLACE):
        for entry in find_entries(project):
            if entry.path == unit.path:
                yield from _find_in_manifest(project, document, entry.root, ("plugins", entry.index), entry.value)


def _find_in_manifest(
    project: Project, document: JsonDocument, root: str, steps: tuple[str | int, ...], manifest: Mapping[str, Any]
) -> Iterator[WrongKind]:
    for inner, word in list_paths(manifest):
        key, path = str(inner[0]), posixpath.normpath(posixpath.join(root, word))
        line = document.find_line(*steps, *inner)
        if not word.startswith("./") or is_rejected(key, word):
            continue
        if key in _FILE_TYPES and not word.endswith(_FILE_TYPES[key]):
            yield WrongKind(line, word, key, "does not end in `.json`", loses_plugin=True)
        elif key == "skills" and path in project.files:
            instead = f": name its folder, `{posixpath.dirname(word)}`" if word.endswith(f"/{MAIN}") else ""
            fault = f"is a file, not the folder of a `{MAIN}`{instead}"
            yield WrongKind(line, word, key, fault, is_harmless=_get_name(path) in _list_skills(project, root))
        elif key == "skills" and path in project.folders and _has_loose_skills(project, path):
            yield WrongKind(line, word, key, f"has no folder with a `{MAIN}`")
        elif key == "commands" and path in project.files and not word.endswith(".md"):
            yield WrongKind(line, word, key, "is not a `.md` file")


def _get_name(path: str) -> str:
    """Return the name of the skill that a file is meant to be."""
    folder, name = posixpath.split(path)
    return posixpath.basename(folder) if name == MAIN else posixpath.splitext(name)[0]


def _list_skills(project: Project, root: str) -> frozenset[str]:
    """Return the names of the skills that Claude Code loads for a plugin."""
    units = (unit for unit in find_plugin_units(project) if unit.kind is UnitKind.SKILL and unit.plugin_root == root)
    return frozenset(posixpath.basename(unit.folder) for unit in units)


def _has_loose_skills(project: Project, folder: str) -> bool:
    """Return whether a folder has files like skills, and no skill or other unit that Claude Code loads."""
    paths = [path for path in project.list_below(folder) if path.endswith(".md")]
    is_loaded = not _list_unit_paths(project).isdisjoint(paths)
    is_deeper = any(path.endswith(f"/{MAIN}") for path in paths)
    return not is_loaded and not is_deeper and any(_has_description(project, path) for path in paths)


@memoize
def _list_unit_paths(project: Project) -> frozenset[str]:
    return frozenset(unit.path for unit in find_plugin_units(project))


def _has_description(project: Project, path: str) -> bool:
    lines = (project.read_bytes(path) or b"").decode("utf-8", "replace").splitlines()
    return {"name", "description"} <= parse_frontmatter(tuple(lines)).values.keys()
