"""Read a single-file unit as the record that the checks take."""

from actions.project.project import Project
from actions.project.units import Unit
from actions.skill.skill import Skill, SkillFile


def read_unit_file(project: Project, unit: Unit) -> Skill | None:
    """Return a single-file unit as a `Skill`, or None if the file cannot be read or is not UTF-8."""
    raw = project.read_bytes(unit.path)
    try:
        (raw or b"").decode("utf-8")
    except UnicodeDecodeError:
        return None
    if raw is None:
        return None
    return Skill(unit.name, (SkillFile(unit.path, raw),), kind=unit.kind, main_path=unit.path)
