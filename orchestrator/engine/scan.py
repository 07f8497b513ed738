"""Scan the units of a project, and return one row for each.

`scan_unit` checks and scores a unit that has been read. `scan_units` reads and scans many units, in several processes
if that is faster. Both use `actions.scoring`, which a run calls step by step.
"""

import gc
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext, suppress
from functools import partial
from pathlib import Path
from typing import NamedTuple

from msgspec.structs import replace

from actions.case import Case
from actions.patterns import get_patterns
from actions.scoring.issues import make_issues
from actions.scoring.scan import Scan, scan
from actions.skill.settings import is_selected
from orchestrator.engine.processes import count_cores, map_in_processes
from orchestrator.engine.rows import Row, make_row
from orchestrator.engine.units import LoadedUnit, ScanOptions, find_unit, read_project_units
from orchestrator.errors import BadInput, is_strict
from orchestrator.model import JudgeAccess
from orchestrator.project.exclusion import Exclusions
from orchestrator.project.projects import Projects
from orchestrator.project.settings import read_project_settings
from orchestrator.project.skill_finder import measure_folder
from orchestrator.project.unit_finder import LocatedUnit
from schemas.issues import Cost, Issue
from schemas.sessions import SessionRecord
from schemas.vocabulary import LOADED_KINDS, UnitKind

_NO_MODEL = JudgeAccess()
_REVIEWED_KINDS = frozenset({UnitKind.AGENT, UnitKind.COMMAND, UnitKind.MEMORY, UnitKind.STYLE})
_MIN_FOR_PROCESSES = 32
"""Minimum number of units to scan in several processes.

Several processes take 4 to 20 % more CPU time (benchmarks/speed.md). Fewer units take only 0.5 s in one process.
"""


def scan_unit(unit: LoadedUnit, options: ScanOptions, access: JudgeAccess = _NO_MODEL) -> Row:
    """Scan a unit, ask the model of `access`, if any, and add the evidence of recorded sessions."""
    if options.sessions or access.judge is not None:
        row = _scan_with_model_and_sessions(unit, options, access)
    else:
        row = _scan_with_cache(unit, options)
    return _set_uncached_fields(row, unit, access)


def scan_named(name: str, options: ScanOptions, access: JudgeAccess = _NO_MODEL) -> Row:
    """Find, read and scan the unit that a user names. If it cannot be read, the row has the error."""
    try:
        unit = find_unit(name, options)
    except BadInput as error:
        return Row(name, error=str(error))
    return scan_unit(unit, options, access)


def scan_units(
    names: Sequence[str],
    options: ScanOptions,
    jobs: int | None = None,
    access: JudgeAccess = _NO_MODEL,
    on_row: Callable[[], None] = lambda: None,
) -> list[Row]:
    """Scan the units that a user names. Returns their rows in the same order and calls `on_row` after each.

    `jobs` is the number of processes, by default one per core if there are many units. With a model there is only one
    process, because it counts the cost.
    """
    rows: dict[int, Row] = {}
    with _pause_garbage_collector(), options.cache.trim_afterwards() if options.cache else nullcontext():
        for index, row in _scan_all(names, options, jobs, access):
            rows[index] = row
            on_row()
    return [rows[index] for index in sorted(rows)]


def scan_project_units(
    units: Iterable[LocatedUnit], options: ScanOptions, access: JudgeAccess = _NO_MODEL
) -> list[Row]:
    """Scan units that are not skills, and return a row for each.

    The model of `access`, if any, reviews agents, commands, memory files and output styles.
    """
    return [
        _make_unit_row(unit, run_checks(unit, options.max_causes), options, access)
        for unit in read_project_units(units, options)
    ]


