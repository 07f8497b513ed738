"""Find the paths in manifests and marketplaces that do not exist.

Source: the CLI 2.1.330. `claude plugin install` fails if the source of an entry does not exist; `claude plugin list`
reports the paths of a manifest that do not exist.
"""

import posixpath
import re
from collections.abc import Iterator
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


def find_missing_paths(project: Project, unit: Unit) -> Iterator[MissingPath]:
    """Yield the paths in a manifest or a marketplace that do not exist."""
    document = project.read_json(unit.path)
    if document is None or not isinstance(document.value, dict) or _SAMPLE_FOLDER.search(unit.folder):
        return
    if unit.path.endswith(MANIFEST):
        root = unit.path.removesuffix(MANIFEST).rstrip("/")
        yield from _find_missing(project, document, root, (), document.value)
    elif unit.path.endswith(MARKETPLACE):
        top = unit.path.removesuffix(MARKETPLACE).rstrip("/")
        entries = document.value.get("plugins")
        for n, entry in enumerate(entries if isinstance(entries, list) else ()):
            source = entry.get("source") if isinstance(entry, dict) else None
            if isinstance(source, str) and source.startswith("./"):
                root = posixpath.normpath(posixpath.join(top, source)).removeprefix(".")
                if _is_missing(project, root):
                    yield MissingPath(document.find_line("plugins", n, "source"), source, root, "source")
                elif f"{root}/{MANIFEST}".lstrip("/") not in project.files:
                    yield from _find_missing(project, document, root, ("plugins", n), entry)


def _find_missing(
    project: Project, document: JsonDocument, root: str, steps: tuple[str | int, ...], manifest: dict[str, Any]
) -> Iterator[MissingPath]:
    for key in _PATH_KEYS:
        value = manifest.get(key)
        for n, word in enumerate(value if isinstance(value, list) else [value]):
            if isinstance(word, str) and word.startswith("./"):
                path = posixpath.normpath(posixpath.join(root, word)).removeprefix(".")
                inner = (key, n) if isinstance(value, list) else (key,)
                if _is_missing(project, path):
                    yield MissingPath(document.find_line(*steps, *inner), word, path, key)


def _is_missing(project: Project, path: str) -> bool:
    is_known = not path.startswith("..") and _BUILD_FOLDERS.isdisjoint(path.split("/"))
    return is_known and not project.exists(path) and not project.is_ignored(path)
