"""Find the skills and other units that arguments name. Excluded units are left out."""

import os
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path

import msgspec
from msgspec.structs import replace

from orchestrator.errors import BadInput
from orchestrator.fs.home import parse_path
from orchestrator.project.exclusion import Exclusions, describe_exclusion
from orchestrator.project.projects import Projects, is_in_archive
from orchestrator.project.settings import InvalidSettings, SettingsFinder
from orchestrator.project.skill_finder import (
    find_skill,
    find_skill_above,
    find_skill_of_name,
    is_lone_skill,
    is_name,
    is_skill,
    may_have_other_units,
)
from orchestrator.project.unit_finder import LocatedUnit, ensure_unique, find_named_unit
from schemas.vocabulary import UnitKind
from templates.filters import counted

_MAX_SUGGESTIONS = 5
"""Maximum number of units of a folder that a message suggests."""
_UNIT_ADVICE = (
    "a skill is a folder with a SKILL.md; in a plugin or .claude, agents/*.md, commands/*.md, output-styles/*.md, "
    "hooks, manifests, .mcp.json and CLAUDE.md are units too"
)


class Targets(msgspec.Struct, frozen=True):
    """The units that the arguments select, without duplicates, and the errors in arguments and settings files."""

    skills: Sequence[str] = ()
    units: Sequence[LocatedUnit] = ()
    problems: Mapping[str, str] = msgspec.field(default_factory=dict)

    @property
    def paths(self) -> list[Path]:
        """The folders of the skills, and the files of the other units."""
        return [*map(Path, self.skills), *(unit.path for unit in self.units)]

    def keep(self, paths: Collection[str]) -> "Targets":
        """Return only the skills and other units that are among these paths."""
        units = [unit for unit in self.units if str(unit.path) in paths]
        return replace(self, skills=[skill for skill in self.skills if skill in paths], units=units)

    def join(self, other: "Targets") -> "Targets":
        """Return the targets of both, without duplicates."""
        skills = {os.path.realpath(skill): skill for skill in (*other.skills, *self.skills)}
        units = {unit.path: unit for unit in (*other.units, *self.units)}
        return replace(self, skills=list(skills.values()), units=list(units.values()))


def leave_out_excluded(targets: Targets, arguments: Sequence[str], finder: SettingsFinder) -> tuple[Targets, list[str]]:
    """Return the targets without excluded units, and notes.

    The notes have the number of excluded units, and the lines that exclude nothing. If the settings file of a unit
    is invalid, the unit is left out and the file is added to the problems. Raises InvalidSettings if no unit is
    left in this case.
    """
    exclusions, invalid = Exclusions(finder), dict[Path, InvalidSettings]()

    def is_excluded(path: Path) -> bool | None:
        """Return whether the settings exclude a unit. Returns None if the settings file is invalid."""
        try:
            return exclusions.covers(path)
        except InvalidSettings as error:
            invalid.setdefault(error.file, error)
            return None

    excluded = {path: is_excluded(path) for path in targets.paths}
    skills = [skill for skill in targets.skills if excluded[Path(skill)] is False]
    units = [unit for unit in targets.units if excluded[unit.path] is False]
    excluded_count = [*excluded.values()].count(True)
    if invalid and not (skills or units):
        raise next(iter(invalid.values()))
    valid_arguments = (argument for argument in arguments if argument not in targets.problems)
    all_excluded = "" if skills or units else "nothing to check: "
    notes = [f"{all_excluded}{describe_exclusion(excluded_count)}"] if excluded_count else []
    notes += exclusions.list_unused(valid_arguments, targets.paths)
    problems = {**targets.problems, **{str(file): str(error) for file, error in invalid.items()}}
    return replace(targets, skills=skills, units=units, problems=problems), notes


def find_targets(
    arguments: Sequence[str],
    kinds: Collection[str] = (),
    projects: Projects | None = None,
    *,
    only_in_skills: bool = False,
) -> Targets:
    """Return the units that arguments name.

    A folder means all units in it, a file its unit and the skill that contains it, a name one unit.
    kinds: include only units of these kinds. projects: the projects that the scan has read. only_in_skills: ignore
    arguments that name no unit, unless they look like mistyped options. Raises BadInput for an empty argument.
    """
    projects = projects or Projects()
    search = _Search(kinds, projects)
    skills: dict[Path, str] = {}
    units: dict[Path, LocatedUnit] = {}
    problems: dict[str, str] = {}
    for argument in arguments:
        if not argument:
            raise BadInput("empty argument; give the folder of a skill")
        try:
            named_units = search.find(argument)
        except BadInput as error:
            is_option = argument.startswith("-") and not os.path.lexists(argument)
            if is_option or not only_in_skills:
                problems[argument] = str(error)
            continue
        for unit in named_units:
            if isinstance(unit, LocatedUnit):
                units.setdefault(unit.path, unit)
            else:
                skills.setdefault(projects.settings.resolve(unit), str(unit))
    return Targets(list(skills.values()), list(units.values()), problems)


