"""Determine whether a skill's text is maintained in its project for Claude Code, so that shortening it there helps."""

import posixpath

from actions.memo import memoize
from actions.project.generated import is_generated
from actions.project.other_tools import is_for_other_tool
from actions.project.plugins import find_plugins
from actions.project.project import Project
from actions.project.units import Unit
from actions.regex import regex
from actions.skill.paths import MAIN
from actions.skill.skill import Skill

_VERSION_MARK = regex(r"\.?[\w-]+[_-]version(?:\.(?:txt|json))?")
"""The name of a file with the version of the tool that installed the skill, such as `.graphify_version`."""
_VENDORED = regex(r"(?i)\bvendored (?:copy|from)\b|\b(?:copia|skill) vendorizad[ao]\b")
_UPDATE = regex(r"\bcurl\b[^\n`]{0,200}(?:-o|>)[ ]*[\"']?\S{0,100}/skills/([\w-]+)/SKILL\.md\b")
"""A command that replaces the text of a skill by that of a server."""
_FIRST_LINES = 60
"""Number of lines in which a text says where it comes from."""


def is_loaded_from_project(project: Project, unit: Unit, skill: Skill) -> bool:
    """Return whether Claude Code loads this very text: it is neither generated nor for another tool nor left out."""
    is_elsewhere = is_for_other_tool(unit) or is_generated(project, unit, skill.main)
    return not is_elsewhere and unit.path not in find_unseen_roots(project)


def is_installed(unit: Unit, skill: Skill) -> bool:
    """Return whether a skill says that it is a copy, or a tool installed it, so that an update would undo an edit."""
    lines = skill.main.doc.lines[:_FIRST_LINES]
    is_in_project = unit.is_loaded and unit.plugin_root is None
    updates = {match[1] for line in lines for match in _UPDATE.finditer(line)} if is_in_project else set[str]()
    has_mark = any(_VERSION_MARK.fullmatch(path) for path in skill.paths)
    return has_mark or posixpath.basename(unit.folder) in updates or any(map(_VENDORED.search, lines))


@memoize
def find_unseen_roots(project: Project) -> frozenset[str]:
    """Return the paths of the SKILL.md in the roots of plugins that Claude Code 2.1.332 does not load.

    It loads the one in the root if the manifest has no `skills` and the plugin has no such folder, or if the manifest
    names the root.
    """
    plugins = [plugin for plugin in find_plugins(project).values() if plugin.join(MAIN) in project.files]
    return frozenset(
        plugin.join(MAIN)
        for plugin in plugins
        if ("skills" in plugin.manifest or plugin.join("skills") in project.folders)
        and (plugin.root or ".") not in plugin.list_paths("skills")
    )
