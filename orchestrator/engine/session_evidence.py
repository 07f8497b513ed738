"""Add the evidence of recorded sessions to findings. This module loads slowly, so import it only if needed."""

from collections.abc import Sequence
from pathlib import Path

import msgspec
from msgspec.structs import replace

from actions.case import Case
from actions.evidence.collect import check_lines
from actions.evidence.issues import add_evidence, collect_evidence
from actions.history.use_log import LIMIT
from actions.review.asking import JudgeClient, QuestionCounts
from actions.review.run_reading import MAX_RUNS, read_runs
from actions.review.verdicts import apply_verdict
from actions.scoring.issues import update_issues
from actions.scoring.suppression import suppress_issues
from actions.session.observation import Observation
from actions.session.transcript import Transcript
from orchestrator.engine.recorded_sessions import COST_SHARE, RecordedSessions, read_sessions
from orchestrator.errors import is_strict
from orchestrator.model import JudgeAccess
from schemas.issues import Cost, Issue
from schemas.options import Options
from schemas.sessions import SessionRecord
from schemas.vocabulary import Family

_MAX_REVIEW_RUNS, _MAX_RUN_CHARACTERS = 2, 80_000
"""Maximum number of runs for a model that also reviews the text, and maximum length of a run in characters."""


class SessionEvidence(msgspec.Struct, frozen=True):
    """Issues with the evidence of sessions, the sessions, notes on them, and the cost of a model."""

    issues: tuple[Issue, ...]
    sessions: tuple[SessionRecord, ...]
    notes: tuple[str, ...]
    cost: Cost


def add_line_faults(issues: Sequence[Issue], case: Case, sessions: Sequence[Transcript]) -> tuple[Issue, ...]:
    """Add the faults that sessions show at the lines of a unit to its issues."""
    case = (
        case if case.sessions is sessions else replace(case, sessions=tuple(sessions))
    )  # the same case keeps its memoized results
    evidence = check_lines(case)
    if evidence.failed and is_strict():
        raise RuntimeError(f"checkers failed on {case.skill.name}: {evidence.failed}")
    return update_issues((), suppress_issues(add_evidence(issues, evidence, case, ()), case), ())


def read_session_case(
    case: Case, root: Path, paths: Sequence[str], access: JudgeAccess
) -> tuple[Case, RecordedSessions]:
    """Read the sessions at `paths` that used the unit of a case.

    Returns the case with these sessions, and the sessions with their notes and cost. `root` is the folder of a skill,
    or the project root of another unit.
    """
    recorded = read_sessions(Options(sessions="given", session_paths=tuple(paths)), case, root, access)
    return add_recorded_sessions(case, recorded, access)


def add_recorded_sessions(case: Case, recorded: RecordedSessions, access: JudgeAccess) -> tuple[Case, RecordedSessions]:
    """Return the case with recorded sessions and a model's observations, and the sessions with added notes and cost."""
    case = replace(
        case,
        sessions=recorded.sessions,
        considerations=recorded.considerations,
        session_notes=recorded.notes,
        judged=recorded.judged,
    )
    run_observations = observe_runs(case, access, COST_SHARE, _MAX_REVIEW_RUNS, _MAX_RUN_CHARACTERS)
    case = replace(
        case, observations=run_observations.observations, session_notes=(*recorded.notes, *run_observations.notes)
    )
    return case, replace(recorded, notes=case.session_notes, cost=recorded.cost + run_observations.cost)


class RunObservations(msgspec.Struct, frozen=True):
    """A model's observations in the runs of a case, notes on them, the cost, and the numbers of questions."""

    observations: tuple[Observation, ...] = ()
    notes: tuple[str, ...] = ()
    cost: Cost = msgspec.field(default_factory=Cost)
    counts: QuestionCounts = QuestionCounts()


def observe_runs(
    case: Case, access: JudgeAccess, share: float = 1.0, max_runs: int = MAX_RUNS, max_characters: int = LIMIT
) -> RunObservations:
    """Ask the model, if any, to read the newest runs of the case's text.

    `share` is the part of the cost limit that may be used, from 0 to 1. `max_characters` limits the length of a run.
    """
    if not (access.reads_sessions and case.sessions):
        return RunObservations()
    with access.limit_for_evidence(share, is_quick=False) as judge:
        client = JudgeClient(judge)
        observations = read_runs(case, client, max_runs, max_characters)
        return RunObservations(observations, tuple(client.notes), client.cost, client.counts)


def add_sessions(
    issues: Sequence[Issue], case: Case, root: Path, recorded: RecordedSessions, access: JudgeAccess
) -> SessionEvidence:
    """Return the issues of the skill at `root` with the evidence of the sessions in its case."""
    evidence = collect_evidence(case, frozenset(Family), access.name or "a model")
    if evidence.failed and is_strict():
        raise RuntimeError(f"checkers failed on {root}: {evidence.failed}")
    new_issues = suppress_issues(add_evidence(issues, evidence, case, ()), case)
    updated_issues = update_issues((), [apply_verdict(issue) for issue in new_issues], ())
    return SessionEvidence(updated_issues, evidence.rows, (*recorded.notes, *evidence.failed), recorded.cost)
