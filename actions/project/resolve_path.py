"""Resolve a path as Claude Code would: relative to the plugin, the skill, the project or the file's folder."""

import posixpath

import msgspec

from actions.project.made_files import is_created_by_script
from actions.project.plugins import Plugin, find_plugin
from actions.project.project import Project
from actions.project.units import Unit, UnitKind
from actions.regex import regex

_VARIABLE = regex(
    r"\$(?:\{(CLAUDE_PLUGIN_ROOT|CLAUDE_PROJECT_DIR|CLAUDE_SKILL_DIR)\}|(CLAUDE_PLUGIN_ROOT|CLAUDE_PROJECT_DIR)\b)/?"
)
_UNRESOLVABLE = regex(r"[*?$`<>{}\[\]|&;]")
"""Characters of globs, other variables, placeholders and shell syntax. A path that contains one is not resolved."""
_BUILD_FOLDERS = frozenset({".git", "dist", "build", "out", "target", "coverage", "node_modules"})
"""Folders that a build or a tool creates. A clone may not have their files."""


class ResolvedPath(msgspec.Struct, frozen=True):
    """A path in the project, and whether it exists."""

    path: str
    exists: bool


def resolve_path(
    project: Project, word: str, plugin: Plugin | None, skill_folder: str = "", *, project_folder: str = ""
) -> ResolvedPath | None:
    """Resolve a path that begins with one of Claude Code's variables. Returns None for any other path.

    project_folder: the folder in which Claude Code is started, `$CLAUDE_PROJECT_DIR`.

    Also returns None if the path leaves the project or is ignored by git, if a build or a script of the plugin creates
    it, or if it has a glob, another variable or a placeholder.
    """
    match = _VARIABLE.match(word)
    if not match:
        return None
    variable, rest = match[1] or match[2], word[match.end() :]
    base = {
        "CLAUDE_PLUGIN_ROOT": plugin.root if plugin else None,
        "CLAUDE_PROJECT_DIR": project_folder if plugin is None else None,
        "CLAUDE_SKILL_DIR": skill_folder or None,
    }[variable]
    if base is None or not rest or _UNRESOLVABLE.search(rest):
        return None
    path = posixpath.normpath(posixpath.join(base, rest))
    if path.startswith("..") or is_build_output(path) or project.is_ignored(path):
        return None
    exists = project.exists(path)
    root = plugin.root if plugin else ""
    return ResolvedPath(path, exists) if exists or not is_created_by_script(project, root, path) else None


def is_missing(project: Project, unit: Unit, file: str, target: str) -> bool:
    """Return whether a relative path in a unit's file exists in none of the folders to which it may be relative.

    A path that leaves the project, is in build output or is ignored by git does not count as missing, because it may
    exist elsewhere.
    """
    paths = list_candidate_paths(project, unit, file, target)
    if paths[0].startswith("..") or is_build_output(paths[0]):
        return False
    may_be_ignored = paths[:1] if target.startswith("../") else paths
    return not any(map(project.exists, paths)) and not any(map(project.is_ignored, may_be_ignored))


def is_build_output(path: str) -> bool:
    """Return whether a path is in a folder that a build or a tool creates."""
    return not _BUILD_FOLDERS.isdisjoint(path.split("/"))


def list_candidate_paths(project: Project, unit: Unit, file: str, target: str) -> list[str]:
    """Return the paths in the project to which a relative path in a unit's file may lead, most likely first.

    It may be relative to the folder of the file or of the unit, to the root of the plugin, to the folder that contains
    the unit's `.claude`, or to the root of the project. In a skill, a path with `../` is relative only to the first
    two.
    """
    plugin = find_plugin(project, unit.loading_path)
    claude_parent = unit.loading_path.partition("/.claude/")[0] if "/.claude/" in unit.loading_path else ""
    bases = (
        posixpath.dirname(file),
        unit.folder,
        posixpath.dirname(unit.loading_path),
        plugin.root if plugin else "",
        claude_parent,
        "",
    )
    goes_up = target.startswith("../") and unit.kind is UnitKind.SKILL
    allowed = bases[:2] if goes_up else bases
    return [posixpath.normpath(posixpath.join(base, target)) for base in dict.fromkeys(allowed)]


def get_project_path(unit: Unit, file: str) -> str:
    """Return the path of a unit's file in the project. Paths of a skill's files are relative to its folder."""
    return posixpath.join(unit.folder, file) if unit.kind is UnitKind.SKILL else file
