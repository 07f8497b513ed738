"""Read the sessions of a project, and build tables of how they used its skills and commands."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path

from actions.case import Case
from actions.history.session_table import Fault, SessionTable, build_table
from actions.session.transcript import Transcript
from orchestrator.engine.recorded_sessions import is_evidence, list_session_files
from orchestrator.engine.rows import Row
from orchestrator.engine.units import ScanOptions, Unit, read_project_units, read_unit
from orchestrator.errors import BadInput
from orchestrator.guard.transcripts import list_project_sessions, read_transcript
from orchestrator.project.project_reader import find_project_folder
from orchestrator.project.settings import current_project
from orchestrator.project.unit_finder import LocatedUnit
from schemas.vocabulary import UnitKind

MAX_SESSIONS = 200
"""Maximum number of sessions read, newest first."""
_MAX_IN_MEMORY, _MIN_PER_SESSION = 200_000_000, 300_000
"""Characters that stay in memory: at most of all sessions, at least of one."""


@dataclass(frozen=True)
class Tables:
    """The tables of the units that sessions used, and notes on sessions that were left out."""

    tables: Sequence[SessionTable]
    notes: Sequence[str]


def build_tables(
    skills: Sequence[str], units: Iterable[LocatedUnit], paths: Sequence[str] = (), since: float = 0
) -> Tables:
    """Build the session tables of skills and commands, from the sessions at `paths`, else from those of their projects.

    since: skip sessions that ended before this time (epoch seconds).
    """
    cases = [one.case for one in _read_units(skills, units, ScanOptions())]
    notes: list[str] = []
    sessions = _read_sessions(skills, units, notes, paths, since)
    tables = [_build_table(replace(case, sessions=sessions)) for case in cases]
    used = [table for table in tables if table.uses]
    if not used:
        notes.append(_explain_no_tables(cases, len(sessions)))
    return Tables(sorted(used, key=lambda table: -table.uses), notes)


def _build_table(case: Case) -> SessionTable:
    from orchestrator.engine.session_evidence import add_line_faults

    table = build_table(case)
    issues = add_line_faults((), case, case.sessions) if table.uses else ()
    faults = (
        Fault(issue.location.line_start or 0, issue.pattern, issue.severity.value, issue.description)
        for issue in sorted(issues, key=lambda issue: (issue.priority, issue.location.line_start or 0))
    )
    return replace(table, faults=tuple(faults))


def add_to_rows(
    rows: Sequence[Row], skills: Sequence[str], units: Sequence[LocatedUnit], options: ScanOptions
) -> tuple[list[Row], list[str]]:
    """Return the rows of units with the faults that the sessions of their projects show, and notes."""
    from orchestrator.engine.session_evidence import add_line_faults

    notes: list[str] = []
    sessions = _read_sessions(skills, units, notes)
    cases = {Path(one.root, _file_of(one.case)): one.case for one in _read_units(skills, units, options)}
    added: list[Row] = []
    for row in rows:
        case = cases.get(row.unit_path)
        added.append(row.with_issues(add_line_faults(row.issues, case, sessions)) if case and not row.error else row)
    return added, notes


def _file_of(case: Case) -> str:
    return "" if case.skill.kind is UnitKind.SKILL else case.unit.path


def _read_units(skills: Sequence[str], units: Iterable[LocatedUnit], options: ScanOptions) -> Iterator[Unit]:
    """Yield the units that sessions show something of: skills and commands."""
    for skill in skills:
        with suppress(BadInput):
            yield read_unit(Path(skill), options)
    yield from read_project_units(_select_commands(units), options)


def _read_sessions(
    skills: Sequence[str], units: Iterable[LocatedUnit], notes: list[str], paths: Sequence[str] = (), since: float = 0
) -> tuple[Transcript, ...]:
    files = _list_given(paths, since) if paths else _discover([Path(skill) for skill in skills], units, since)
    if len(files) > MAX_SESSIONS:
        notes.append(f"the {MAX_SESSIONS} newest sessions were read; for others, give --since or paths")
    return tuple(_read(files[:MAX_SESSIONS], notes))


def _select_commands(units: Iterable[LocatedUnit]) -> list[LocatedUnit]:
    return [one for one in units if one.unit.kind is UnitKind.COMMAND]


def _list_given(paths: Sequence[str], since: float) -> list[Path]:
    files = dict.fromkeys(file.resolve() for path in paths for file in list_session_files(path))
    timed = [(file.stat().st_mtime, file) for file in files]
    return [file for time, file in sorted(timed, key=lambda pair: (-pair[0], pair[1])) if time >= since]


def _discover(skills: Sequence[Path], units: Iterable[LocatedUnit], since: float) -> list[Path]:
    """Return the sessions of the units' projects and of the current project."""
    roots = {current_project(), *(one.root for one in units), *map(find_project_folder, skills)}
    return list(islice(list_project_sessions(sorted(roots), since), MAX_SESSIONS + 1))


def _read(files: Sequence[Path], notes: list[str]) -> Iterable[Transcript]:
    kept = max(_MIN_PER_SESSION, _MAX_IN_MEMORY // max(1, len(files)))
    for file in files:
        try:
            transcript = read_transcript(file, kept)
        except BadInput as error:
            notes.append(f"a session was not read: {error}")
            continue
        if is_evidence(transcript) and any(one.loads for one in (transcript, *transcript.agents)):
            yield transcript


def _explain_no_tables(cases: Sequence[Case], count: int) -> str:
    if not cases:
        return "no skill or command among these files; other units leave no trace in sessions"
    if not count:
        return "no recorded session loaded a skill or a command; --sessions names other recordings"
    names = ", ".join(case.unit.name for case in cases[:3]) + (" …" if len(cases) > 3 else "")
    return f"{names}: not used by any of the {count} sessions that loaded a skill or a command"
