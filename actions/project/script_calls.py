"""Find options that the text of a unit passes to scripts of its project but that the scripts reject.

Scripts in a skill's own folder are checked elsewhere (`actions.skill.script_usage`).
"""

from collections.abc import Iterator
from functools import partial

from actions.code.languages import EXTENSIONS
from actions.code.options import Interface
from actions.project.plugins import find_plugin
from actions.project.project import Project
from actions.project.resolve_path import list_candidate_paths, project_path, resolve_path
from actions.project.units import Unit, UnitKind
from actions.skill.paths import is_script_path
from actions.skill.script_usage import Use, find_uses, is_refused, read_interface
from actions.skill.skill import Skill, SkillFile


def find_refused_uses(project: Project, unit: Unit, skill: Skill) -> Iterator[tuple[Use, Interface]]:
    """Yield the options that a script of the project rejects, or whose values it rejects, with its interface."""
    for file in skill.instructions:
        if " -" in file.text and any(ending in file.text for ending in EXTENSIONS):
            for use in find_uses(file, EXTENSIONS, partial(_find_script, project, unit, file)):
                script = project.read_text_file(use.script)
                accepted = script and read_interface(script)
                if script and accepted and is_refused(script, accepted, use):
                    yield use, accepted


def _find_script(project: Project, unit: Unit, file: SkillFile, word: str) -> str:
    """Return the script of the project, outside the skill, that a word of a command means, or ""."""
    target = word.strip("\"'")
    if not is_script_path(target):
        return ""
    if found := resolve_path(project, target, find_plugin(project, unit.path), unit.folder):
        paths = [found.path]
    elif "/" in target and not target.startswith(("/", "~", "$")):
        paths = list_candidate_paths(project, unit, project_path(unit, file.path), target)
    else:
        return ""
    path = next((candidate for candidate in paths if candidate in project.files), "")
    is_own = unit.kind is UnitKind.SKILL and (not unit.folder or path.startswith(f"{unit.folder}/"))
    return "" if is_own else path
