"""Test the state machine of an improvement: its stages, transitions and conditions."""

import pytest
from msgspec.structs import replace
from transitions import MachineError

from actions.improve.table import TABLE, find_next_row
from orchestrator.machine import TableMachine
from schemas.improvement import Cause, Counts, Exam, Failure, Improvement, Stage, Step, StepStatus
from schemas.issues import Issue, Location
from schemas.vocabulary import Family, Grade, Severity

DEFECT = Issue(
    "ISS-001", Family.CUSTOM, Severity.HIGH, 1, Location("SKILL.md", 7, 7), "It has no rule.", ("Say hello.",), "", "", "",
    "custom", Grade.READ, "f1",
)  # fmt: skip
MEASURED = Improvement(
    practice=("a", "b"), base=(Counts("a", (False, False)), Counts("b", (True, True))), issues=(DEFECT,),
    failures=(Failure("a.1.v0", "a", Cause.DEFECT, "so", "words", "ISS-001"),),
)  # fmt: skip
KEPT = Step(1, "ISS-001", StepStatus.KEPT, screening=(Counts("a", (True, True)),))
REJECTED = Step(1, "ISS-001", StepStatus.REJECTED, "it does not help")


def at(stage, **more):
    return replace(MEASURED, stage=stage, **more)


def exam(verdict):
    return Exam(verdict, "decided", (), 0.01, 0.025)


@pytest.mark.parametrize(
    ("state", "dest"),
    [
        (at(Stage.PLANNED), Stage.SPLIT),
        (at(Stage.SPLIT), Stage.MEASURED),
        (at(Stage.MEASURED), Stage.DIAGNOSED),
        (at(Stage.MEASURED, base=(Counts("a", (True,)),)), Stage.LEFT),
        (at(Stage.SPLIT, limit="the cost limit is reached"), Stage.LEFT),
        (at(Stage.MEASURED, limit="the cost limit is reached"), Stage.LEFT),
        (at(Stage.DIAGNOSED), Stage.DRAFTED),
        (at(Stage.DIAGNOSED, issues=(), failures=()), Stage.LEFT),
        (at(Stage.DRAFTED, steps=(Step(1, "ISS-001", StepStatus.PROPOSED),)), Stage.PROVED),
        (at(Stage.DRAFTED, steps=(REJECTED,)), Stage.DRAFTED),
        (at(Stage.DRAFTED, steps=(REJECTED, replace(REJECTED, number=2))), Stage.LEFT),
        (at(Stage.PROVED, steps=(Step(1, "ISS-001", StepStatus.PROPOSED),)), Stage.SCREENED),
        (at(Stage.SCREENED, steps=(KEPT,)), Stage.EXAMINED),
        (at(Stage.SCREENED, steps=(REJECTED,), max_steps=1), Stage.LEFT),
        (at(Stage.SCREENED, steps=(KEPT,), limit="the cost limit is reached"), Stage.EXAMINED),
        (at(Stage.SCREENED, steps=(KEPT,), limit="too little is left", exam_unpaid=True), Stage.LEFT),
        (at(Stage.DRAFTED, steps=(Step(1, "ISS-001", StepStatus.PROPOSED),), limit="reached"), Stage.LEFT),
        (at(Stage.EXAMINED, steps=(KEPT,), exam=exam("better")), Stage.APPLIED),
        (at(Stage.EXAMINED, steps=(KEPT,), exam=exam("better"), problem="the skill was edited"), Stage.LEFT),
        (at(Stage.EXAMINED, steps=(KEPT,), exam=exam("not known")), Stage.LEFT),
        (at(Stage.EXAMINED, steps=(KEPT,), exam=exam("worse")), Stage.LEFT),
    ],
)
def test_next_row_follows_from_the_state(state, dest):
    row = find_next_row(state)
    assert row is not None
    assert row.dest is dest
    assert TableMachine(TABLE, Stage).move(state, state.stage, row.trigger) is dest


@pytest.mark.parametrize("stage", [Stage.APPLIED, Stage.LEFT])
def test_ended_improvement_has_no_next_row(stage):
    assert find_next_row(at(stage)) is None


def test_machine_applies_nothing_without_a_passed_exam():
    machine = TableMachine(TABLE, Stage)
    with pytest.raises(ValueError, match="apply is not allowed in examined"):
        machine.move(at(Stage.EXAMINED, steps=(KEPT,), exam=exam("not known")), Stage.EXAMINED, "apply")
    with pytest.raises(MachineError):
        machine.move(at(Stage.SCREENED, steps=(KEPT,)), Stage.SCREENED, "apply")