def _make_unit_row(unit: LoadedUnit, scan_result: Scan, options: ScanOptions, access: JudgeAccess) -> Row:
    issues, notes, cost, case = make_issues(scan_result), list[str](), Cost(), unit.case
    sessions: tuple[SessionRecord, ...] = ()
    has_sessions = bool(options.sessions) and case.skill.kind in LOADED_KINDS
    if has_sessions:
        from orchestrator.engine.session_evidence import add_sessions, read_session_case

        case, recorded = read_session_case(case, unit.root, options.sessions, access)
    is_reviewed = access.judge is not None and unit.case.skill.kind in _REVIEWED_KINDS
    must_read = access.must_read and unit.case.skill.kind in _REVIEWED_KINDS
    is_read = False
    if is_reviewed:
        issues, notes, cost, is_read = _ask_model(issues, case, access)
    if is_reviewed or must_read:
        notes += access.notes
    if has_sessions:
        evidence = add_sessions(issues, case, unit.root, recorded, access)
        issues, sessions, cost = evidence.issues, evidence.sessions, cost + evidence.cost
        notes = [*notes, *evidence.notes]
    row = make_row(
        str(unit.root), unit.case, scan_result, issues, notes, sessions, must_read=must_read, is_read=is_read
    )
    return replace(row, cost=cost, judge=access.name) if is_reviewed else row


def find_unused_suppressions(rows: Sequence[Row], projects: Projects) -> list[str]:
    """Return notes on suppressions that have no effect in any unit of a project.

    A suppression is left out unless all units of the kinds that it can apply to were checked.
    """
    if not rows or any(row.error or row.unchecked for row in rows):
        return []
    unused = [{suppression.message for suppression in row.unused_suppressions} for row in rows]
    shared = [s for s in rows[0].unused_suppressions if all(s.message in messages for messages in unused)]
    folders = {project.folder for row in rows if (project := read_project_settings(row.unit_path))} if shared else set()
    if len(folders) != 1:
        return []
    missed = _list_missed_kinds(folders.pop(), rows, projects)
    return [f"{s.message} in any unit of the project" for s in shared if missed.isdisjoint(_list_kinds(s.code))]


def _list_missed_kinds(folder: Path, rows: Sequence[Row], projects: Projects) -> set[UnitKind]:
    """Return the kinds of the units below a folder that have no row and are not excluded."""
    from orchestrator.project.targets import find_targets

    scanned, exclusions = {os.path.realpath(row.unit_path) for row in rows}, Exclusions(projects.settings)
    targets = find_targets([str(folder)], (), projects)
    units = [(Path(path), UnitKind.SKILL) for path in targets.skills]
    units += [(located.path, located.unit.kind) for located in targets.units]
    return {kind for path, kind in units if os.path.realpath(path) not in scanned and not exclusions.covers(path)}


def _list_kinds(code: str) -> set[UnitKind]:
    """Return the kinds of units that the patterns of a code apply to ("*": any code)."""
    patterns = (module.PATTERN for module in get_patterns().values())
    return {kind for p in patterns if code == "*" or is_selected((code,), p.id, p.family) for kind in p.kinds}


def run_checks(unit: LoadedUnit, max_causes: int | None = None) -> Scan:
    """Run the checks of all patterns. Raises RuntimeError in strict mode if a check fails."""
    scan_result = scan(unit.case, max_causes=max_causes)
    if scan_result.failed and is_strict():
        raise RuntimeError(f"patterns failed on {unit.root}: {dict(scan_result.failed)}")
    return scan_result


def _scan_with_cache(unit: LoadedUnit, options: ScanOptions) -> Row:
    cache = None if unit.unsaved or options.max_causes else options.cache
    row = cache.get(unit.case) if cache else None
    if row is None:
        scan_result = run_checks(unit, options.max_causes)
        row = make_row(str(unit.root), unit.case, scan_result, make_issues(scan_result))
        if cache and not scan_result.failed:
            cache.write(unit.case, row)
    return row


