"""Test the guards of a run: when another round follows, when a fix waits, and when the run fails."""

import pytest
from msgspec.structs import replace

from actions.steps.guards import (
    compute_step_limit,
    has_pending_fix,
    has_too_many_errors,
    is_round_open,
    needs_another_round,
    needs_measure,
)
from schemas.records import State
from schemas.vocabulary import Gate
from tests.fakes import make_round
from tests.schemas.samples import make_fix

STATE_WITH_KEPT_FIX = State(
    iteration_count=1, max_iterations=2, rounds=(make_round(fixes_kept=("FIX-001",)),), quality_gate=Gate.REVIEW
)


def test_round_follows_after_a_fix_without_passing():
    assert needs_another_round(STATE_WITH_KEPT_FIX)
    assert needs_another_round(replace(STATE_WITH_KEPT_FIX, quality_gate=Gate.FAIL))


@pytest.mark.parametrize(
    "changes",
    [{"quality_gate": Gate.PASS}, {"max_iterations": 1}, {"rounds": (make_round(),)}, {"rounds": ()}],
    ids=["passed", "no iterations left", "kept nothing", "no round"],
)
def test_next_round_does_not_start_in_other_cases(changes):
    assert not needs_another_round(replace(STATE_WITH_KEPT_FIX, **changes))


def test_round_follows_after_a_full_round_despite_the_gate():
    state_after_full_round = replace(
        STATE_WITH_KEPT_FIX, quality_gate=Gate.PASS, rounds=(make_round(fixes_kept=("FIX-001",), untried=("ISS-002",)),)
    )
    assert needs_another_round(state_after_full_round)
    assert not needs_another_round(replace(state_after_full_round, max_iterations=1))


def test_only_the_last_round_counts():
    rounds = (make_round(fixes_kept=("FIX-001",)), make_round(2))
    assert not needs_another_round(replace(STATE_WITH_KEPT_FIX, rounds=rounds, iteration_count=2, max_iterations=5))


def test_round_is_open_until_recorded_and_measured_after_a_fix():
    assert is_round_open(State(iteration_count=1))
    assert needs_measure(State(iteration_count=1))
    assert not needs_measure(STATE_WITH_KEPT_FIX)
    assert needs_measure(replace(STATE_WITH_KEPT_FIX, rounds=(make_round(measured=False),)))


def test_run_stops_at_its_limit_of_errors():
    assert [has_too_many_errors(State(error_count=n)) for n in (0, 2, 3, 4)] == [False, False, True, True]


def test_fix_waits_while_one_is_pending():
    assert has_pending_fix(State(pending_fixes=("FIX-001",)))
    assert not has_pending_fix(State())


def test_step_limit_grows_with_the_fixes():
    assert compute_step_limit(State(proposed_fixes=(make_fix(),))) > compute_step_limit(State()) >= 60
