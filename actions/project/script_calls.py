"""Find options that the text of a unit passes to scripts of its project but that the scripts reject.

Scripts in a skill's own folder are checked elsewhere (`actions.skill.script_usage`).
"""

import posixpath
from collections.abc import Iterator, Mapping, Sequence
from functools import partial

from actions.code.options import Interface
from actions.grouping import group_by_key
from actions.memo import memoize
from actions.project.plugins import find_plugin
from actions.project.project import Project
from actions.project.resolve_path import get_project_path, list_candidate_paths, resolve_path
from actions.project.units import Unit, UnitKind
from actions.regex import regex
from actions.skill.paths import is_script_path
from actions.skill.script_usage import ScriptUse, find_uses, is_refused, read_interface, read_shell_text
from actions.skill.skill import Skill, SkillFile
from actions.words import find_words

_WORD = regex(r"[A-Za-z0-9_]+")


def find_refused_uses(project: Project, unit: Unit, skill: Skill) -> Iterator[tuple[ScriptUse, Interface]]:
    """Yield the uses that a script of the project rejects, because of the option or its value, with its interface."""
    for file in skill.instructions:
        if names := _list_called_names(project, unit, file):
            for use in find_uses(file, names, partial(_find_script, project, unit, file)):
                script = project.read_text_file(use.script)
                accepted = script and read_interface(script)
                if script and accepted and is_refused(script, accepted, use):
                    yield use, accepted


def _list_called_names(project: Project, unit: Unit, file: SkillFile) -> set[str]:
    """Return the names of the project's scripts outside the skill that the commands in a file may contain."""
    paths = _index_scripts(project)
    text = read_shell_text(file) if paths and " -" in file.text else ""
    candidates = (path for word in paths.keys() & find_words(text, _WORD) for path in paths[word])
    return {posixpath.basename(path) for path in candidates if not _is_own(unit, path)}


@memoize
def _index_scripts(project: Project) -> Mapping[str, Sequence[str]]:
    """Map words to the paths of the scripts whose name begins with the word."""
    scripts = ((posixpath.basename(path), path) for path in project.files if is_script_path(path))
    return group_by_key((word[0], path) for name, path in scripts if (word := _WORD.search(name)))


def _is_own(unit: Unit, path: str) -> bool:
    return unit.kind is UnitKind.SKILL and (not unit.folder or path.startswith(f"{unit.folder}/"))


def _find_script(project: Project, unit: Unit, file: SkillFile, word: str) -> str:
    """Return the script of the project, outside the skill, that a word of a command names, or ""."""
    target = word.strip("\"'")
    if not is_script_path(target):
        return ""
    if resolved := resolve_path(project, target, find_plugin(project, unit.loading_path), unit.folder):
        paths = [resolved.path]
    elif "/" in target and not target.startswith(("/", "~", "$")):
        paths = list_candidate_paths(project, unit, get_project_path(unit, file.path), target)
    else:
        return ""
    path = next((candidate for candidate in paths if candidate in project.files), "")
    return "" if _is_own(unit, path) else path
