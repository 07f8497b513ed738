"""Read the units of a project that are to be scanned, each with its settings."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from pathlib import Path

from actions.case import Case
from actions.project.unit_record import read_unit_file
from actions.skill import Skill
from actions.skill.settings import Settings
from orchestrator.engine.baseline import Baseline, baseline_key
from orchestrator.engine.cache import Cache
from orchestrator.engine.time_limit import limit_time
from orchestrator.project.settings import ProjectSettings, apply_selection, read_settings
from orchestrator.project.skill_finder import find_skill
from orchestrator.project.skill_reader import read_skill, replace_unsaved
from orchestrator.project.unit_finder import LocatedUnit


@dataclass(frozen=True)
class ScanOptions:
    """What a front end asks of a scan, for all units. `select` and `ignore` hold codes of patterns.

    project: the settings of the project. sessions: paths of recorded sessions to use as evidence. cache: None looks at
    every unit anew. time_limit: entered around each pattern, raises TimeoutError in one that takes too long.
    """

    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    project: ProjectSettings | None = None
    baseline: Baseline = field(default_factory=dict)
    baseline_file: Path = Path()
    sessions: tuple[str, ...] = ()
    cache: Cache | None = None
    time_limit: Callable[[], AbstractContextManager[None]] = limit_time


@dataclass(frozen=True)
class Unit:
    """A unit that was read: where it is on disk, and its content with its settings.

    unsaved: the paths of files whose text was replaced by what an editor holds.
    """

    root: Path
    case: Case
    unsaved: tuple[str, ...] = ()


def find_unit(name: str, options: ScanOptions) -> Unit:
    """Find and read the unit that a user names: by its folder, a file in it or its name. Raises BadInput."""
    return read_unit(find_skill(name), options)


def read_unit(root: Path, options: ScanOptions, buffers: Mapping[str, str] | None = None) -> Unit:
    """Read the unit at `root`. Raises BadInput. buffers: the text of open files in an editor, by path in the unit."""
    disk = read_skill(root)
    skill = replace_unsaved(disk, root, buffers or {})
    case = Case(skill, settings=settings_of(root, options), limited=options.time_limit)
    return Unit(root, case, tuple(_differing(disk, buffers or {})))


def read_project_units(found: Iterable[LocatedUnit], options: ScanOptions) -> Iterator[Unit]:
    """Read units that are no skills: agents, commands, hooks, manifests, servers, memory, styles.

    A file that cannot be read, or is not UTF-8, is left out.
    """
    read = lru_cache(partial(_read_selected, options=options))
    for one in found:
        if record := read_unit_file(one.project, one.unit):
            settings = _add_baseline(read(one.root), one.path, options)
            case = Case(record, settings=settings, limited=options.time_limit, project=one.project, unit=one.unit)
            yield Unit(one.root, case)


def settings_of(root: Path, options: ScanOptions) -> Settings:
    """Return the settings of the unit at `root`, with what the options select and its part of the baseline."""
    return _add_baseline(_read_selected(root, options), root, options)


def _read_selected(root: Path, options: ScanOptions) -> Settings:
    return apply_selection(read_settings(root, options.project), options.select, options.ignore)


def _add_baseline(settings: Settings, place: Path, options: ScanOptions) -> Settings:
    """Return settings with the part of the baseline for the skill or the file at `place`."""
    if not options.baseline:
        return settings
    return replace(settings, baseline=options.baseline.get(baseline_key(place, options.baseline_file), ()))


def _differing(disk: Skill, buffers: Mapping[str, str]) -> list[str]:
    files = {path: disk.by_path[path] for path in sorted(buffers.keys() & disk.by_path.keys())}
    return [path for path, file in files.items() if file.text.lstrip("\ufeff") != buffers[path]]
