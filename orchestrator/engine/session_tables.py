"""Build tables of how the sessions of a project used its skills, commands and agents."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import islice
from pathlib import Path

import msgspec
from msgspec.structs import replace

from actions.case import Case
from actions.history.session_table import LineFault, SessionTable, build_table
from actions.history.shared_events import merge_shared
from actions.history.uses import find_uses
from actions.review.asking import QuestionCounts
from actions.review.run_reading import MAX_RUNS
from actions.session.transcript import Transcript
from orchestrator.engine.agent_texts import add_texts
from orchestrator.engine.recorded_sessions import list_session_files, sort_by_age
from orchestrator.engine.rows import Row
from orchestrator.engine.units import LoadedUnit, ScanOptions, read_project_units, read_unit
from orchestrator.errors import BadInput
from orchestrator.guard.transcripts import is_evidence, list_project_sessions, read_transcript
from orchestrator.model import JudgeAccess
from orchestrator.model.environment import Say
from orchestrator.project.project_reader import find_project_folder
from orchestrator.project.settings import get_current_project
from orchestrator.project.unit_finder import LocatedUnit
from schemas.issues import Issue
from schemas.vocabulary import LOADED_KINDS, UnitKind
from templates.filters import counted

MAX_SESSIONS = 200
"""Maximum number of sessions to read, newest first."""
_MAX_CHARACTERS = 200_000_000
"""Maximum total length of the sessions in memory, in characters."""
_MIN_CHARACTERS_PER_SESSION = 300_000
"""Minimum length to keep of each session, in characters, even if there are many sessions."""
_NO_MODEL = JudgeAccess()


class Tables(msgspec.Struct, frozen=True):
    """A table for each unit that sessions used, most used first, and notes on skipped sessions."""

    tables: Sequence[SessionTable]
    notes: Sequence[str]


def build_tables(
    skills: Sequence[str],
    units: Sequence[LocatedUnit],
    paths: Sequence[str] = (),
    since: float = 0,
    access: JudgeAccess = _NO_MODEL,
    say: Say = lambda message: None,
) -> Tables:
    """Build the session tables of skills, and of the commands and agents among `units`.

    - `paths`: the sessions to read; by default, all sessions of the skills' and units' projects.
    - `since`: sessions that ended before this time (epoch seconds) are skipped.
    - `access`: the model that reads the newest runs of each unit, if any.
    - `say`: informs the user before the model is asked.
    """
    units_read = list(_read_usable_units(skills, units, ScanOptions()))
    notes: list[str] = []
    sessions = _read_recent_sessions(skills, units, notes, paths, since)
    cases: Iterable[Case] = (
        replace(unit.case, sessions=add_texts(unit.case, unit.root, sessions, notes)) for unit in units_read
    )
    if access.reads_sessions:
        cases = sorted(cases, key=lambda case: -len(find_uses(case)))  # the cost limit may stop the model
    tables = [_build_table(_add_observations(case, access, notes, say)) for case in cases]
    used_tables = merge_shared([table for table in tables if table.uses])
    if not used_tables:
        notes.append(_explain_no_tables([unit.case for unit in units_read], len(sessions)))
    return Tables(sorted(used_tables, key=lambda table: -table.uses), notes)


def _add_observations(case: Case, access: JudgeAccess, notes: list[str], say: Say) -> Case:
    """Return the case with a model's observations in the newest runs. Add notes on the observations and the cost."""
    run_count = min(len(find_uses(case)), MAX_RUNS) if access.reads_sessions else 0
    if not run_count:
        return case
    from orchestrator.engine.session_evidence import observe_runs

    say(f"{case.unit.name}: a model reads {counted(run_count, 'run')}")
    run_observations = observe_runs(case, access)
    notes += (f"{case.unit.name}: {note}" for note in run_observations.notes)
    if run_observations.counts.asked:
        summary = _describe_counts(run_observations.counts, run_observations.cost.usd, can_repeat=access.keeps_answers)
        notes.append(f"{case.unit.name}: {access.name} {summary}")
    return replace(case, observations=run_observations.observations)


def _describe_counts(counts: QuestionCounts, usd: float, *, can_repeat: bool) -> str:
    """Return how many questions were answered for which price, and how to get the missing answers."""
    is_complete = counts.answered == counts.asked
    questions = ("" if is_complete else f"{counts.answered} of ") + counted(counts.asked, "question")
    kept = f" ({counts.kept} by earlier commands)" if counts.kept else ""
    hint = "" if is_complete or not can_repeat else "; the same command asks only the missing ones, within a day"
    return f"answered {questions}{kept} for {usd:.2f} USD{hint}"


