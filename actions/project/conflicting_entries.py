"""Find entries of marketplaces that say that the plugin has no manifest of its own, although it has one.

Source: `claude plugin list` of the CLI 2.1.332; `tests/e2e/facts/test_manifest_facts.py` asks it.
"""

import posixpath
from collections.abc import Iterator

import msgspec

from actions.project.plugins import MANIFEST, find_entries
from actions.project.project import Project
from actions.project.units import Unit

PART_KEYS = ("commands", "agents", "skills", "hooks", "outputStyles")
"""Keys of an entry that conflict with a manifest, even if they are empty. Others, such as `mcpServers`, do not."""


class ConflictingEntry(msgspec.Struct, frozen=True):
    """An entry with `"strict": false`, the line of `strict`, the keys with parts, and the manifest of the plugin."""

    line: int
    keys: tuple[str, ...]
    manifest: str


def find_conflicting_entries(project: Project, unit: Unit) -> Iterator[ConflictingEntry]:
    """Yield the entries of this marketplace with which Claude Code does not load the plugin."""
    for entry in find_entries(project):
        manifest = posixpath.join(entry.root, MANIFEST)
        keys = tuple(key for key in PART_KEYS if entry.value.get(key) is not None)
        if entry.path == unit.path and entry.value.get("strict") is False and keys and manifest in project.files:
            yield ConflictingEntry(entry.find_line("strict"), keys, manifest)
