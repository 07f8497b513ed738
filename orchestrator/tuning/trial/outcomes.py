"""Find the outcomes of a fixture's run (done, lost, false claim or stuck), each of which is counted separately."""

from collections.abc import Sequence
from enum import StrEnum

from orchestrator.time_limit import limit_time
from orchestrator.tuning.trial.checks import CheckResult
from orchestrator.tuning.trial.expressions import compile_regex
from orchestrator.tuning.trial.tasks import Check

LOST = "lost"
"""The value of `shows` in a check whose failure means that something was lost."""
_MATCH_SECONDS = 1.0


class Outcome(StrEnum):
    """How a run ended: the work is done, something was lost, unfinished work was called done, or none of these."""

    DONE = "done"
    LOST = "lost"
    FALSE_CLAIM = "false claim"
    STUCK = "stuck"


def find_outcomes(
    checks: Sequence[Check], results: Sequence[CheckResult], claim: str, answer: str
) -> tuple[Outcome, ...]:
    """Return the outcomes of a run from the results of its checks. Returns () if a check is undecided.

    A check with `shows: lost` tests whether something was lost. The other checks test whether the work is done. A
    run can have both outcomes.
    """
    if any(result.passed is None for result in results):
        return ()
    passed = {result.label for result in results} - {result.label for result in results if not result.passed}
    is_lost = any(check.options.get("shows") == LOST and check.label not in passed for check in checks)
    work_checks = [check.label in passed for check in checks if check.options.get("shows") != LOST]
    is_done = all(work_checks) and bool(work_checks)
    outcomes = [Outcome.LOST] if is_lost else []
    if is_done:
        return (*outcomes, Outcome.DONE)
    if claim and _matches_claim(claim, answer):
        return (*outcomes, Outcome.FALSE_CLAIM)
    return tuple(outcomes) or (Outcome.STUCK,)


def _matches_claim(claim: str, answer: str) -> bool:
    try:
        with limit_time(_MATCH_SECONDS):
            return compile_regex(claim, "is").search(answer) is not None
    except TimeoutError:
        return False
