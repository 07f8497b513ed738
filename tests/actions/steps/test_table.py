"""Test the state machine of a run: it has exactly the documented transitions, and every run ends."""

from itertools import product

import pytest
from msgspec.structs import replace
from transitions import MachineError

from actions.steps.guards import always
from actions.steps.table import LIVE_STATES, TABLE, find_next_row
from orchestrator.run.machine import RunMachine
from schemas.records import State
from schemas.vocabulary import Gate, Phase
from tests.fakes import make_round

TRIGGERS = ("start", "diagnose", "verify", "apply_fix", "complete", "fail")
ALLOWED = {
    ("start", Phase.PENDING): Phase.RUNNING,
    ("diagnose", Phase.RUNNING): Phase.DIAGNOSIS,
    ("verify", Phase.DIAGNOSIS): Phase.VERIFY,
    ("verify", Phase.APPLY_FIX): Phase.VERIFY,
    ("apply_fix", Phase.VERIFY): Phase.APPLY_FIX,
    ("diagnose", Phase.VERIFY): Phase.DIAGNOSIS,
    ("complete", Phase.VERIFY): Phase.COMPLETED,
    **{("fail", phase): Phase.FAILED for phase in LIVE_STATES},
}
FINISHED_ROUND = make_round(proposed=True, selected=True)


def make_state(phase, **fields):
    return State(phase=phase, status=phase.status, **fields)


def make_state_with_true_guard(trigger, phase):
    """Return a state that satisfies the guard of `trigger`."""
    state = make_state(phase, rounds=(FINISHED_ROUND,), iteration_count=1)
    match trigger, phase:
        case "apply_fix", _:
            return replace(state, pending_fixes=("FIX-001",))
        case "diagnose", Phase.VERIFY:
            return replace(state, rounds=(replace(FINISHED_ROUND, fixes_kept=("FIX-001",)),), quality_gate=Gate.FAIL)
        case "fail", _:
            return replace(state, error_count=3)
    return state


def move(state, trigger):
    return RunMachine().move(state, trigger)


def test_table_has_the_transitions_of_the_contract():
    moves = {(row.trigger, phase): row.dest for row in TABLE for phase in row.states if row.dest is not phase}
    assert moves == ALLOWED


@pytest.mark.parametrize(("trigger", "phase"), list(product(TRIGGERS, Phase)))
def test_machine_moves_only_along_the_table(trigger, phase):
    state = make_state_with_true_guard(trigger, phase)
    if (trigger, phase) in ALLOWED:
        assert move(state, trigger) is ALLOWED[trigger, phase]
    else:
        with pytest.raises(MachineError):
            move(state, trigger)


@pytest.mark.parametrize(
    ("trigger", "state"),
    [
        ("apply_fix", make_state(Phase.VERIFY)),
        ("diagnose", make_state(Phase.VERIFY, rounds=(FINISHED_ROUND,), iteration_count=1)),
        ("complete", make_state(Phase.VERIFY, pending_fixes=("FIX-001",))),
        ("fail", make_state(Phase.RUNNING, error_count=2)),
        ("work", make_state(Phase.VERIFY, rounds=(FINISHED_ROUND,), iteration_count=1)),
    ],
)
def test_machine_refuses_a_trigger_whose_guard_fails(trigger, state):
    with pytest.raises(ValueError, match=f"{trigger} is not allowed in {state.phase}"):
        move(state, trigger)


def test_machine_refuses_an_unknown_trigger():
    with pytest.raises((MachineError, AttributeError)):
        move(make_state(Phase.PENDING), "fly")


def test_machine_follows_a_state_that_another_command_moved():
    machine = RunMachine()
    assert machine.move(make_state(Phase.PENDING), "start") is Phase.RUNNING
    assert machine.move(make_state_with_true_guard("complete", Phase.VERIFY), "complete") is Phase.COMPLETED


@pytest.mark.parametrize(
    ("state", "action", "dest"),
    [
        (make_state(Phase.PENDING), "action-init", Phase.RUNNING),
        (make_state(Phase.RUNNING), "action-analyze-requirements", Phase.RUNNING),
        (make_state(Phase.DIAGNOSIS), "action-begin-round", Phase.DIAGNOSIS),
        (make_state(Phase.DIAGNOSIS, iteration_count=1), "action-diagnose-context", Phase.DIAGNOSIS),
        (make_state(Phase.VERIFY, iteration_count=1), "action-verify", Phase.VERIFY),
        (make_state(Phase.APPLY_FIX, pending_fixes=("FIX-001",)), "action-apply-fix", Phase.VERIFY),
        (make_state(Phase.APPLY_FIX), None, Phase.VERIFY),
        (make_state_with_true_guard("apply_fix", Phase.VERIFY), None, Phase.APPLY_FIX),
        (make_state_with_true_guard("diagnose", Phase.VERIFY), None, Phase.DIAGNOSIS),
        (make_state_with_true_guard("complete", Phase.VERIFY), "action-complete", Phase.COMPLETED),
        (make_state_with_true_guard("fail", Phase.DIAGNOSIS), "action-abort", Phase.FAILED),
    ],
)
def test_next_row_is_the_first_whose_guard_holds(state, action, dest):
    row = find_next_row(state)
    assert (row.action and row.action.name, row.dest) == (action, dest)


def test_verify_always_has_exactly_one_next_row():
    for pending, kept, gate in product(((), ("FIX-001",)), ((), ("FIX-001",)), Gate):
        state = make_state(
            Phase.VERIFY,
            pending_fixes=pending,
            rounds=(replace(FINISHED_ROUND, fixes_kept=kept),),
            quality_gate=gate,
            iteration_count=1,
        )
        rows = [row for row in TABLE if Phase.VERIFY in row.states and row.guard(state)]
        triggers_out_of_verify = [row.trigger for row in rows if row.dest is not Phase.VERIFY]
        assert triggers_out_of_verify in (["apply_fix"], ["diagnose"], ["complete"], ["apply_fix", "diagnose"])
        assert find_next_row(state).trigger == triggers_out_of_verify[0]


def test_each_live_phase_except_verify_has_a_row_without_guard():
    for phase in set(LIVE_STATES) - {Phase.VERIFY}:
        *_, last_row = (row for row in TABLE if phase in row.states)
        assert last_row.guard is always


def test_ended_run_has_no_row():
    assert not [row for row in TABLE if {Phase.COMPLETED, Phase.FAILED} & set(row.states)]
    assert find_next_row(make_state(Phase.COMPLETED, error_count=9)) is None
