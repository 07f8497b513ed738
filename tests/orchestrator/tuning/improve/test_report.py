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
HOSTILE_TEXT = "<script>alert(1)</script> ](http://evil) \x1b[2J | `x`"
STATE = Improvement(
    id="20261128-1-greeter", stage=Stage.LEFT, name="greeter", model="m", ceiling=10.0, usd=1.5, runs=8, questions=2,
    practice=("a", HOSTILE_TEXT), exam_tasks=("c",), openings=1,
    base=(Counts("a", (False, True)), Counts(HOSTILE_TEXT, (True, True))),
    failures=(Failure("a.1.v0", "a", Cause.LAPSE, HOSTILE_TEXT, HOSTILE_TEXT), Failure("a.2.v0", "a", Cause.UNUSED, "not called")),
    steps=(Step(1, "ISS-001", StepStatus.REJECTED, HOSTILE_TEXT),),
    exam=Exam("not known", HOSTILE_TEXT, (ExamPair("c", (False,), (True,)),), 0.5, 0.0125),
    why=HOSTILE_TEXT, notes=(HOSTILE_TEXT,), walk=(Moment(Stage.PLANNED, "2026-11-28T05:00:00.000Z"),), folder="/f",
)  # fmt: skip


@pytest.mark.parametrize("name", ["text", "markdown", "html", "json"])
def test_reports_keep_hostile_text_harmless(name):
    report_text = format_result(ImprovementResult(STATE), name)
    text = report_text.decode() if isinstance(report_text, bytes) else report_text
    assert "\x1b[2J" not in text
    if name != "json":
        assert "1.50" in text
    if name == "html":
        assert "<script>" not in text
    if name == "markdown":
        text_outside_of_code = _CODE.sub("", text)
        assert "<script>" not in text_outside_of_code
        assert "](http://evil)" not in text_outside_of_code


def test_reports_count_exams_and_say_the_error(capsys):
    assert "run 2 times" in report.format_markdown(replace(STATE, openings=2))
    text = "\n".join(format_improvement(replace(STATE, openings=2)))
    assert (
        "run 2 times. If the edits made no difference on the tasks, they would pass by chance in at most 1.2 % of such exams."
        in text
    )
    assert "--exam-runs" in text  # The exam was inconclusive.


def test_report_of_a_decided_exam_names_the_changed_file():
    exam = Exam("better", "decided", (ExamPair("c", (False, True), (True, True)),), 0.01, 0.025)
    step = Step(1, "ISS-001", StepStatus.KEPT, texts={"SKILL.md": "x"})
    state = replace(STATE, stage=Stage.APPLIED, path="/s", run="/w/r", steps=(step,), exam=exam)
    for page in ("\n".join(format_improvement(state)), report.format_markdown(state), report.format_html(state)):
        assert "decided" not in page
        assert "--exam-runs" not in page
        assert "/s/SKILL.md" in page
        assert "run once" in page
        assert "pass by chance" in page


def test_headline_states_the_result_for_the_skill():
    applied_state = replace(STATE, stage=Stage.APPLIED, run="/w/20261128-2-greeter",
                     steps=(Step(1, "ISS-001", StepStatus.KEPT),),
                     exam=Exam("better", "decided", (ExamPair("c", (False, True), (True, True)),), 0.01, 0.025))  # fmt: skip
    expected = "improved: 1 edit applied, because 2 of 2 exam runs succeed with the edits, 1 of 2 without them (better)"
    assert report.format_headline(applied_state) == expected
    assert report.build_context(applied_state)["undo"] == "tune-skill rollback 20261128-2-greeter --all"
    assert (
        report.format_headline(replace(STATE, why="none of 4 steps helped")) == "left as it is: none of 4 steps helped"
    )
    assert report.format_headline(replace(STATE, stage=Stage.SCREENED)) == "not finished: screened"
