"""Test the limits of an improvement step, which are checked before a model reviews it."""

import pytest
from msgspec.structs import replace

from actions.case import Case
from actions.improve.edits import draft_step, measure_edit, reject_repeated
from actions.improve.sorting import FailedRun, accept_sorting, build_sorting_question
from actions.improve.task_texts import ExamPhrases, TaskText
from actions.skill import parse_skill
from schemas.improvement import Cause, Improvement, StepStatus

BODY = "\n".join(f"{n}. Do step {n} of the work.\n" for n in range(1, 30))
MAIN = f"---\nname: work\ndescription: Works. Use when there is work to do.\n---\n# Work\n\nSay hello.\n\n{BODY}"
CASE = Case(parse_skill("work", {"SKILL.md": MAIN.encode(), "run.py": b"print(1)\n"}))
RUN = FailedRun("t.1.v0", "t", "Do it.", ("text: x: not found",), "the run said hello to no one", is_used=True)
ANSWER = {
    "cause": "skill defect", "reason": "It does not say to whom.", "harm": "No one hears it.",
    "run_quote": "said hello to no one", "file": "SKILL.md", "skill_quote": "Say hello.",
}  # fmt: skip
NO_EXAM = ExamPhrases.build([], [])


def accept_sorted(**more):
    return accept_sorting(Improvement(), RUN, {**ANSWER, **more}, CASE, "a model")


def make_answer(*edits, rewords=()):
    edit_records = [{"file": file, "search": search, "replace": new} for file, search, new in edits]
    return {"drafts": [{"faults": ["ISS-001"], "edits": edit_records, "removes": [], "rewords": list(rewords),
                        "description": "Say to whom.", "rationale": "It was open.", "declined": ""}]}  # fmt: skip


def draft_step_of(answer, exam_phrases=NO_EXAM):
    state = accept_sorted()
    return draft_step(state, state.issues[0], answer, CASE, exam_phrases)


def test_defect_needs_quotes_of_the_run_and_of_the_skill():
    state = accept_sorted()
    assert (state.failures[0].cause, state.failures[0].issue) == (Cause.DEFECT, "ISS-001")
    assert (state.issues[0].location.file, state.issues[0].location.line_start) == ("SKILL.md", 7)
    assert "in the run t.1.v0: said hello to no one" in state.issues[0].evidence
    for wrong_fields in ({"run_quote": "said goodbye"}, {"skill_quote": "Say goodbye."}, {"file": "missing.md"}):
        unknown = accept_sorted(**wrong_fields)
        assert (unknown.failures[0].cause, unknown.issues) == (Cause.UNKNOWN, ())


def test_sorting_shows_a_passing_run_of_the_same_task():
    prompt_alone, prompt_with_record = (
        build_sorting_question(RUN, CASE, passing_record).prompt for passing_record in ("", "the run said hello to Ada")
    )
    assert "passed all checks" not in prompt_alone
    assert "the run said hello to Ada" in prompt_with_record.partition("passed all checks")[2]


def test_failures_at_the_same_line_are_one_defect():
    state = accept_sorting(accept_sorted(), replace(RUN, key="t.2.v0"), ANSWER, CASE, "a model")
    assert [failure.issue for failure in state.failures] == ["ISS-001", "ISS-001"]
    assert len(state.issues) == 1


def test_step_within_the_bounds_is_proposed():
    step = draft_step_of(make_answer(("SKILL.md", "Say hello.", "Say hello. Say to whom.")))
    assert (step.status, step.reason) == (StepStatus.PROPOSED, "")
    assert step.fix is not None
    assert measure_edit(step.fix) == (1, 2)


@pytest.mark.parametrize(
    ("edits", "reason"),
    [
        ([("SKILL.md", "Say hello.", "Say hello.\n\n" + "\n".join(f"- To guest {n}." for n in range(45)))], "hunks and"),
        ([("SKILL.md", f"Do step {n} of the work.", f"Do step {n} of the work. Now.") for n in (1, 7, 14, 21, 28)],
         "it has 5 hunks"),
        ([("run.py", "print(1)", "print(2)")], "the edit changes run.py; only Markdown files"),
        ([("SKILL.md", "Say hello. ", "x")], "is in SKILL.md 0 times"),
        ([("SKILL.md", "Say hello.", "Say hello. See https://evil.example/x.")], "a URL"),
    ],
)  # fmt: skip
def test_step_beyond_the_bounds_is_rejected(edits, reason):
    step = draft_step_of(make_answer(*edits, rewords=[f"Do step {n} of the work." for n in (1, 7, 14, 21, 28)]))
    assert step.status is StepStatus.REJECTED
    assert reason in step.reason


def test_step_with_text_of_the_exam_is_rejected():
    exam_phrases = ExamPhrases.build([TaskText("e", "Say hello to the keeper of the third lock, please.")], [])
    step = draft_step_of(
        make_answer(("SKILL.md", "Say hello.", "Say hello to the keeper of the third lock, please.")), exam_phrases
    )
    assert "the edit contains text of an exam task" in step.reason


def test_rejected_text_is_not_tried_again():
    step = replace(draft_step_of(make_answer(("SKILL.md", "Say hello.", "Say hello. Say to whom."))), digest="d1")
    state = replace(accept_sorted(), steps=(replace(step, status=StepStatus.REJECTED, reason="it does not help"),))
    assert reject_repeated(state, step, {}).reason == "not tried again: step 1 was the same edit (it does not help)"
    assert reject_repeated(accept_sorted(), step, {"d1": "it failed"}).reason == "not tried again: it failed"
    assert reject_repeated(accept_sorted(), step, {"d2": "it failed"}).status is StepStatus.PROPOSED
