"""Exclude the skills and other units that match the setting `exclude` (in the syntax of .gitignore)."""

import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from actions.skill.paths import MAIN
from actions.skill.settings import SETTINGS_FILE
from orchestrator.project.settings import InvalidSettings, ProjectSettings, SettingsFinder, find_settings_start
from templates.filters import counted

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec


class Exclusion(msgspec.Struct, frozen=True, eq=False):
    """The lines of `exclude`, relative to the folder of the settings file."""

    folder: Path
    lines: tuple[str, ...]
    spec: "GitIgnoreSpec"

    def covers(self, unit: Path) -> bool:
        """Return whether a unit is excluded. unit: the folder of a skill, or the file of another unit."""
        path = self._find_path(unit)
        return path is not None and self.spec.match_file(path)

    def list_unused(self, units: Iterable[Path]) -> list[str]:
        """Return a note for each line that matches none of these units."""
        paths = [path for unit in units if (path := self._find_path(unit))]
        return [
            f"{SETTINGS_FILE}: exclude {line!r} matches no unit of the project; "
            "to ignore files in a unit, use per-file-ignores"
            for line, pattern in zip(self.lines, self.spec.patterns, strict=True)
            if not line.startswith("#")
            and (pattern.include is None or not any(pattern.match_file(path) for path in paths))
        ]

    def _find_path(self, unit: Path) -> str | None:
        file = Path(os.path.realpath(unit.parent), unit.name)
        if not file.is_relative_to(self.folder):
            return None
        path = file.relative_to(self.folder).as_posix()
        return f"{path}/{MAIN}" if unit.is_dir() else path


def read_exclusion(project: ProjectSettings) -> Exclusion | None:
    """Return the exclusion of a settings file. Returns None if it excludes nothing. Raises InvalidSettings."""
    lines = tuple(project.values.get("exclude", ()))
    if not lines:
        return None
    from orchestrator.project.gitignore import read_lines  # slow to load, and few projects exclude anything

    try:
        spec = read_lines(lines)
    except ValueError as error:
        raise InvalidSettings(project.path, f"{project.path}: exclude: {error}; correct it") from None
    return Exclusion(project.folder.resolve(), lines, spec)


class Exclusions:
    """The exclusions of all projects of a scan. The methods raise InvalidSettings."""

    def __init__(self, finder: SettingsFinder | None = None) -> None:
        self._finder = finder or SettingsFinder()
        self._by_project: dict[Path, Exclusion | None] = {}
        self._by_folder: dict[Path, tuple[Exclusion, ...]] = {}

    def covers(self, unit: Path) -> bool:
        """Return whether a settings file above a unit excludes it.

        unit: the folder of a skill, or another unit's file.
        """
        folder = find_settings_start(unit)
        if folder not in self._by_folder:
            projects = self._finder.list_all(folder)
            self._by_folder[folder] = tuple(filter(None, map(self._read, projects)))
        return any(exclusion.covers(unit) for exclusion in self._by_folder[folder])

    def list_unused(self, arguments: Iterable[str], units: Sequence[Path]) -> Iterator[str]:
        """Yield a note for each line that matches none of the units, in projects at or below an argument."""
        folders = [Path(argument).resolve() for argument in arguments]
        for exclusion in filter(None, self._by_project.values()):
            if any(exclusion.folder.is_relative_to(folder) for folder in folders):
                yield from exclusion.list_unused(units)

    def _read(self, project: ProjectSettings) -> Exclusion | None:
        if project.folder not in self._by_project:
            self._by_project[project.folder] = read_exclusion(project)
        return self._by_project[project.folder]


def describe_exclusion(count: int) -> str:
    """Return a note about excluded units."""
    return f"{counted(count, 'unit')} excluded by {SETTINGS_FILE}"
