"""Find the scripts of a project that commands in its agents and commands start, but that do not exist."""

import posixpath
from collections.abc import Iterator

from actions.project.made_files import is_created_by_script
from actions.project.own_scripts import COMMAND, PROJECT_COMMAND
from actions.project.plugins import find_plugin
from actions.project.project import Project
from actions.project.resolve_path import is_missing
from actions.project.units import Unit
from actions.skill.paths import is_script_path
from actions.skill.skill import SkillFile


def list_project_scripts(project: Project, unit: Unit, file: SkillFile, line: str) -> Iterator[str]:
    """Yield the missing scripts that commands on a line of an agent or a command start, as written.

    The unit must be in the `.claude` of the project in which it works: the texts of plugins are for other projects. The
    folder of the script must have other scripts, and no file of the project may have the script's name.
    """
    if unit.plugin_root is not None or not f"/{unit.path}".count("/.claude/"):
        return
    for path in PROJECT_COMMAND.findall(line) if "/" in line else ():
        if _means_project(project, unit, file, path) and is_missing(project, unit, unit.path, path):
            name = posixpath.basename(path)
            is_elsewhere = any(posixpath.basename(other) == name for other in project.files)
            if not is_elsewhere and not is_created_by_script(project, "", name):
                yield path


def list_plugin_scripts(project: Project, unit: Unit, line: str) -> Iterator[tuple[str, str]]:
    """Yield the scripts of a plugin that a line of its agent or command starts, as written, and their right paths.

    A path begins with the plugin's name as if this were a folder, but the command runs in the project of a user.
    """
    plugin = find_plugin(project, unit.loading_path) if unit.plugin_root is not None else None
    for path in COMMAND.findall(line) if plugin and "/" in line else ():
        name, _, inner = path.partition("/")
        if plugin and name == plugin.name and plugin.join(inner) in project.files:
            yield path, f"${{CLAUDE_PLUGIN_ROOT}}/{inner}"


def _means_project(project: Project, unit: Unit, file: SkillFile, path: str) -> bool:
    """Return whether the folder of a path is that of the project.

    A copied text may name a folder such as `scripts` of another project. It must name an existing script of it.
    """
    folder = posixpath.dirname(path)
    parent = f"/{unit.path}".partition("/.claude/")[0].lstrip("/")
    names = {name for base in (parent, "") for name in project.list_folder(posixpath.join(base, folder))}
    scripts = [name for name in names if is_script_path(name)]
    return bool(scripts) and ("/" in folder or any(f"{folder}/{name}" in file.text for name in scripts))