def _build_table(case: Case) -> SessionTable:
    """Build the table of a case, including the faults that sessions show at the lines of its unit."""
    from orchestrator.engine.session_evidence import add_line_faults

    table = build_table(case)
    issues = add_line_faults((), case, case.sessions) if table.uses else ()
    faults = (
        _make_fault(issue)
        for issue in sorted(issues, key=lambda issue: (issue.priority, issue.location.line_start or 0))
    )
    return replace(table, faults=tuple(faults))


def _make_fault(issue: Issue) -> LineFault:
    return LineFault(
        line=issue.location.line_start or 0,
        pattern=issue.pattern,
        severity=issue.severity.value,
        message=issue.description,
        grade=issue.grade.value,
    )


def add_to_rows(
    rows: Sequence[Row], skills: Sequence[str], units: Sequence[LocatedUnit], options: ScanOptions
) -> tuple[list[Row], list[str]]:
    """Add the faults that sessions of the units' projects show to the rows of units.

    Returns the rows, and notes on the sessions.
    """
    from orchestrator.engine.session_evidence import add_line_faults

    notes: list[str] = []
    sessions = _read_recent_sessions(skills, units, notes)
    units_read = {Path(unit.root, _get_file(unit.case)): unit for unit in _read_usable_units(skills, units, options)}
    new_rows: list[Row] = []
    for row in rows:
        unit = None if row.error else units_read.get(row.unit_path)
        used_sessions = add_texts(unit.case, unit.root, sessions, notes) if unit else ()
        new_rows.append(row.with_issues(add_line_faults(row.issues, unit.case, used_sessions)) if unit else row)
    return new_rows, notes


def _get_file(case: Case) -> str:
    """Return the path of a unit's file relative to `LoadedUnit.root`, or "" for a skill."""
    return "" if case.skill.kind is UnitKind.SKILL else case.unit.path


def _read_usable_units(
    skills: Sequence[str], units: Sequence[LocatedUnit], options: ScanOptions
) -> Iterator[LoadedUnit]:
    """Read the skills, commands and agents, the only units whose use is recorded. Unreadable skills are skipped."""
    for skill in skills:
        with suppress(BadInput):
            yield read_unit(Path(skill), options)
    yield from read_project_units(
        [located_unit for located_unit in units if located_unit.unit.kind in LOADED_KINDS], options
    )


def _read_recent_sessions(
    skills: Sequence[str], units: Sequence[LocatedUnit], notes: list[str], paths: Sequence[str] = (), since: float = 0
) -> tuple[Transcript, ...]:
    """Read the newest sessions that loaded a skill or command, and add notes on skipped ones."""
    files = _list_explicit_files(paths, since) if paths else _list_project_files(skills, units, since)
    if len(files) > MAX_SESSIONS:
        notes.append(f"only the {MAX_SESSIONS} newest sessions were read; for others, pass --since or paths")
    return tuple(_read_transcripts(files[:MAX_SESSIONS], notes))


def _list_explicit_files(paths: Sequence[str], since: float) -> list[Path]:
    """Return the session files at these paths that changed since a time (epoch seconds), newest first."""
    times = sort_by_age(file for path in paths for file in list_session_files(path))
    return [file for file, time in times.items() if time >= since]


def _list_project_files(skills: Sequence[str], units: Sequence[LocatedUnit], since: float) -> list[Path]:
    """Return the sessions of the current project and of the projects of the skills and units, newest first."""
    roots = {
        get_current_project(),
        *(located_unit.root for located_unit in units),
        *(find_project_folder(Path(skill)) for skill in skills),
    }
    return list(islice(list_project_sessions(sorted(roots), since), MAX_SESSIONS + 1))


def _read_transcripts(files: Sequence[Path], notes: list[str]) -> Iterator[Transcript]:
    """Yield the sessions that loaded a skill or command or started an agent, and add notes on unreadable ones."""
    characters = max(_MIN_CHARACTERS_PER_SESSION, _MAX_CHARACTERS // max(1, len(files)))
    for file in files:
        try:
            transcript = read_transcript(file, characters)
        except BadInput as error:
            notes.append(f"a session was not read: {error}")
            continue
        has_agents = any(call.name in ("Task", "Agent") for call in transcript.calls)
        has_loads = any(thread.loads for thread in (transcript, *transcript.agents))
        if is_evidence(transcript) and (has_agents or has_loads):
            yield transcript


def _explain_no_tables(cases: Sequence[Case], count: int) -> str:
    """Return why there is no table. `count` is the number of sessions that were read."""
    if not cases:
        return "no skill, command or agent among these files; sessions do not record the use of other units"
    if not count:
        return "no recorded session loaded a skill or a command; to read other recordings, use --sessions"
    names = ", ".join(case.unit.name for case in cases[:3]) + (" …" if len(cases) > 3 else "")
    return f"{names}: not used by any of the {count} sessions that loaded a skill or a command"
