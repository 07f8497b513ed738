"""Which considerations are in force."""

import pytest

from actions.patterns.session import all_checkers
from orchestrator.steering.considerations import DEFAULT_IDS, OVERRIDE, load_considerations, shipped
from templates import render

ITEM = """
- id: tides
  category: 7 tides
  question: Were the tides looked up?
  severity: warning
  checker: generic
  applicable_session_types: ["*"]
"""


def put(root, text):
    path = root / OVERRIDE
    path.parent.mkdir(parents=True)
    path.write_text(text)


def ids(root):
    return [one.id for one in load_considerations(root)]


def test_every_checker_has_its_consideration_and_every_consideration_its_checker(tmp_path):
    assert set(ids(tmp_path)) == set(all_checkers())
    assert len(ids(tmp_path)) == 25
    assert all(one.checker == f"_check_{one.id}" and one.guidance and one.description for one in shipped())


def test_the_blockers_are_those_of_the_table(tmp_path):
    assert {one.id for one in load_considerations(tmp_path) if one.is_blocker} == {
        "todos_complete", "objective_completion", "next_steps", "dev_workflow_complete", "workflow_invocation",
        "skill_invocation", "no_direct_main_commit", "philosophy_compliance", "local_testing", "review_responses", "ci_status",
    }  # fmt: skip


def test_in_simple_and_operational_sessions_only_compaction_counts():
    for kind in ("SIMPLE", "OPERATIONS"):
        assert [one.id for one in shipped() if one.applies_to(kind)] == ["compaction_handling"]


def test_a_project_has_its_own(tmp_path):
    put(tmp_path, ITEM)
    assert ids(tmp_path) == ["tides"]


def test_an_invalid_item_is_left_out_with_a_log_line(tmp_path, caplog):
    put(tmp_path, ITEM + "- id: [x]\n- 7\n" + ITEM.replace("warning", "fatal").replace("tides", "winds", 1))
    assert ids(tmp_path) == ["tides"]
    assert caplog.text.count("left out") == 3


@pytest.mark.parametrize("text", ["", "{", "- 7", "considerations: none", "a: &a [*a]", "\x00"])
def test_without_a_valid_item_five_serve(tmp_path, text):
    put(tmp_path, text)
    assert tuple(ids(tmp_path)) == DEFAULT_IDS


def test_json_is_yaml(tmp_path):
    put(tmp_path, '[{"id": "a", "category": "c", "question": "q", "severity": "blocker", "checker": "generic",'
                  ' "applicable_session_types": ["DEVELOPMENT"], "enabled": false}]')  # fmt: skip
    assert [one.enabled for one in load_considerations(tmp_path)] == [False]


@pytest.mark.parametrize("one", shipped(), ids=lambda one: one.id)
def test_each_consideration_has_a_question_that_renders(one):
    from actions.session.judging import question_of

    text = render(question_of(one), consideration=one)
    assert one.id in text
    assert "Look for:" in text
    assert "Does not count" in text
