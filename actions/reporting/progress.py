"""Summarize a run: issues by family, scores from first to last, transitions of the state machine."""

from collections import Counter
from collections.abc import Sequence

import msgspec

from schemas.issues import Issue
from schemas.records import Move, State
from schemas.vocabulary import Family, Gate, IssueStatus, Phase, Severity, Verification


class FamilyRow(msgspec.Struct, frozen=True):
    """The numbers of open and of fixed issues of a family, by severity."""

    family: Family
    open: Counter[Severity]
    fixed: Counter[Severity]

    @property
    def total(self) -> int:
        """The number of open and fixed issues."""
        return self.open.total() + self.fixed.total()


def count_families(issues: Sequence[Issue]) -> tuple[FamilyRow, ...]:
    """Return a row for each family with issues, the largest first."""
    rows = (_count_family(family, [i for i in issues if i.type is family]) for family in Family)
    return tuple(sorted((row for row in rows if row.total), key=lambda row: -row.total))


def _count_family(family: Family, issues: Sequence[Issue]) -> FamilyRow:
    in_skill = [i for i in issues if not i.is_about_session]
    counts = (IssueStatus.OPEN, IssueStatus.RESOLVED)
    opened, fixed = (Counter(i.severity for i in in_skill if i.status is status) for status in counts)
    return FamilyRow(family, opened, fixed)


class ScoreStep(msgspec.Struct, frozen=True):
    """The score of the skill at one point of the run.

    `label` is the id of the fix before this point, or `start` or `now`.
    """

    label: str
    score: int
    gate: Gate


def list_scores(state: State) -> tuple[ScoreStep, ...]:
    """Return the scores in order: at the start, after each kept fix, and now if it has changed since."""
    if not state.rounds:
        return ()
    start = state.rounds[0]
    after_fixes = [
        ScoreStep(entry.fix_id, entry.effect.after.score, entry.effect.after.gate)
        for entry in state.applied_fixes
        if entry.effect is not None and entry.verification_result is Verification.PASS
    ]
    steps = (ScoreStep("start", start.score, start.gate), *after_fixes)
    now = ScoreStep("now", state.quality_score, state.quality_gate)
    return steps if (steps[-1].score, steps[-1].gate) == (now.score, now.gate) else (*steps, now)


class Transition(msgspec.Struct, frozen=True):
    """A transition and the number of times the run made it."""

    source: Phase
    dest: Phase
    count: int


def count_transitions(walk: Sequence[Move]) -> tuple[Transition, ...]:
    """Return each transition of a run once, ordered by first use."""
    counts = Counter((move.source, move.dest) for move in walk)
    return tuple(Transition(source, dest, count) for (source, dest), count in counts.items())
