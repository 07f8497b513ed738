"""Leave out the skills and other units that the setting `exclude` matches, in the syntax of .gitignore."""

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from actions.skill.paths import MAIN
from actions.skill.settings import FILE
from orchestrator.project.settings import InvalidSettings, ProjectSettings, find_settings_start, list_project_settings
from templates.filters import counted

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec


@dataclass(frozen=True)
class Exclusion:
    """The lines of `exclude`, which are relative to the folder of the settings."""

    folder: Path
    lines: tuple[str, ...]
    spec: "GitIgnoreSpec" = field(compare=False)

    def covers(self, place: Path) -> bool:
        """Return whether a skill (its folder) or another unit (its file) is excluded."""
        path = self._find_path(place)
        return path is not None and self.spec.match_file(path)

    def list_unused(self, places: Iterable[Path]) -> list[str]:
        """Return a note for each line that matches none of these places."""
        paths = [path for place in places if (path := self._find_path(place))]
        return [
            f"{FILE}: exclude {line!r} matches no unit of the project; per-file-ignores covers files in a unit"
            for line, pattern in zip(self.lines, self.spec.patterns, strict=True)
            if not line.startswith("#")
            and (pattern.include is None or not any(pattern.match_file(path) for path in paths))
        ]

    def _find_path(self, place: Path) -> str | None:
        file = Path(os.path.realpath(place.parent), place.name)
        if not file.is_relative_to(self.folder):
            return None
        path = file.relative_to(self.folder).as_posix()
        return f"{path}/{MAIN}" if place.is_dir() else path


def read_exclusion(project: ProjectSettings) -> Exclusion | None:
    """Return what the settings exclude; None for nothing. Raises InvalidSettings for an invalid line."""
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
    """What the settings of all checked projects exclude. Its methods raise InvalidSettings."""

    def __init__(self) -> None:
        self._known: dict[Path, Exclusion | None] = {}
        self._around: dict[Path, tuple[Exclusion, ...]] = {}

    def covers(self, place: Path) -> bool:
        """Return whether a settings file above a skill (its folder) or another unit (its file) excludes it."""
        folder = find_settings_start(place)
        if folder not in self._around:
            projects = list_project_settings(folder)
            self._around[folder] = tuple(one for project in projects if (one := self._read(project)))
        return any(one.covers(place) for one in self._around[folder])

    def list_unused(self, arguments: Iterable[str], places: Sequence[Path]) -> Iterator[str]:
        """Yield a note for each line without effect on the places, if an argument names its whole project."""
        folders = [Path(one).resolve() for one in arguments]
        for one in filter(None, self._known.values()):
            if any(one.folder.is_relative_to(folder) for folder in folders):
                yield from one.list_unused(places)

    def _read(self, project: ProjectSettings) -> Exclusion | None:
        if project.folder not in self._known:
            self._known[project.folder] = read_exclusion(project)
        return self._known[project.folder]


def describe_exclusion(count: int) -> str:
    """Return a note about units that were left out."""
    return f"{counted(count, 'unit')} excluded by {FILE}"
