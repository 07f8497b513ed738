"""action-verify: score and gate of what is known now, compared with the start and with the last round."""

from dataclasses import replace

from actions.case import Case
from actions.reporting.layout import measure_layout
from actions.scoring.quality import count_tokens, has_failed_diagnosis, measure
from actions.steps.outcome import Outcome, Tools
from schemas.records import Round, State


def act(state: State, case: Case, tools: Tools) -> Outcome:
    """Measure; open the record of this round when it has none."""
    counts, points, gate = measure(state.issues, unknown=has_failed_diagnosis(state))
    rounds, size, now = state.rounds, count_tokens(case.skill), measure_layout(case.skill)
    if len(rounds) < state.iteration_count:
        rounds = (*rounds, Round(state.iteration_count, points, gate, counts, size))
    changes = {
        "issues_by_severity": counts,
        "quality_score": points,
        "quality_gate": gate,
        "tokens": size,
        "layout_before": state.layout_before if state.rounds else now,
        "layout": now,
        "rounds": (*rounds[:-1], replace(rounds[-1], measured=True)),
    }
    start = rounds[0].score
    compared = f", {points - start:+d} since the start" if points != start else ""
    return Outcome(changes, note=f"score {points}, gate {gate}{compared}")
