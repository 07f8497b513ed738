"""What the sessions that a diagnosis was given say of its findings. Costs as much time to load as all the rest."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from actions.case import Case
from actions.evidence.issues import add_evidence, collect_evidence
from actions.review.verdicts import settled
from actions.scoring.issues import update_issues
from orchestrator.errors import is_strict
from orchestrator.model import Bench
from orchestrator.run.recorded_sessions import recorded
from schemas.issues import Cost, Issue
from schemas.options import Options
from schemas.sessions import SessionSeen
from schemas.vocabulary import Family


@dataclass(frozen=True)
class Witnessed:
    """Issues with what sessions show, the sessions, what is to be told of them, and what a judge of them cost."""

    issues: tuple[Issue, ...]
    rows: tuple[SessionSeen, ...]
    notes: tuple[str, ...]
    cost: Cost


def witnessed(issues: Sequence[Issue], case: Case, root: Path, paths: Sequence[str], bench: Bench) -> Witnessed:
    """Give the issues of a skill with what the sessions at `paths` show."""
    known = recorded(Options(sessions="given", session_paths=tuple(paths)), case.skill, root, bench)
    case = Case(case.skill, {}, case.settings, known.sessions, known.considerations, judged=known.judged)
    seen = collect_evidence(case, frozenset(Family), bench.name or "a model")
    if seen.failed and is_strict():
        raise RuntimeError(f"checkers failed on {root}: {seen.failed}")
    raised = update_issues((), [settled(issue) for issue in add_evidence(issues, seen, case, ())], ())
    return Witnessed(raised, seen.rows, (*known.notes, *seen.failed), known.cost)
