"""The machine allows what THE TABLE says and nothing else, and every way through it comes to an end."""

from dataclasses import replace
from itertools import product

import pytest
from transitions import MachineError

from orchestrator.run.machine import LIVE, TABLE, moved, next_trigger
from schemas.records import State
from schemas.vocabulary import Gate, Phase
from tests.fakes import a_round

TRIGGERS = ("start", "diagnose", "verify", "apply_fix", "complete", "fail")
ALLOWED = {
    ("start", Phase.PENDING): Phase.RUNNING,
    ("diagnose", Phase.RUNNING): Phase.DIAGNOSIS,
    ("verify", Phase.DIAGNOSIS): Phase.VERIFY,
    ("verify", Phase.APPLY_FIX): Phase.VERIFY,
    ("apply_fix", Phase.VERIFY): Phase.APPLY_FIX,
    ("diagnose", Phase.VERIFY): Phase.DIAGNOSIS,
    ("complete", Phase.VERIFY): Phase.COMPLETED,
    **{("fail", phase): Phase.FAILED for phase in LIVE},
}


def a_state(phase, **fields):
    return State(phase=phase, status=phase.status, **fields)


def willing(trigger, phase):
    """Give a state in which the guard of `trigger` holds."""
    state = a_state(phase, rounds=(a_round(),), iteration_count=1)
    match trigger, phase:
        case "apply_fix", _:
            return replace(state, pending_fixes=("FIX-001",))
        case "diagnose", Phase.VERIFY:
            return replace(state, rounds=(a_round(fixes_kept=("FIX-001",)),), quality_gate=Gate.FAIL)
        case "fail", _:
            return replace(state, error_count=3)
    return state


@pytest.mark.parametrize(("trigger", "phase"), list(product(TRIGGERS, Phase)))
def test_a_trigger_leads_where_the_table_says_and_nowhere_else(trigger, phase):
    state = willing(trigger, phase)
    if (trigger, phase) in ALLOWED:
        assert moved(state, trigger) is ALLOWED[trigger, phase]
    else:
        with pytest.raises(MachineError):
            moved(state, trigger)


@pytest.mark.parametrize(
    ("trigger", "state"),
    [
        ("apply_fix", a_state(Phase.VERIFY)),
        ("diagnose", a_state(Phase.VERIFY, rounds=(a_round(),), iteration_count=1)),
        ("complete", a_state(Phase.VERIFY, pending_fixes=("FIX-001",))),
        ("fail", a_state(Phase.RUNNING, error_count=2)),
    ],
)
def test_a_guard_that_does_not_hold_forbids(trigger, state):
    with pytest.raises(ValueError, match=f"{trigger} is not allowed in {state.phase}"):
        moved(state, trigger)


def test_an_unknown_trigger_is_an_error():
    with pytest.raises((MachineError, AttributeError)):
        moved(a_state(Phase.PENDING), "fly")


@pytest.mark.parametrize(
    ("state", "expected"),
    [
        (a_state(Phase.PENDING), "start"),
        (a_state(Phase.RUNNING), "diagnose"),
        (a_state(Phase.DIAGNOSIS), "verify"),
        (a_state(Phase.APPLY_FIX), "verify"),
        (willing("apply_fix", Phase.VERIFY), "apply_fix"),
        (willing("diagnose", Phase.VERIFY), "diagnose"),
        (willing("complete", Phase.VERIFY), "complete"),
        (a_state(Phase.COMPLETED), None),
        (a_state(Phase.FAILED), None),
    ],
)
def test_the_next_trigger_is_the_first_that_is_open(state, expected):
    assert next_trigger(state) == expected


def test_from_verify_exactly_one_way_is_open():
    for pending, kept, gate in product(((), ("FIX-001",)), ((), ("FIX-001",)), Gate):
        state = a_state(
            Phase.VERIFY,
            pending_fixes=pending,
            rounds=(a_round(fixes_kept=kept),),
            quality_gate=gate,
            iteration_count=1,
        )
        opened = [row.trigger for row in TABLE if Phase.VERIFY in row.source and row.guard(state)]
        assert opened in (["apply_fix"], ["diagnose"], ["complete"], ["apply_fix", "diagnose"])
        assert next_trigger(state) == opened[0]


def test_no_end_has_a_way_out():
    assert not [row for row in TABLE if {Phase.COMPLETED, Phase.FAILED} & set(row.source)]
