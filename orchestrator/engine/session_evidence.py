"""Add the evidence of recorded sessions to findings. Import it late: loading it takes as long as all other imports."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from actions.case import Case
from actions.evidence.collect import check_lines
from actions.evidence.issues import add_evidence, collect_evidence
from actions.review.verdicts import apply_verdict
from actions.scoring.issues import update_issues
from actions.scoring.suppression import suppress_issues
from actions.session.transcript import Transcript
from orchestrator.engine.recorded_sessions import RecordedSessions, read_sessions
from orchestrator.errors import is_strict
from orchestrator.model import JudgeAccess
from schemas.issues import Cost, Issue
from schemas.options import Options
from schemas.sessions import SessionSeen
from schemas.vocabulary import Family


@dataclass(frozen=True)
class SessionEvidence:
    """Issues with the evidence of sessions, these sessions, notes on them, and the cost of asking a model."""

    issues: tuple[Issue, ...]
    sessions: tuple[SessionSeen, ...]
    notes: tuple[str, ...]
    cost: Cost


def add_line_faults(issues: Sequence[Issue], case: Case, sessions: Sequence[Transcript]) -> tuple[Issue, ...]:
    """Return the issues of a unit together with the faults in its text, and only those, that sessions reveal."""
    case = case if case.sessions is sessions else replace(case, sessions=tuple(sessions))  # keep what is memoized
    seen = check_lines(case)
    if seen.failed and is_strict():
        raise RuntimeError(f"checkers failed on {case.skill.name}: {seen.failed}")
    return update_issues((), suppress_issues(add_evidence(issues, seen, case, ()), case), ())


def read_session_case(
    case: Case, root: Path, paths: Sequence[str], access: JudgeAccess
) -> tuple[Case, RecordedSessions]:
    """Read the sessions at `paths` that used the unit at `root`; return its case with them, and what was read."""
    known = read_sessions(Options(sessions="given", session_paths=tuple(paths)), case.skill, root, access)
    return replace(case, sessions=known.sessions, considerations=known.considerations, judged=known.judged), known


def add_sessions(
    issues: Sequence[Issue], case: Case, root: Path, known: RecordedSessions, access: JudgeAccess
) -> SessionEvidence:
    """Return the issues of the skill at `root` with the evidence of the sessions in its case."""
    seen = collect_evidence(case, frozenset(Family), access.name or "a model")
    if seen.failed and is_strict():
        raise RuntimeError(f"checkers failed on {root}: {seen.failed}")
    added = suppress_issues(add_evidence(issues, seen, case, ()), case)
    raised = update_issues((), [apply_verdict(issue) for issue in added], ())
    return SessionEvidence(raised, seen.rows, (*known.notes, *seen.failed), known.cost)
