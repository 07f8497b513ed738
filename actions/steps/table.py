"""Define the table of a run: for each state and guard, the action and the next state.

    pending -> running -> diagnosis -> verify <-> apply-fix
                              ^          |
                              +----------+--> completed        any live state -> failed

The first row whose states and guard match is next. `orchestrator/run/machine.py` enforces the table.
"""

from collections.abc import Callable
from functools import partial

import msgspec

from actions.steps import (
    analyze_requirements,
    apply_fix,
    deep_analysis,
    diagnose,
    finish,
    init,
    propose_fixes,
    select_fixes,
    trial,
    verify,
)
from actions.steps.guards import (
    always,
    has_pending_fix,
    has_too_many_errors,
    is_finished,
    needs_analysis,
    needs_another_round,
    needs_measure,
    needs_proposals,
    needs_redraft,
    needs_round,
    needs_selection,
    needs_trial,
)
from actions.steps.outcome import Act
from schemas.records import State
from schemas.vocabulary import FOCUS, Phase

Guard = Callable[[State], bool]


class Action(msgspec.Struct, frozen=True):
    """The work of a step, with its name in the history of the run."""

    name: str
    act: Act


class Row(msgspec.Struct, frozen=True):
    """A step of a run: the states in which it may run, its trigger, guard and action, and the next state.

    `action` is None if the step changes only the state.
    """

    states: tuple[Phase, ...]
    trigger: str
    guard: Guard
    action: Action | None
    dest: Phase


def _make_row(state: Phase, trigger: str, guard: Guard, dest: Phase, action: str = "", act: Act | None = None) -> Row:
    return Row((state,), trigger, guard, Action(f"action-{action}", act) if act else None, dest)


def _make_work_row(state: Phase, action: str, guard: Guard, act: Act) -> Row:
    """Build a row that does not change the state."""
    return _make_row(state, "work", guard, state, action, act)


def _make_diagnosis_row(state: Phase, focus: str) -> Row:
    return _make_work_row(state, f"diagnose-{focus}", partial(diagnose.is_due, focus), partial(diagnose.act, focus))


PENDING, RUNNING, DIAGNOSIS, VERIFY, APPLY_FIX, COMPLETED, FAILED = Phase
LIVE_STATES = (PENDING, RUNNING, DIAGNOSIS, VERIFY, APPLY_FIX)
TABLE: tuple[Row, ...] = (
    Row(LIVE_STATES, "fail", has_too_many_errors, Action("action-abort", finish.abort), FAILED),
    _make_row(PENDING, "start", always, RUNNING, "init", init.act),
    _make_work_row(RUNNING, "analyze-requirements", needs_analysis, analyze_requirements.act),
    _make_work_row(RUNNING, "clarify", analyze_requirements.is_unclear, analyze_requirements.clarify),
    _make_row(RUNNING, "diagnose", always, DIAGNOSIS),
    _make_work_row(DIAGNOSIS, "begin-round", needs_round, diagnose.begin_round),
    *(_make_diagnosis_row(DIAGNOSIS, focus) for focus in FOCUS),
    _make_work_row(DIAGNOSIS, "deep-analysis", deep_analysis.is_due, deep_analysis.act),
    _make_row(DIAGNOSIS, "verify", always, VERIFY),
    _make_work_row(VERIFY, "verify", needs_measure, verify.act),
    _make_work_row(VERIFY, "propose-fixes", needs_proposals, propose_fixes.act),
    _make_work_row(VERIFY, "select-fixes", needs_selection, select_fixes.act),
    _make_row(VERIFY, "apply_fix", has_pending_fix, APPLY_FIX),
    _make_row(APPLY_FIX, "verify", has_pending_fix, VERIFY, "apply-fix", apply_fix.act),
    _make_row(APPLY_FIX, "verify", always, VERIFY),
    _make_work_row(VERIFY, "begin-again", needs_redraft, propose_fixes.begin_again),
    _make_row(VERIFY, "diagnose", needs_another_round, DIAGNOSIS),
    _make_work_row(VERIFY, "trial", needs_trial, trial.act),
    _make_row(VERIFY, "complete", is_finished, COMPLETED, "complete", finish.complete),
)


def find_next_row(state: State) -> Row | None:
    """Return the next row, or None if the run has ended."""
    return next((row for row in TABLE if state.phase in row.states and row.guard(state)), None)
