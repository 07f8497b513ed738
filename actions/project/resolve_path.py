"""Resolve a path as Claude Code would: against the plugin, the skill, the project, the file's folder."""

import posixpath
import re
from dataclasses import dataclass

from actions.project.plugins import Plugin, find_plugin
from actions.project.project import Project
from actions.project.units import Unit, UnitKind

_VARIABLE = re.compile(
    r"\$(?:\{(CLAUDE_PLUGIN_ROOT|CLAUDE_PROJECT_DIR|CLAUDE_SKILL_DIR)\}|(CLAUDE_PLUGIN_ROOT|CLAUDE_PROJECT_DIR)\b)/?"
)
_OPEN = re.compile(r"[*?$`<>{}\[\]|&;]")
"""What makes a path unknown: globs, other variables, placeholders, shell."""
_BUILT = frozenset({".git", "dist", "build", "out", "target", "coverage", "node_modules"})
"""Folders that a build or a tool makes: whether a clone has their files is unknown."""


@dataclass(frozen=True)
class ResolvedPath:
    """A path in the project that a text names: `path`, and whether it is there."""

    path: str
    exists: bool


def resolve_path(project: Project, word: str, plugin: Plugin | None, skill_folder: str = "") -> ResolvedPath | None:
    """Resolve a path that begins with one of Claude Code's variables; None where it does not, or leads elsewhere.

    A path that git ignores, or that is not certain (a glob, another variable, a placeholder), is None too.
    """
    match = _VARIABLE.match(word)
    if not match:
        return None
    variable, rest = match[1] or match[2], word[match.end() :]
    base = {
        "CLAUDE_PLUGIN_ROOT": plugin.root if plugin else None,
        "CLAUDE_PROJECT_DIR": "" if plugin is None else None,
        "CLAUDE_SKILL_DIR": skill_folder or None,
    }[variable]
    if base is None or not rest or _OPEN.search(rest):
        return None
    path = posixpath.normpath(posixpath.join(base, rest))
    if path.startswith("..") or not _BUILT.isdisjoint(path.split("/")) or project.is_ignored(path):
        return None
    return ResolvedPath(path, project.exists(path))


def is_missing(project: Project, unit: Unit, file: str, target: str) -> bool:
    """Return whether a relative path in a file of a unit exists in no folder from which it may be read.

    It may be read from the folders of the file and the unit, the plugin's root, the folder of the `.claude` that the
    unit is in, and the repository's root; a skill's path that goes up only from the first two. A path out of the
    project, into a build's output or one that git ignores may exist elsewhere.
    """
    paths = list_readings(project, unit, file, target)
    if paths[0].startswith("..") or not _BUILT.isdisjoint(paths[0].split("/")):
        return False
    return not any(project.exists(path) or project.is_ignored(path) for path in paths)


def list_readings(project: Project, unit: Unit, file: str, target: str) -> list[str]:
    """Return the paths in the project that a relative path in a file of a unit may mean, the likeliest first."""
    plugin = find_plugin(project, unit.path)
    owner = unit.path.partition("/.claude/")[0] if "/.claude/" in unit.path else ""
    bases = (posixpath.dirname(file), unit.folder, plugin.root if plugin else "", owner, "")
    goes_up = target.startswith("../") and unit.kind is UnitKind.SKILL
    allowed = bases[:2] if goes_up else bases
    return [posixpath.normpath(posixpath.join(base, target)) for base in dict.fromkeys(allowed)]


def place_in(unit: Unit, file: str) -> str:
    """Return the path in the project of a file of a unit: paths of a skill's files are relative to its folder."""
    return posixpath.join(unit.folder, file) if unit.kind is UnitKind.SKILL else file
