"""Test the four formats of prompts, and the line number in each error."""

import json

import pytest

from orchestrator.errors import BadInput
from orchestrator.tuning.trigger.prompt_files import read_prompts

WAZA = """skill: count
should_trigger_prompts:
  - prompt: "How many gulls are there?"
    reason: "Direct request"
    confidence: high
should_not_trigger_prompts:
  - prompt: "Paint the boat"
"""
OWN_FORMAT = """prompts:
  - prompt: How many gulls are in birds.txt?
    expect: plug:count
    accept: [count, null]
    files: [birds.txt]
  - prompt: Paint the boat.
    expect: null
"""
CASE = """schema_version: "1.0"
name: %s
execution:
  prompt: %s
graders:
  - {name: used, type: tool_used, tool: Skill%s}
"""


def read_prompts_of(tmp_path, name, content, targets=("count",)):
    file = tmp_path / name
    file.write_text(content if isinstance(content, str) else json.dumps(content))
    return read_prompts(file, targets)


def test_skill_creators_queries_are_read_as_they_are(tmp_path):
    queries = [
        {"query": "How many gulls?", "should_trigger": True},
        {"query": "Paint it.", "should_trigger": False, "note": "near"},
    ]
    prompts, notes = read_prompts_of(tmp_path, "evals.json", queries, ["plug:count"])
    assert [(prompt.text, prompt.expectation) for prompt in prompts] == [
        ("How many gulls?", "plug:count"),
        ("Paint it.", "any but plug:count"),
    ]
    assert notes == []


def test_wazas_trigger_tests_are_read_as_they_are(tmp_path):
    prompts, _ = read_prompts_of(tmp_path, "trigger_tests.yaml", WAZA, ["plug:count"])
    expectations_and_lines = [(prompt.expectation, prompt.where.rpartition(":")[2]) for prompt in prompts]
    assert expectations_and_lines == [("plug:count", "3"), ("any but plug:count", "7")]


def test_own_prompts_name_skills_and_files(tmp_path):
    (tmp_path / "birds.txt").write_text("gull\n")
    prompts, _ = read_prompts_of(tmp_path, "prompts.yaml", OWN_FORMAT, ["a", "b"])
    assert [prompt.accepted for prompt in prompts] == [("plug:count", "count", None), (None,)]
    assert prompts[0].files == (("birds.txt", b"gull\n"),)
    assert prompts[1].where.endswith("prompts.yaml:6")


def test_cases_of_plugin_eval_expect_the_skill_of_their_grader(tmp_path):
    graders = {"one": "", "two": ", max: 0", "three": ", input_match: 'p:ring'", "none": ", input_match: ring, max: 0"}
    for name, fields in graders.items():
        (tmp_path / name).mkdir()
        (tmp_path / name / "case.yaml").write_text(CASE % (name, f"Do {name}.", fields))
    (tmp_path / "four").mkdir()
    (tmp_path / "four" / "prompt.md").write_text("Do four.\n")
    with pytest.raises(BadInput, match="matches 2 of the measured skills"):
        read_prompts(tmp_path, ["count", "p:ring"])
    (tmp_path / "one" / "case.yaml").write_text(CASE % ("one", "Do one.", ', input_match: \'"skill": "count"\''))
    prompts, notes = read_prompts(tmp_path, ["count", "p:ring"])
    assert [(prompt.text, prompt.expectation) for prompt in prompts] == [
        ("Do none.", "any but p:ring"),
        ("Do one.", "count"),
        ("Do three.", "p:ring"),
        ("Do two.", "no skill"),
    ]
    assert notes == ["1 of 5 cases have no grader with `tool: Skill` and were left out"]


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.json", [{"query": "Do it."}], "a.json:1: `should_trigger` is missing; write it"),
        ("a.yaml", "prompts:\n  - prompt: Do it.\n", "a.yaml:2: `expect` is missing; write it"),
        ("a.yaml", "prompts:\n  - {prompt: Do it., expect: x, except: y}\n", "a.yaml:2: unknown key: 'except'"),
        ("a.yaml", "prompts:\n  - {prompt: Do it., expect: x, files: [../b]}\n", "is outside the folder"),
        (
            "a.yaml",
            "prompts:\n  - {prompt: Do it., expect: x, refuse: [y]}\n",
            "a.yaml:2: `refuse` needs `expect: null`",
        ),
        ("a.yaml", "skill: count\n", "a.yaml:1: unknown format"),
        ("a.yaml", WAZA.replace("count", "ring"), "a.yaml:1: these prompts are for the skill ring; name that skill"),
        ("a.json", "[", "a.json:1"),
        ("a.json", [], "is empty"),
        ("a.yaml", "prompts:\n  - {prompt: ' ', expect: x}\n", "a.yaml:2"),
    ],
)
def test_error_names_its_line(tmp_path, name, content, message):
    with pytest.raises(BadInput) as error:
        read_prompts_of(tmp_path, name, content)
    assert message in str(error.value)


def test_queries_need_a_single_skill(tmp_path):
    with pytest.raises(BadInput, match="has only true and false, so it fits one skill, not 2"):
        read_prompts_of(tmp_path, "a.json", [{"query": "Do it.", "should_trigger": True}], ["a", "b"])


def test_missing_file_is_one_line(tmp_path):
    with pytest.raises(BadInput, match="pass a file with prompts"):
        read_prompts(tmp_path / "none.json", ["a"])
