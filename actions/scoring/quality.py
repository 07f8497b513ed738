"""Compute the score and the quality gate (pass, review or fail) from the counted issues."""

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

from actions.scoring.issues import count_by_severity, select_counted_issues
from actions.skill import Skill
from schemas.issues import Issue, Measure, SeverityCounts, Tokens
from schemas.options import REQUIRED_JUDGE
from schemas.vocabulary import DiagnosisStatus, Gate, Severity, UnitKind

if TYPE_CHECKING:
    from schemas.records import State

DEDUCTIONS = {Severity.CRITICAL: 25, Severity.HIGH: 8, Severity.MEDIUM: 5, Severity.LOW: 1}
"""Points that one issue deducts."""
MAX_COUNTED_PER_PATTERN = 3
"""Maximum number of issues of one pattern that deduct points, the most severe first."""


def compute_score(issues: Sequence[Issue]) -> int:
    """Return the quality score, 0 to 100. Only the three most severe issues of each pattern deduct points."""
    seen: Counter[str] = Counter()
    total = 0
    for issue in sorted(select_counted_issues(issues), key=lambda i: i.severity.rank):
        seen[issue.pattern] += 1
        if seen[issue.pattern] <= MAX_COUNTED_PER_PATTERN:
            total += DEDUCTIONS[issue.severity]
    return max(0, 100 - total)


def choose_gate(counts: SeverityCounts, points: int) -> Gate:
    """Return the quality gate for the numbers of issues and the score.

    It is pass for at least 80 points and at most 2 high issues. It is review for at least 60 points and at most 5 high
    issues. Otherwise, and with any critical issue, it is fail.
    """
    if counts.critical == 0 and counts.high <= 2 and points >= 80:
        return Gate.PASS
    return Gate.REVIEW if counts.critical == 0 and counts.high <= 5 and points >= 60 else Gate.FAIL


def measure(issues: Sequence[Issue], *, unknown: bool = False) -> tuple[SeverityCounts, int, Gate]:
    """Return the counts, the score and the gate of issues. With `unknown`, not all was checked: it is not `pass`."""
    counts, points = count_by_severity(issues), compute_score(issues)
    gate = choose_gate(counts, points)
    return counts, points, Gate.REVIEW if unknown and gate is Gate.PASS else gate


def measure_skill(issues: Sequence[Issue], skill: Skill, *, unknown: bool = False) -> Measure:
    """Return score, gate, counts and tokens of a skill with these issues."""
    counts, points, gate = measure(issues, unknown=unknown)
    return Measure(points, gate, counts, count_tokens(skill))


def is_unread(state: "State") -> bool:
    """Return whether a model was to read the unit of a run and has not read all of it."""
    return state.unasked > 0 and (state.judge is not None or state.options.judge == REQUIRED_JUDGE)


def is_incomplete(state: "State") -> bool:
    """Return whether there may be more findings, because a diagnosis failed or a model did not read all."""
    has_failed = any(result.status is DiagnosisStatus.FAILED for result in state.diagnosis.results.values())
    return has_failed or is_unread(state)


def count_tokens(skill: Skill) -> Tokens:
    """Return the estimated tokens of a unit, by when they are loaded. They are 0 for a file that is never loaded."""
    if skill.kind is UnitKind.SKILL:
        return Tokens(skill.listing_tokens, skill.body_tokens, skill.on_demand_tokens)
    if skill.kind is UnitKind.MEMORY:
        is_for_paths = "paths" in skill.frontmatter.values
        return Tokens(0, 0, skill.body_tokens) if is_for_paths else Tokens(skill.body_tokens, 0, 0)
    return Tokens(skill.listing_tokens, skill.body_tokens, 0) if skill.main.is_markdown else Tokens()