def find_target(argument: str) -> Path | LocatedUnit:
    """Return the unit that an argument names: a skill by its folder or a file in it, or any unit by its file or name.

    Raises BadInput if it names no unit or several.
    """
    if not argument:
        raise BadInput("empty argument; give the folder of a skill, or the file of another unit")
    path = parse_path(argument)
    search = _Search((), Projects())
    if not is_name(argument) and path.is_dir():
        units = [] if is_skill(path) else search.find(argument)
        if units and path not in units:  # if its SKILL.md is not a regular file, the search finds the skill itself
            paths = [os.path.relpath(unit.path if isinstance(unit, LocatedUnit) else unit) for unit in units]
            names, folder = ", ".join(paths[:_MAX_SUGGESTIONS]), f"a folder with {counted(len(paths), 'unit')}"
            advice = f"`tune-skill diagnose {argument}` marks with [*] what can be fixed"
            raise BadInput(f"{argument}: {folder}; name one of them: {names}. {advice}")
        return find_skill(argument)
    units = search.find(argument)
    return next((unit for unit in units if isinstance(unit, LocatedUnit)), units[0])


class _Search:
    """Finds the units that arguments name, reading each project only once. kinds: the kinds to keep (empty: all)."""

    def __init__(self, kinds: Collection[str], projects: Projects) -> None:
        self._kinds = frozenset(map(UnitKind, kinds or UnitKind))
        self._projects = projects
        self._list_units = lru_cache(projects.list_units)
        self._index = lru_cache(self._index_others)

    def find(self, argument: str) -> list[Path | LocatedUnit]:
        """Return the skills (as folders) and other units that an argument names. Raises BadInput if there are none."""
        path = parse_path(argument)
        if is_name(argument):
            units = list(self._find_name(argument))
        elif os.path.isdir(path):  # noqa: PTH112 - no error for odd names
            skills = self._projects.find_skills_below(path) or ([path] if is_lone_skill(path) else [])
            units = [*skills, *(self._list_below(path) if may_have_other_units(path) else ())]
        else:
            units = list(self._find_file(path))
        if not units:
            units = [find_skill(argument, self._list_known, _UNIT_ADVICE)]
        return [unit for unit in units if self._get_kind(unit) in self._kinds]

    def _find_name(self, name: str) -> Iterator[Path | LocatedUnit]:
        """Yield the unit with a name, if there is one. Raises BadInput if several units have the name."""
        skill = find_skill_of_name(name, self._list_project_units) if UnitKind.SKILL in self._kinds else None
        others = (
            located for located in self._list_project_units() if located.unit.kind in self._kinds - {UnitKind.SKILL}
        )
        other = find_named_unit(name, others)
        if skill and other:
            ensure_unique(name, [skill, other.path])
        yield from filter(None, (skill, other))

    def _list_below(self, folder: Path) -> Iterator[LocatedUnit]:
        top, root = folder.resolve(), self._projects.find_root(folder)
        units = dict(self._list_others(folder))
        if top.is_relative_to(root) and is_in_archive(top, root):
            units |= self._index_archived(folder)
        return (
            unit for unit in units.values() if unit.loading_path.is_relative_to(top) or unit.path.is_relative_to(top)
        )

    def _find_file(self, path: Path) -> Iterator[Path | LocatedUnit]:
        """Yield the skill that contains a file, and the file's unit if it is a unit itself.

        If the file does not exist, the unit with this path is searched in the project of the current folder.
        """
        if os.path.exists(path):  # noqa: PTH110 - no error for odd names
            file = path.parent.resolve() / path.name
            if skill := find_skill_above(path):
                yield skill
            if unit := self._list_others(file.parent).get(file) or self._index_archived(file.parent).get(file):
                yield unit
        elif unit := find_named_unit(str(path), self._list_project_units()):
            yield unit.unit_path if unit.unit.kind is UnitKind.SKILL else unit

    def _list_others(self, folder: Path) -> Mapping[Path, LocatedUnit]:
        """Return the units other than skills of the project around a folder, by file."""
        return self._index(self._projects.find_root(folder))

    def _index_others(self, root: Path) -> Mapping[Path, LocatedUnit]:
        return {located.path: located for located in self._list_units(root) if located.unit.kind is not UnitKind.SKILL}

    def _index_archived(self, folder: Path) -> Mapping[Path, LocatedUnit]:
        """Return the units other than skills in archives of the project around a folder, by file."""
        units = self._projects.list_archived(self._projects.find_root(folder))
        return {located.path: located for located in units if located.unit.kind is not UnitKind.SKILL}

    def _list_project_units(self) -> list[LocatedUnit]:
        return self._list_units(self._projects.find_root(Path.cwd()))

    def _list_known(self) -> list[LocatedUnit]:
        return [located for located in self._list_project_units() if located.unit.kind in self._kinds]

    def _get_kind(self, unit: Path | LocatedUnit) -> UnitKind:
        return unit.unit.kind if isinstance(unit, LocatedUnit) else UnitKind.SKILL
