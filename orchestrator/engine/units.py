"""Read the units of a project for a scan, each with its settings."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
from msgspec.structs import replace

from actions.case import Case, Limited
from actions.project.place import Place
from actions.project.unit_record import read_unit_file
from actions.skill import Skill
from actions.skill.settings import Settings
from orchestrator.engine.baseline import Baseline, get_baseline_key
from orchestrator.errors import BadInput
from orchestrator.project.projects import Projects
from orchestrator.project.settings import apply_selection, read_settings, read_unit_settings
from orchestrator.project.skill_finder import find_skill
from orchestrator.project.skill_reader import MAX_TEXT, read_skill, replace_unsaved
from orchestrator.project.unit_finder import LocatedUnit
from orchestrator.time_limit import run_limited

if TYPE_CHECKING:
    from orchestrator.engine.cache import Cache


class ScanOptions(msgspec.Struct, frozen=True):
    """The options of a scan, for all units.

    - `select`, `ignore`: codes of patterns to check, and not to check.
    - `sessions`: paths of recorded sessions to use as evidence.
    - `cache`: the cache of rows; if None, every unit is scanned again.
    - `time_limit`: runs the check of a pattern, and raises TimeoutError if it takes too long.
    - `projects`: the projects that have been read, so that no project is read twice.
    - `max_causes`: the maximum number of causes of one pattern in one unit, or None for the limit of the scan.
    """

    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    baseline: Baseline = msgspec.field(default_factory=dict)
    baseline_file: Path = Path()
    sessions: tuple[str, ...] = ()
    cache: "Cache | None" = None
    time_limit: Limited = run_limited
    projects: Projects = msgspec.field(default_factory=Projects)
    max_causes: int | None = None


class LoadedUnit(msgspec.Struct, frozen=True):
    """A unit that has been read: its path on disk, and its content with its settings.

    `unsaved` are the paths of files whose text was replaced by the text in an editor.
    """

    root: Path
    case: Case
    unsaved: tuple[str, ...] = ()


def find_unit(name: str, options: ScanOptions) -> LoadedUnit:
    """Find and read the unit that a user names by its folder, a file in it or its name. Raises BadInput."""
    return read_unit(find_skill(name), options)


def read_unit(root: Path, options: ScanOptions, buffers: Mapping[str, str] | None = None) -> LoadedUnit:
    """Read the unit at `root`. Raises BadInput.

    `buffers` maps the paths (in the unit) of files that are open in an editor to their texts.
    """
    disk = read_skill(root)
    skill = replace_unsaved(disk, root, buffers or {})
    locate = options.projects.locate(disk, root)
    case = Case(skill, settings=get_settings(root, options), limited=options.time_limit, locate=locate)
    return LoadedUnit(root, case, tuple(_list_unsaved(disk, buffers or {})))


def read_project_units(located_units: Iterable[LocatedUnit], options: ScanOptions) -> Iterator[LoadedUnit]:
    """Read the units of projects that are not skills: agents, commands, hooks, manifests, servers and so on.

    Unreadable files and files that are not UTF-8 are skipped, as are the largest files of a project whose text exceeds
    MAX_TEXT.
    """
    units = list(located_units)
    excess = set(_list_excess_files(units))
    for located_unit in units:
        if located_unit.path not in excess and (record := read_unit_file(located_unit.project, located_unit.unit)):
            own_settings = read_unit_settings(located_unit.root, located_unit.path, options.projects.settings)
            settings = _apply_options(own_settings, located_unit.path, options)
            locate = Place(located_unit.project, located_unit.unit, record).with_skill
            yield LoadedUnit(
                located_unit.root, Case(record, settings=settings, limited=options.time_limit, locate=locate)
            )


def _list_excess_files(units: Iterable[LocatedUnit]) -> Iterator[Path]:
    """Yield the largest files of each project, which are skipped to keep its text within MAX_TEXT."""
    total: Counter[Path] = Counter()
    sizes = (
        (located_unit.project.files[located_unit.unit.path].size, located_unit)
        for located_unit in units
        if located_unit.unit.path in located_unit.project.files
    )
    for size, located_unit in sorted(sizes, key=lambda pair: (pair[0], pair[1].path)):
        total[located_unit.root] += size
        if total[located_unit.root] > MAX_TEXT:
            yield located_unit.path


def read_unit_in_project(root: Path, file: str, options: ScanOptions) -> LoadedUnit:
    """Read the unit in a file of the project at `root`. Raises BadInput unless Claude Code loads the file as a unit."""
    located_units = (
        located_unit for located_unit in options.projects.list_units(root) if located_unit.unit.path == file
    )
    for unit in read_project_units(located_units, options):
        return unit
    raise BadInput(f"{root / file}: not a file that Claude Code loads, or not UTF-8; see `tune-skill diagnose {root}`")


def get_settings(root: Path, options: ScanOptions) -> Settings:
    """Return the settings of the skill at `root`, with the selection and the baseline entries of the options."""
    return _apply_options(read_settings(root, options.projects.settings), root, options)


def _apply_options(settings: Settings, unit_path: Path, options: ScanOptions) -> Settings:
    """Return a unit's settings with the pattern selection and the baseline entries of the options."""
    selected_settings = apply_selection(settings, options.select, options.ignore)
    if not options.baseline:
        return selected_settings
    return replace(
        selected_settings, baseline=options.baseline.get(get_baseline_key(unit_path, options.baseline_file), ())
    )


def _list_unsaved(disk: Skill, buffers: Mapping[str, str]) -> list[str]:
    """Return the paths of the files whose text in an editor differs from the text on disk."""
    files = {path: disk.by_path[path] for path in sorted(buffers.keys() & disk.by_path.keys())}
    return [path for path, file in files.items() if file.text.lstrip("\ufeff") != buffers[path]]
