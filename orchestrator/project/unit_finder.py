"""Find the units of a project on disk: all of them, or one by its name."""

import os
from collections.abc import Iterable
from functools import cached_property
from pathlib import Path

import msgspec

from actions.project.find_units import find_units
from actions.project.project import Project
from actions.project.units import Unit
from orchestrator.errors import BadInput
from orchestrator.project.project_reader import find_project_folder, read_project
from schemas.vocabulary import UnitKind
from templates.filters import counted

_CALLABLE_KINDS = frozenset({UnitKind.SKILL, UnitKind.AGENT, UnitKind.COMMAND, UnitKind.STYLE})
"""Kinds of units that Claude Code calls by name. Units of other kinds are named after their plugin or path."""


class LocatedUnit(msgspec.Struct, frozen=True, dict=True):
    """A unit, its project, and the root of the project on disk."""

    root: Path
    project: Project
    unit: Unit

    @cached_property
    def path(self) -> Path:
        """The file of the unit."""
        return self.root / self.unit.path

    @cached_property
    def loading_path(self) -> Path:
        """The path from which Claude Code loads the unit: its file, or a link to it."""
        return self.root / self.unit.loading_path

    @property
    def unit_path(self) -> Path:
        """The folder of a skill, or the file of another unit."""
        return self.path.parent if self.unit.kind is UnitKind.SKILL else self.path


def list_units(root: Path, project: Project) -> list[LocatedUnit]:
    """Return all units of the project at `root`, sorted by path."""
    return [LocatedUnit(root, project, unit) for unit in find_units(project)]


def list_units_around(path: Path) -> list[LocatedUnit]:
    """Return all units of the project that a path belongs to."""
    root = find_project_folder(path)
    return list_units(root, read_project(root))


def find_named_unit(name: str, units: Iterable[LocatedUnit]) -> LocatedUnit | None:
    """Return the unit with this name (`plugin:name` or `name`) or path in the project, or None.

    Raises BadInput if several units have the name.
    """
    candidates = list(units)
    callable_units = [located for located in candidates if located.unit.kind in _CALLABLE_KINDS]
    matches = (
        [located for located in candidates if located.unit.path == name]
        or [located for located in callable_units if located.unit.name == name]
        or [located for located in callable_units if located.unit.name.rpartition(":")[2] == name]
    )
    ensure_unique(name, [located.unit_path for located in matches])
    return matches[0] if matches else None


def ensure_unique(name: str, unit_paths: Iterable[Path]) -> None:
    """Raise BadInput if a name matches several units."""
    paths = sorted({os.path.relpath(path) for path in unit_paths})
    if len(paths) > 1:
        raise BadInput(f"{name}: {counted(len(paths), 'unit')} have this name; give a path: {', '.join(paths)}")


def list_names(units: Iterable[LocatedUnit]) -> list[str]:
    """Return the names by which `find_named_unit` finds units: `plugin:name` and `name`."""
    names = [located.unit.name for located in units if located.unit.kind in _CALLABLE_KINDS]
    return [*names, *dict.fromkeys(name.rpartition(":")[2] for name in names if ":" in name)]


def list_paths(units: Iterable[LocatedUnit]) -> list[str]:
    """Return the paths of units, relative to the current folder."""
    return [os.path.relpath(located.unit_path) for located in units]
