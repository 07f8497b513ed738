"""The score of a skill, from the first diagnosis over each kept fix to now."""

from dataclasses import dataclass

from schemas.records import State
from schemas.vocabulary import Gate, Verification


@dataclass(frozen=True)
class Step:
    """A moment of the run with the score that the skill had then. `label` is a fix, `start` or `now`."""

    label: str
    score: int
    gate: Gate


def score_steps(state: State) -> tuple[Step, ...]:
    """Return the steps in order. `now` stands at the end where it differs from the last of them."""
    if not state.rounds:
        return ()
    start = state.rounds[0]
    kept = [
        Step(entry.fix_id, entry.effect.after.score, entry.effect.after.gate)
        for entry in state.applied_fixes
        if entry.effect is not None and entry.verification_result is Verification.PASS
    ]
    steps = (Step("start", start.score, start.gate), *kept)
    now = Step("now", state.quality_score, state.quality_gate)
    return steps if (steps[-1].score, steps[-1].gate) == (now.score, now.gate) else (*steps, now)