def _scan_with_model_and_sessions(unit: LoadedUnit, options: ScanOptions, access: JudgeAccess) -> Row:
    root, case, scan_result = unit.root, unit.case, run_checks(unit, options.max_causes)
    sessions: tuple[SessionRecord, ...] = ()
    if options.sessions:
        from orchestrator.engine.session_evidence import add_sessions, read_session_case

        case, recorded = read_session_case(case, root, options.sessions, access)
    issues, notes, cost, is_read = _ask_model(make_issues(scan_result), case, access)
    if options.sessions:
        evidence = add_sessions(issues, case, root, recorded, access)
        issues, sessions, cost = evidence.issues, evidence.sessions, cost + evidence.cost
        notes += evidence.notes
    row = make_row(str(root), case, scan_result, issues, notes, sessions, must_read=access.must_read, is_read=is_read)
    return replace(row, cost=cost)


class _Review(NamedTuple):
    """Issues after a model's review, notes on it, its cost, and whether the model has read all of the unit."""

    issues: tuple[Issue, ...]
    notes: list[str]
    cost: Cost
    is_read: bool


def _ask_model(issues: tuple[Issue, ...], case: Case, access: JudgeAccess) -> _Review:
    if access.judge is None:
        return _Review(issues, [], Cost(), is_read=False)
    from actions.review.asking import JudgeClient
    from actions.review.consult import consult_judge

    client = JudgeClient(access.judge, case)
    issues = consult_judge(issues, case, client)
    return _Review(issues, client.notes, client.cost, is_read=not client.unread)


def _set_uncached_fields(row: Row, unit: LoadedUnit, access: JudgeAccess) -> Row:
    """Set the fields that are not cached: the path of the unit, and what is known of the model."""
    return _add_access(replace(row, path=str(unit.root)), access)


def _add_access(row: Row, access: JudgeAccess) -> Row:
    """Return the row of a skill with the model that was asked, or why none was, and with the gate that follows."""
    row = replace(row, notes=(*row.notes, *access.notes), judge=access.name, must_read=access.must_read)
    return row.with_issues(row.issues) if row.is_unread else row


def _scan_all(
    names: Sequence[str], options: ScanOptions, jobs: int | None, access: JudgeAccess
) -> Iterator[tuple[int, Row]]:
    """Yield the index and the row of each unit, cached ones first.

    The other units are scanned in several processes if that is faster and no model is asked.
    """
    may_fork = access.judge is None
    cached_rows = _find_cached_rows(names, options) if may_fork and _count_processes(len(names), jobs) > 1 else {}
    yield from ((index, _set_uncached_fields(row, unit, access)) for index, (unit, row) in cached_rows.items())
    rest = [index for index in range(len(names)) if index not in cached_rows]
    count = _count_processes(len(rest), jobs)
    if not may_fork or count < 2:
        yield from ((index, scan_named(names[index], options, access)) for index in rest)
        return
    work = partial(scan_named, options=options)
    for position, row in map_in_processes(work, [names[index] for index in rest], measure_folder, count):
        yield rest[position], row if row.error else _add_access(row, access)


def _count_processes(units: int, jobs: int | None) -> int:
    """Return the number of processes: `jobs`, or one per core if there are many units."""
    return min(jobs or (count_cores() if units >= _MIN_FOR_PROCESSES else 1), units)


def _find_cached_rows(names: Sequence[str], options: ScanOptions) -> dict[int, tuple[LoadedUnit, Row]]:
    """Return the cached rows of units, by index. Stops after many units without a cached row, to save time."""
    cached_rows: dict[int, tuple[LoadedUnit, Row]] = {}
    if options.cache and not options.sessions and not options.max_causes:
        for index, name in enumerate(names):
            if index - len(cached_rows) == _MIN_FOR_PROCESSES:
                break
            with suppress(BadInput):
                unit = find_unit(name, options)
                row = options.cache.get(unit.case)
                if row:
                    cached_rows[index] = unit, row
    return cached_rows


@contextmanager
def _pause_garbage_collector() -> Iterator[None]:
    """Disable the garbage collector during the block.

    The records have no reference cycles, and the collector would take a fifth of the time.
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()
