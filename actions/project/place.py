"""Locate a unit in its project, as it is on disk or with changes in memory."""

import posixpath
from collections.abc import Mapping

import msgspec
from msgspec.structs import replace

from actions.project.find_units import find_units
from actions.project.plugins import find_plugin
from actions.project.project import Project
from actions.project.units import Unit
from actions.skill.skill import Skill
from schemas.vocabulary import UnitKind


class Place(msgspec.Struct, frozen=True):
    """A unit in its project, with its files as they were read."""

    project: Project
    unit: Unit
    skill: Skill

    def with_skill(self, skill: Skill) -> "Place":
        """Return the same place, with this version of the skill's files in the project."""
        changes = _list_changes(self.project, self.unit, self.skill, skill)
        return replace(self, project=self.project.with_files(changes), skill=skill) if changes else self


def place_alone(skill: Skill) -> Place:
    """Place a skill in a project that contains only the skill."""
    return place_in_project(skill, Project(skill.folder, {}, lambda path: None), "")


def place_in_project(skill: Skill, project: Project, folder: str) -> Place:
    """Place a skill in a project, at `folder`. Files that the project does not list are added."""
    unit = Unit(skill.kind, posixpath.join(folder, skill.main_path), skill.folder)
    place = Place(project, unit, skill).with_skill(skill)
    known = next((known_unit for known_unit in find_units(place.project) if known_unit.path == unit.path), None)
    plugin = find_plugin(place.project, unit.path)
    return replace(place, unit=known or replace(unit, plugin_root=plugin.root if plugin else None))


def _list_changes(project: Project, unit: Unit, before: Skill, after: Skill) -> Mapping[str, bytes | None]:
    """Map the paths of the files that differ from the project to their bytes. A deleted file has None.

    The bytes of a file that is not text are unknown. If the project does not contain such a file, it is added as an
    empty file.
    """
    folder = unit.folder if unit.kind is UnitKind.SKILL else ""
    changes: dict[str, bytes | None] = {
        posixpath.join(folder, path): None for path in before.by_path.keys() - after.by_path.keys()
    }
    for file in after.files:
        path = posixpath.join(folder, file.path)
        if path not in project.files or before.by_path.get(file.path) is not file:
            changes[path] = file.raw
    opaque = (posixpath.join(folder, other.path) for other in after.opaque)
    return {**{path: b"" for path in opaque if not project.exists(path)}, **changes}
