"""Find the paths in manifests and marketplaces that do not exist, or that Claude Code rejects.

Source: the CLI 2.1.332. `claude plugin install` fails if the source of an entry does not exist; `claude plugin list`
reports the paths of a manifest that do not exist. A plugin is not loaded if a path in its manifest does not begin with
`./`, or if its `agents` are not Markdown files; a path that leaves the plugin is not loaded. `tests/e2e/facts` compares
them.
"""

import posixpath
import re
from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from actions.project.json_document import JsonDocument
from actions.project.plugins import MANIFEST, MARKETPLACE
from actions.project.project import Project
from actions.project.units import Unit
from actions.regex import regex

_SAMPLE_FOLDER = regex(r"template|backup|example", re.IGNORECASE)
"""Names of folders whose manifests are not meant to be installed."""
_PATH_KEYS = ("skills", "commands", "agents", "outputStyles", "hooks", "mcpServers", "lspServers")
_BUILD_FOLDERS = frozenset({"dist", "build", "out", "target", "node_modules"})
"""Folders that a build creates, so a clone may not have them."""


class MissingPath(msgspec.Struct, frozen=True):
    """A missing path in a manifest: its line, the path as written (`word`), the path in the project, and its key."""

    line: int
    word: str
    path: str
    key: str


class RejectedPath(msgspec.Struct, frozen=True):
    """A path in a manifest that Claude Code rejects: its line, the path as written (`word`), and its key.

    `loses_plugin` means that nothing of the plugin is loaded.
    """

    line: int
    word: str
    key: str
    loses_plugin: bool


def is_sample(unit: Unit) -> bool:
    """Return whether a manifest is in a folder of samples, so that nobody installs it."""
    return _SAMPLE_FOLDER.search(unit.folder) is not None


def find_rejected_paths(project: Project, unit: Unit) -> Iterator[RejectedPath]:
    """Yield the paths in a plugin's manifest that do not begin with `./` or that leave the plugin."""
    document = project.read_json(unit.path) if unit.path.endswith(MANIFEST) else None
    if document is not None and isinstance(document.value, dict) and not is_sample(unit):
        for steps, word in list_paths(document.value):
            key = str(steps[0])
            if is_rejected(key, word):
                loses_plugin = not word.startswith("./") or _is_folder_of_agents(key, word)
                yield RejectedPath(document.find_line(*steps), word, key, loses_plugin)


def has_rejected_path(manifest: Mapping[str, Any]) -> bool:
    """Return whether a manifest has a path that Claude Code rejects, so that the plugin is not loaded completely."""
    return any(is_rejected(str(steps[0]), word) for steps, word in list_paths(manifest))


def is_rejected(key: str, word: str) -> bool:
    """Return whether Claude Code rejects a path under a key of a manifest."""
    is_relative = word.startswith("./") or word == "." or "://" in word
    leaves_plugin = posixpath.normpath(word).split("/")[0] == ".."
    return not is_relative or leaves_plugin or _is_folder_of_agents(key, word)


def _is_folder_of_agents(key: str, word: str) -> bool:
    """Return whether a path must be that of an agent's file, and is not: the plugin is not loaded."""
    return key == "agents" and not word.endswith(".md")


def list_paths(manifest: Mapping[str, Any]) -> Iterator[tuple[tuple[str | int, ...], str]]:
    """Yield each path in a manifest, after its keys and index."""
    for key in _PATH_KEYS:
        value = manifest.get(key)
        for n, word in enumerate(value if isinstance(value, list) else [value]):
            if isinstance(word, str):
                yield ((key, n) if isinstance(value, list) else (key,)), word


def find_missing_paths(project: Project, unit: Unit) -> Iterator[MissingPath]:
    """Yield the paths in a manifest or a marketplace that do not exist."""
    document = project.read_json(unit.path)
    if document is None or not isinstance(document.value, dict) or is_sample(unit):
        return
    if unit.path.endswith(MANIFEST):
        root = unit.path.removesuffix(MANIFEST).rstrip("/")
        yield from _find_missing_in_manifest(project, document, root, (), document.value)
    elif unit.path.endswith(MARKETPLACE):
        top = unit.path.removesuffix(MARKETPLACE).rstrip("/")
        entries = document.value.get("plugins")
        for n, entry in enumerate(entries if isinstance(entries, list) else ()):
            source = entry.get("source") if isinstance(entry, dict) else None
            if isinstance(source, str) and source.startswith("./"):
                root = _join(top, source)
                if _is_missing(project, root):
                    yield MissingPath(document.find_line("plugins", n, "source"), source, root, "source")
                elif f"{root}/{MANIFEST}".lstrip("/") not in project.files:
                    yield from _find_missing_in_manifest(project, document, root, ("plugins", n), entry)


def _find_missing_in_manifest(
    project: Project, document: JsonDocument, root: str, steps: tuple[str | int, ...], manifest: dict[str, Any]
) -> Iterator[MissingPath]:
    for inner, word in list_paths(manifest):
        if word.startswith("./") and not is_rejected(str(inner[0]), word):
            path = _join(root, word)
            if _is_missing(project, path):
                yield MissingPath(document.find_line(*steps, *inner), word, path, str(inner[0]))


def _join(root: str, word: str) -> str:
    """Return the path of `word` below a folder. The project's root is ""."""
    path = posixpath.normpath(posixpath.join(root, word))
    return "" if path == "." else path


def _is_missing(project: Project, path: str) -> bool:
    is_known = not path.startswith("..") and _BUILD_FOLDERS.isdisjoint(path.split("/"))
    return is_known and not project.exists(path) and not project.is_ignored(path)
