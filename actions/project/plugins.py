"""Find the plugins of a project and the paths in their manifests."""

import posixpath
from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from actions.memo import memoize, memoize_all
from actions.project.json_document import JsonDocument
from actions.project.project import Project
from actions.skill.paths import list_parents
from actions.skill.unfilled import has_template_mark

MANIFEST, MARKETPLACE = ".claude-plugin/plugin.json", ".claude-plugin/marketplace.json"


class Plugin(msgspec.Struct, frozen=True):
    """A plugin: its root folder, its name, and its manifest, merged with the entry of a marketplace if there is one."""

    root: str
    name: str
    manifest: Mapping[str, Any] = msgspec.field(default_factory=dict)

    def join(self, path: str) -> str:
        """Return a path of the plugin as a path of the project."""
        return posixpath.normpath(posixpath.join(self.root, path)).removeprefix("./")

    def list_paths(self, key: str) -> tuple[str, ...]:
        """Return the paths (in the project) that the manifest names under a key."""
        value = self.manifest.get(key)
        values = [value] if isinstance(value, str) else value if isinstance(value, list) else []
        return tuple(self.join(path) for path in values if isinstance(path, str))


class MarketplaceEntry(msgspec.Struct, frozen=True, eq=False):
    """An entry of a marketplace for a folder of the project.

    `path` is the marketplace's file, `index` the position of the entry, and `root` the folder.
    """

    path: str
    index: int
    root: str
    value: Mapping[str, Any]
    document: JsonDocument

    def find_line(self, key: str) -> int:
        """Return the line of a key of the entry."""
        return self.document.find_line("plugins", self.index, key)


@memoize
def find_plugins(project: Project) -> Mapping[str, Plugin]:
    """Map root folders to their plugins. A plugin is a folder with a manifest or a source in a marketplace."""
    plugins = {root: Plugin(root, name, manifest) for root, name, manifest in _read_manifests(project)}
    for entry in find_entries(project):
        known = plugins.get(entry.root)
        manifest = {**entry.value, **(known.manifest if known else {})}
        plugins[entry.root] = Plugin(entry.root, _get_name(manifest, entry.root or project.name), manifest)
    return dict(sorted(plugins.items()))


def find_plugin(project: Project, path: str) -> Plugin | None:
    """Return the innermost plugin that contains a path, or None."""
    plugins = find_plugins(project)
    folders = (*list_parents(path), "") if path else ()
    return next((plugins[folder] for folder in folders if folder in plugins), None)


@memoize_all
def find_entries(project: Project) -> Iterator[MarketplaceEntry]:
    """Yield the entries of marketplaces whose source is a folder of the project."""
    for path in project.files:
        if path == MARKETPLACE or path.endswith(f"/{MARKETPLACE}"):
            top = path.removesuffix(MARKETPLACE).rstrip("/")
            document = project.read_json(path)
            marketplace = document.value if document and isinstance(document.value, dict) else {}
            entries, base = marketplace.get("plugins"), _get_plugin_root(marketplace)
            for n, entry in enumerate(entries if isinstance(entries, list) else []):
                source = entry.get("source") if isinstance(entry, dict) else None
                if isinstance(source, str):
                    root = posixpath.normpath(posixpath.join(top, base if not source.startswith(".") else "", source))
                    if document and (root := "" if root == "." else root) in project.folders:
                        yield MarketplaceEntry(path, n, root, entry, document)


def is_scaffold(project: Project, path: str) -> bool:
    """Return whether the name in a manifest, or of an entry of a marketplace, is a placeholder that a program fills."""
    manifest = project.read_object(path)
    entries = manifest.get("plugins")
    named = (manifest, *(entries if isinstance(entries, list) else ()))
    return any(has_template_mark(str(one.get("name"))) for one in named if isinstance(one, dict))


def _read_manifests(project: Project) -> Iterator[tuple[str, str, Mapping[str, Any]]]:
    for path in project.files:
        if path == MANIFEST or path.endswith(f"/{MANIFEST}"):
            root = path.removesuffix(MANIFEST).rstrip("/")
            manifest = project.read_object(path)
            yield root, _get_name(manifest, posixpath.basename(root) or project.name), manifest


def _get_plugin_root(marketplace: Mapping[str, Any]) -> str:
    metadata = marketplace.get("metadata")
    root = metadata.get("pluginRoot") if isinstance(metadata, dict) else None
    return root if isinstance(root, str) else ""


def _get_name(manifest: Mapping[str, Any], folder: str) -> str:
    name = manifest.get("name")
    return name if isinstance(name, str) and name else posixpath.basename(folder)
