"""Test loading the considerations of a project."""

import pytest

from actions.patterns import get_session_patterns
from actions.session.answer import Answer, Verdict
from actions.session.example import agent, edit, todos, user
from actions.session.exemptions import EXEMPTIONS
from actions.session.judge import find_question
from actions.session.transcript import Quote
from orchestrator.guard.steering.checker import PowerSteeringChecker
from orchestrator.guard.steering.considerations import (
    DEFAULT_IDS,
    OVERRIDE,
    load_considerations,
    load_shipped_considerations,
)
from templates import render
from tests.examples import make_messages

ITEM = """
- id: tides
  category: 7 tides
  question: Were the tides looked up?
  severity: warning
  checker: generic
  applicable_session_types: ["*"]
"""


def write_considerations(root, text):
    path = root / OVERRIDE
    path.parent.mkdir(parents=True)
    path.write_text(text)


def list_ids(root):
    return [consideration.id for consideration in load_considerations(root)]


def test_every_checker_has_its_consideration():
    assert len(load_shipped_considerations()) == 25
    ids_with_checker = {
        consideration.id
        for consideration in load_shipped_considerations()
        if consideration.checker == f"_check_{consideration.id}"
    }
    assert ids_with_checker == {*get_session_patterns(), *EXEMPTIONS}
    assert EXEMPTIONS.keys().isdisjoint(get_session_patterns())
    assert all(
        consideration.checker == "generic"
        for consideration in load_shipped_considerations()
        if consideration.id not in ids_with_checker
    )
    assert all(consideration.recovery and consideration.description for consideration in load_shipped_considerations())


CONSIDERATIONS_OF_AMPLIHACK = """
- id: todos_complete
  category: "Session Completion & Progress"
  question: Were all TODO items completed?
  description: No pending items.
  severity: warning
  checker: _check_todos_complete
  enabled: true
- id: security_review
  category: "Testing & Local Validation"
  question: Was the change reviewed for security?
  description: Someone looked.
  severity: blocker
  checker: generic
  enabled: true
  guidance: Look for a run of the scanner, not for words about it.
"""


def test_item_without_session_types_applies_to_all(tmp_path):
    write_considerations(tmp_path, CONSIDERATIONS_OF_AMPLIHACK)
    todos, review = load_considerations(tmp_path)
    assert (todos.id, todos.severity, review.id) == ("todos_complete", "warning", "security_review")
    assert todos.applies_to("DEVELOPMENT")
    assert review.applies_to("MAINTENANCE")


def test_warning_of_the_project_does_not_block(tmp_path):
    write_considerations(tmp_path, CONSIDERATIONS_OF_AMPLIHACK)
    work = make_messages(user("Fix it."), edit("a.py", "x"), todos(Check_it="pending"), agent("Done."))
    result = PowerSteeringChecker(tmp_path).check(work, "s1")
    assert result.decision == "approve"
    assert [r.id for r in result.analysis.failed_warnings] == ["todos_complete"]


class ViolatedReviewJudge:
    """A judge that answers that the review is violated, and records its questions."""

    def answer(self, transcript, considerations):
        return {"security_review": Answer(Verdict.VIOLATED, "no review", (Quote(0, "Fix it."),))}


def test_failed_blocker_of_testing_breaks_the_workflow(tmp_path):
    write_considerations(tmp_path, CONSIDERATIONS_OF_AMPLIHACK)
    work = make_messages(user("Fix it."), edit("a.py", "x"), agent("Done."))
    result = PowerSteeringChecker(tmp_path, ViolatedReviewJudge()).check(work, "s1")
    assert result.reasons == ["security_review"]
    assert result.check_results["workflow_compliant"] is False
    assert "scanner" not in result.continuation_prompt, "guidance is for the judge"


def test_judge_reads_the_guidance(tmp_path):
    write_considerations(tmp_path, CONSIDERATIONS_OF_AMPLIHACK)
    review = load_considerations(tmp_path)[1]
    text = render("questions/session", record="[0] user: Go.", asked=[(review, f"{find_question(review)}.j2")])
    assert "Look for a run of the scanner" in text


def test_blockers_are_those_of_the_table(tmp_path):
    assert {consideration.id for consideration in load_considerations(tmp_path) if consideration.is_blocker} == {
        "todos_complete", "objective_completion", "next_steps", "dev_workflow_complete", "workflow_invocation",
        "skill_invocation", "no_direct_main_commit", "philosophy_compliance", "local_testing", "review_responses", "ci_status",
    }  # fmt: skip


def test_simple_and_operational_sessions_check_only_compaction():
    for kind in ("SIMPLE", "OPERATIONS"):
        assert [
            consideration.id for consideration in load_shipped_considerations() if consideration.applies_to(kind)
        ] == ["compaction_handling"]


def test_project_has_its_own_considerations(tmp_path):
    write_considerations(tmp_path, ITEM)
    assert list_ids(tmp_path) == ["tides"]


def test_invalid_item_is_skipped_and_logged(tmp_path, caplog):
    write_considerations(
        tmp_path, ITEM + "- id: [x]\n- 7\n" + ITEM.replace("warning", "fatal").replace("tides", "winds", 1)
    )
    assert list_ids(tmp_path) == ["tides"]
    assert caplog.text.count("item skipped") == 3


@pytest.mark.parametrize("text", ["", "{", "- 7", "considerations: none", "a: &a [*a]", "\x00"])
def test_without_a_valid_item_five_defaults_apply(tmp_path, text):
    write_considerations(tmp_path, text)
    assert tuple(list_ids(tmp_path)) == DEFAULT_IDS


def test_any_yaml_key_and_anchor_is_accepted(tmp_path):
    write_considerations(
        tmp_path,
        "shared: &tides" + ITEM.replace("\n- ", "\n  ") + "considerations: [{<<: *tides, 2024-01-01: x, ~: y}]\n",
    )
    assert list_ids(tmp_path) == ["tides"]


def test_json_is_accepted_as_yaml(tmp_path):
    write_considerations(tmp_path, '[{"id": "a", "category": "c", "question": "q", "severity": "blocker", "checker": "generic",'
                  ' "applicable_session_types": ["DEVELOPMENT"], "enabled": false}]')  # fmt: skip
    assert [consideration.enabled for consideration in load_considerations(tmp_path)] == [False]


@pytest.mark.parametrize("consideration", load_shipped_considerations(), ids=lambda consideration: consideration.id)
def test_each_consideration_has_a_question_that_renders(consideration):
    text = render(find_question(consideration), consideration=consideration)
    assert consideration.id in text
    assert "Look for:" in text
    assert "Does not count" in text
