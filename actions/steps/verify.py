"""action-verify: compute score and quality gate from the current findings."""

from msgspec.structs import replace

from actions.case import Case
from actions.reporting.layout import measure_layout
from actions.scoring.quality import count_tokens, is_incomplete, measure
from actions.skill import Skill
from actions.steps.outcome import Outcome, Tools
from schemas.records import Round, State


def act(state: State, case: Case, tools: Tools) -> Outcome:
    """Measure the skill, and add a record of this round if there is none yet."""
    is_first = not state.rounds
    state = measure_state(state, case.skill, unknown=is_incomplete(state))
    if is_first:
        state = replace(state, layout_before=state.layout)
    rounds = state.rounds
    if len(rounds) < state.iteration_count:
        assert state.tokens is not None, "a measured state has its tokens"
        measurements = (state.quality_score, state.quality_gate, state.issues_by_severity, state.tokens)
        rounds = (*rounds, Round(state.iteration_count, *measurements))
    state = replace(state, rounds=(*rounds[:-1], replace(rounds[-1], measured=True)))
    gain = state.quality_score - rounds[0].score
    comparison = f", {gain:+d} since the start" if gain else ""
    return Outcome(state, f"score {state.quality_score}, gate {state.quality_gate}{comparison}")


def measure_state(state: State, skill: Skill, *, unknown: bool) -> State:
    """Update score, gate, tokens and layout of a state.

    With `unknown`, not all was checked and the gate cannot be `pass`.
    """
    counts, points, gate = measure(state.issues, unknown=unknown)
    return replace(
        state,
        issues_by_severity=counts,
        quality_score=points,
        quality_gate=gate,
        tokens=count_tokens(skill),
        layout=measure_layout(skill),
    )
