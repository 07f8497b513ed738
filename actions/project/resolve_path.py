"""Resolve a path as Claude Code would: against the plugin, the skill, the project, the file's folder."""

import posixpath
import re
from dataclasses import dataclass

from actions.project.plugins import Plugin
from actions.project.project import Project

_VARIABLE = re.compile(
    r"\$(?:\{(CLAUDE_PLUGIN_ROOT|CLAUDE_PROJECT_DIR|CLAUDE_SKILL_DIR)\}|(CLAUDE_PLUGIN_ROOT|CLAUDE_PROJECT_DIR)\b)/?"
)
_OPEN = re.compile(r"[*?$`<>{}\[\]|&;]")
"""What makes a path unknown: globs, other variables, placeholders, shell."""
_BUILT = frozenset({"dist", "build", "out", "target", "coverage", "node_modules"})
"""Folders that a build makes: whether a clone has their files is unknown."""


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
