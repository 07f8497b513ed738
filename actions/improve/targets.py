"""Choose the defect for the next step, and the tasks to screen the step with."""

from collections import Counter

from schemas.improvement import Cause, Counts, Improvement, StepStatus
from schemas.issues import Issue

MAX_ATTEMPTS = 2
"""Maximum number of steps for one defect."""
GUARDS = 3
"""Maximum number of passing tasks to screen a step with."""


def choose_target(state: Improvement) -> Issue | None:
    """Return the defect with the fewest attempts and then the most failed runs, or None if none is left."""
    attempts = Counter(step.issue for step in state.steps)
    fixed = {step.issue for step in state.kept}
    runs = Counter(failure.issue for failure in state.failures if failure.issue)
    open_issues = [issue for issue in state.issues if issue.id not in fixed and attempts[issue.id] < MAX_ATTEMPTS]
    return min(open_issues, key=lambda issue: (attempts[issue.id], -runs[issue.id]), default=None)


def get_base(state: Improvement) -> dict[str, Counts]:
    """Return the counts of each practice task, from the last kept step that ran it or else from the unchanged skill."""
    newest = {counts.task: counts for counts in state.base}
    for step in state.kept:
        newest |= {counts.task: counts for counts in step.screening}
    return newest


def list_failing(state: Improvement) -> list[str]:
    """Return the practice tasks that failed because of a defect and still fail at times with the kept steps."""
    defects = {failure.task for failure in state.failures if failure.cause is Cause.DEFECT}
    base = get_base(state)
    return [task for task in state.practice if task in defects and base[task].failures]


def list_guards(state: Improvement) -> list[str]:
    """Return the first `GUARDS` practice tasks that always passed with the unchanged skill, to detect harmful steps."""
    passing = [counts.task for counts in state.base if counts.passed and not counts.failures]
    return passing[:GUARDS]


def find_rejection(state: Improvement, digest: str) -> str:
    """Return why an earlier step with the same digest was rejected, or "" if none was."""
    same = (s for s in state.steps if s.digest == digest and s.status is StepStatus.REJECTED)
    return next((f"step {step.number} was the same edit ({step.reason})" for step in same), "")
