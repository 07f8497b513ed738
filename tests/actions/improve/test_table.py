"""Test the state machine of an improvement: its stages, transitions and conditions."""

import pytest
from msgspec.structs import replace
from transitions import MachineError

from actions.improve.table import TABLE, find_next_row
from orchestrator.machine import TableMachine
from schemas.improvement import Cause, Counts, Exam, Failure, Improvement, Stage, Step, StepStatus
from schemas.issues import Issue, Location
from schemas.vocabulary import Family, Grade, Severity

OPEN_DEFECT = Issue(
    "ISS-001", Family.CUSTOM, Severity.HIGH, 1, Location("SKILL.md", 7, 7), "It has no rule.", ("Say hello.",), "", "", "",
    "custom", Grade.READ, "f1",
)  # fmt: skip
MEASURED_IMPROVEMENT = Improvement(
    practice=("a", "b"), base=(Counts("a", (False, False)), Counts("b", (True, True))), issues=(OPEN_DEFECT,),
    failures=(Failure("a.1.v0", "a", Cause.DEFECT, "so", "words", "ISS-001"),),
)  # fmt: skip
KEPT_STEP = Step(1, "ISS-001", StepStatus.KEPT, screening=(Counts("a", (True, True)),))
REJECTED_STEP = Step(1, "ISS-001", StepStatus.REJECTED, "it does not help")


def make_improvement(stage, **more):
    return replace(MEASURED_IMPROVEMENT, stage=stage, **more)


def make_exam(verdict):
    return Exam(verdict, "decided", (), 0.01, 0.025)


@pytest.mark.parametrize(
    ("state", "dest"),
    [
        (make_improvement(Stage.PLANNED), Stage.SPLIT),
        (make_improvement(Stage.SPLIT), Stage.MEASURED),
        (make_improvement(Stage.MEASURED), Stage.DIAGNOSED),
        (make_improvement(Stage.MEASURED, base=(Counts("a", (True,)),)), Stage.LEFT),
        (make_improvement(Stage.SPLIT, limit="the cost limit is reached"), Stage.LEFT),
        (make_improvement(Stage.MEASURED, limit="the cost limit is reached"), Stage.LEFT),
        (make_improvement(Stage.DIAGNOSED), Stage.DRAFTED),
        (make_improvement(Stage.DIAGNOSED, issues=(), failures=()), Stage.LEFT),
        (make_improvement(Stage.DRAFTED, steps=(Step(1, "ISS-001", StepStatus.PROPOSED),)), Stage.PROVED),
        (make_improvement(Stage.DRAFTED, steps=(REJECTED_STEP,)), Stage.DRAFTED),
        (make_improvement(Stage.DRAFTED, steps=(REJECTED_STEP, replace(REJECTED_STEP, number=2))), Stage.LEFT),
        (make_improvement(Stage.PROVED, steps=(Step(1, "ISS-001", StepStatus.PROPOSED),)), Stage.SCREENED),
        (make_improvement(Stage.SCREENED, steps=(KEPT_STEP,)), Stage.EXAMINED),
        (make_improvement(Stage.SCREENED, steps=(REJECTED_STEP,), max_steps=1), Stage.LEFT),
        (make_improvement(Stage.SCREENED, steps=(KEPT_STEP,), limit="the cost limit is reached"), Stage.EXAMINED),
        (
            make_improvement(Stage.SCREENED, steps=(KEPT_STEP,), limit="too little is left", exam_unpaid=True),
            Stage.LEFT,
        ),
        (
            make_improvement(Stage.DRAFTED, steps=(Step(1, "ISS-001", StepStatus.PROPOSED),), limit="reached"),
            Stage.LEFT,
        ),
        (make_improvement(Stage.EXAMINED, steps=(KEPT_STEP,), exam=make_exam("better")), Stage.APPLIED),
        (
            make_improvement(
                Stage.EXAMINED, steps=(KEPT_STEP,), exam=make_exam("better"), problem="the skill was edited"
            ),
            Stage.LEFT,
        ),
        (make_improvement(Stage.EXAMINED, steps=(KEPT_STEP,), exam=make_exam("not known")), Stage.LEFT),
        (make_improvement(Stage.EXAMINED, steps=(KEPT_STEP,), exam=make_exam("worse")), Stage.LEFT),
    ],
)
def test_next_row_follows_from_the_state(state, dest):
    row = find_next_row(state)
    assert row is not None
    assert row.dest is dest
    assert TableMachine(TABLE, Stage).move(state, state.stage, row.trigger) is dest


@pytest.mark.parametrize("stage", [Stage.APPLIED, Stage.LEFT])
def test_ended_improvement_has_no_next_row(stage):
    assert find_next_row(make_improvement(stage)) is None


def test_machine_applies_nothing_without_a_passed_exam():
    machine = TableMachine(TABLE, Stage)
    with pytest.raises(ValueError, match="apply is not allowed in examined"):
        machine.move(
            make_improvement(Stage.EXAMINED, steps=(KEPT_STEP,), exam=make_exam("not known")), Stage.EXAMINED, "apply"
        )
    with pytest.raises(MachineError):
        machine.move(make_improvement(Stage.SCREENED, steps=(KEPT_STEP,)), Stage.SCREENED, "apply")
