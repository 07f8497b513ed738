"""Test the reports of an improvement: their contents, and that hostile text is escaped."""

import re

import pytest
from msgspec.structs import replace

from orchestrator.cli.output.improve import format_improvement
from orchestrator.cli.output.registry import format_result
from orchestrator.cli.output.results import ImprovementResult
from orchestrator.tuning.improve import report
from schemas.improvement import Cause, Counts, Exam, ExamPair, Failure, Improvement, Moment, Stage, Step, StepStatus

_CODE = re.compile(r"(`+)(?!`).*?(?<!`)\1(?!`)")
EVIL = "<script>alert(1)</script> ](http://evil) \x1b[2J | `x`"
STATE = Improvement(
    id="20261128-1-greeter", stage=Stage.LEFT, name="greeter", model="m", ceiling=10.0, usd=1.5, runs=8, questions=2,
    practice=("a", EVIL), exam_tasks=("c",), openings=1,
    base=(Counts("a", (False, True)), Counts(EVIL, (True, True))),
    failures=(Failure("a.1.v0", "a", Cause.LAPSE, EVIL, EVIL), Failure("a.2.v0", "a", Cause.UNUSED, "not called")),
    steps=(Step(1, "ISS-001", StepStatus.REJECTED, EVIL),),
    exam=Exam("not known", EVIL, (ExamPair("c", (False,), (True,)),), 0.5, 0.0125),
    why=EVIL, notes=(EVIL,), walk=(Moment(Stage.PLANNED, "2026-11-28T05:00:00.000Z"),), folder="/f",
)  # fmt: skip


@pytest.mark.parametrize("name", ["text", "markdown", "html", "json"])
def test_reports_keep_hostile_text_harmless(name):
    made = format_result(ImprovementResult(STATE), name)
    text = made.decode() if isinstance(made, bytes) else made
    assert "\x1b[2J" not in text
    if name != "json":
        assert "1.50" in text
    if name == "html":
        assert "<script>" not in text
    if name == "markdown":
        outside = _CODE.sub("", text)
        assert "<script>" not in outside
        assert "](http://evil)" not in outside


def test_reports_count_openings_and_say_the_error(capsys):
    assert "opened 2 times" in report.format_markdown(replace(STATE, openings=2))
    text = "\n".join(format_improvement(replace(STATE, openings=2)))
    assert (
        "opened 2 times. If the edits made no difference on its tasks, they would pass by chance in at most 1.2 % of such exams."
        in text
    )
    assert "--exam-runs" in text  # because the exam was inconclusive


def test_decided_exam_names_the_changed_file_and_no_riddle():
    exam = Exam("better", "decided", (ExamPair("c", (False, True), (True, True)),), 0.01, 0.025)
    step = Step(1, "ISS-001", StepStatus.KEPT, texts={"SKILL.md": "x"})
    state = replace(STATE, stage=Stage.APPLIED, path="/s", run="/w/r", steps=(step,), exam=exam)
    for said in ("\n".join(format_improvement(state)), report.format_markdown(state), report.format_html(state)):
        assert "decided" not in said
        assert "--exam-runs" not in said
        assert "/s/SKILL.md" in said
        assert "opened once" in said
        assert "pass by chance" in said


def test_headline_says_what_became_of_the_skill():
    passed = replace(STATE, stage=Stage.APPLIED, run="/w/20261128-2-greeter",
                     steps=(Step(1, "ISS-001", StepStatus.KEPT),),
                     exam=Exam("better", "decided", (ExamPair("c", (False, True), (True, True)),), 0.01, 0.025))  # fmt: skip
    said = "improved: 1 edit applied, because 2 of 2 exam runs succeed with the edits, 1 of 2 without them (better)"
    assert report.format_headline(passed) == said
    assert report.build_context(passed)["undo"] == "tune-skill rollback 20261128-2-greeter --all"
    assert (
        report.format_headline(replace(STATE, why="none of 4 steps helped")) == "left as it is: none of 4 steps helped"
    )
    assert report.format_headline(replace(STATE, stage=Stage.SCREENED)) == "not finished: screened"
