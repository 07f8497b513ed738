"""Recognize scripts that copy or link the units of a project to a place from which Claude Code loads them."""

import posixpath
import re
from collections.abc import Iterator

from actions.memo import memoize, memoize_all
from actions.project.project import Project
from actions.project.units import Unit
from actions.regex import regex
from actions.skill.paths import MAIN

_SCRIPTS = ("install.sh", "setup.sh")
_COPIES_AGENTS = regex(r"/agents[\"'/]?(?!\w)")

_PROGRAMS = (".sh", ".bash", ".ps1", ".py", ".js", ".mjs", ".cjs", ".ts")
_BUILD_FILES = frozenset({"Makefile", "makefile", "GNUmakefile", "justfile", "Justfile", ".justfile", "package.json"})
_COPY_COMMAND = regex(r"\b(?:cp|install|ln|rsync)[ \t](.{1,1000})")
_WORD, _END = regex(r"[^\s\"'\\]+"), regex(r"[;&|]|\\?\"(?:,|\Z)")
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


def is_copied_by_build(project: Project, path: str) -> bool:
    """Return whether a Makefile, a justfile or a `package.json` copies a file, or the folder of a skill, elsewhere.

    The command has a target behind the path: what is built from the file is loaded from there.
    """
    folder, name = posixpath.split(path)
    return path in _list_built(project) or (name == MAIN and folder in _list_built(project))


@memoize
def _list_built(project: Project) -> frozenset[str]:
    """Return the paths that commands in build files copy: all words but the last one, seen from the build file."""
    return frozenset(
        posixpath.normpath(posixpath.join(posixpath.dirname(path), word))
        for path in project.files
        if posixpath.basename(path) in _BUILD_FILES
        for command in _COPY_COMMAND.findall((project.read_bytes(path) or b"").decode("utf-8", "replace"))
        for word in _WORD.findall(_END.split(command, maxsplit=1)[0])[:-1]
    )
