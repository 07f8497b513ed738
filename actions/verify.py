"""action-verify: score and gate of what is known now, compared with the start and with the last round."""

from dataclasses import replace

from actions.model import Case
from actions.outcome import Outcome, Tools
from actions.quality import is_unknown, measure, tokens
from schemas.records import Round, State


def act(state: State, case: Case, tools: Tools) -> Outcome:
    """Measure; open the record of this round when it has none."""
    counts, points, gate = measure(state.issues, unknown=is_unknown(state))
    rounds = state.rounds
    if len(rounds) < state.iteration_count:
        rounds = (*rounds, Round(state.iteration_count, points, gate, counts, tokens(case.skill)))
    changes = {
        "issues_by_severity": counts,
        "quality_score": points,
        "quality_gate": gate,
        "rounds": (*rounds[:-1], replace(rounds[-1], measured=True)),
    }
    return Outcome(changes, note=_told(replace(state, rounds=rounds), points, gate))


def _told(state: State, points: int, gate: str) -> str:
    start = state.rounds[0].score
    compared = f", {points - start:+d} since the start" if points != start else ""
    return f"score {points}, gate {gate}{compared}"
