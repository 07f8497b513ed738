"""Determine which files of a skill only people read, because no file that the model reads names them."""

import posixpath

from actions.project.mentions import is_named_elsewhere
from actions.project.project import Project
from actions.project.units import Unit
from actions.skill.paths import Role
from actions.skill.skill import Skill, SkillFile


def is_for_people(project: Project, unit: Unit, skill: Skill, file: SkillFile) -> bool:
    """Return whether only people read a file: a reference file that no text of the skill or its plugin names.

    A text that names the file's folder counts, too. A model always reads phases and specifications.
    """
    if file.path == skill.main_path or file.role is not Role.REFERENCE:
        return False
    stem, folder = (
        posixpath.splitext(posixpath.basename(file.path))[0],
        posixpath.basename(posixpath.dirname(file.path)),
    )
    others = [other for other in skill.instructions if other is not file]
    names = (stem, *((folder,) if folder else ()))
    if any(name in other.text for other in others for name in names):
        return False
    return not is_named_elsewhere(project, unit, file.path)
