"""Recognize scripts that copy or link the units of a project to a place from which Claude Code loads them."""

import posixpath
import re
from collections.abc import Iterator

from actions.memo import memoize_all
from actions.project.project import Project
from actions.project.units import Unit
from actions.regex import regex

_SCRIPTS = ("install.sh", "setup.sh")
_COPIES_AGENTS = regex(r"/agents[\"'/]?(?!\w)")

_PROGRAMS = (".sh", ".bash", ".ps1", ".py", ".js", ".mjs", ".cjs", ".ts")
_COPIES = regex(r"(?i)\bln -|\bcp -?|\brsync\b|\bcopy|symlink|\bmklink\b|\bshutil\.|\bNew-Item\b")


def are_agents_copied(project: Project, unit: Unit) -> bool:
    """Return whether a script in the root of an agent's plugin or project copies agents to `.claude`."""
    paths = (posixpath.join(root, name) for root in {unit.plugin_root or "", ""} for name in _SCRIPTS)
    texts = ((project.read_bytes(path) or b"").decode("utf-8", "replace") for path in paths)
    return any(".claude" in text and _COPIES_AGENTS.search(text) for text in texts)


def is_copied_from(project: Project, folder: str, top: str) -> bool:
    """Return whether a script that copies or links files names the kind of a folder of units and its topmost folder.

    `folder` is, for example, `packs/trees/commands`, of which a script names `packs` and `commands`.
    """
    names = (posixpath.basename(top), posixpath.basename(folder))
    return any(all(re.search(rf"[/\"']{re.escape(name)}\b", text) for name in names) for text in _list_copiers(project))


@memoize_all
def _list_copiers(project: Project) -> Iterator[str]:
    """Yield the texts of the scripts that copy or link files."""
    for path in project.files:
        if path.endswith(_PROGRAMS):
            text = (project.read_bytes(path) or b"").decode("utf-8", "replace")
            if _COPIES.search(text):
                yield text
