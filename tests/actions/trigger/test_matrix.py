"""Test the verdicts, confidence bounds, confusion matrix and shared words of trigger tests."""

import pytest

from actions.project.listing import ListedSkill
from actions.trigger.bounds import compute_upper_bound
from actions.trigger.calls import resolve_name
from actions.trigger.matrix import MeasuredPrompt, build_matrix, count_classes
from actions.trigger.prompts import Prompt
from actions.trigger.repeats import TriggerRun, Verdict, judge_prompt, needs_run
from actions.trigger.shared_words import find_shared_words

PROMPT = Prompt("p", "How many gulls?", ("count", "tally"), "set:1")
RIGHT_CALL, OTHER_CALL, NO_CALL, FAILED_RUN = (
    TriggerRun("count"),
    TriggerRun("ring"),
    TriggerRun(),
    TriggerRun(why="timeout"),
)


@pytest.mark.parametrize(
    ("runs", "verdict", "more"),
    [
        ([], Verdict.UNKNOWN, True),
        ([RIGHT_CALL], Verdict.RIGHT, False),
        ([TriggerRun("tally")], Verdict.RIGHT, False),
        ([NO_CALL], Verdict.UNKNOWN, True),
        ([NO_CALL, OTHER_CALL], Verdict.UNKNOWN, True),
        ([NO_CALL, OTHER_CALL, NO_CALL], Verdict.FAULT, False),
        ([NO_CALL, RIGHT_CALL], Verdict.UNSTABLE, False),
        ([FAILED_RUN], Verdict.UNKNOWN, True),
        ([FAILED_RUN, RIGHT_CALL], Verdict.RIGHT, False),
        ([FAILED_RUN, NO_CALL, NO_CALL], Verdict.UNKNOWN, False),
        ([FAILED_RUN, FAILED_RUN, FAILED_RUN], Verdict.UNKNOWN, False),
    ],
)
def test_only_repeated_wrong_calls_are_a_fault(runs, verdict, more):
    assert (judge_prompt(PROMPT, runs, 3), needs_run(PROMPT, runs, 3)) == (verdict, more)


def test_refused_skill_leaves_the_others_free():
    prompt = Prompt("p", "Ring them.", (None,), "set:1", refused=("count",))
    assert [prompt.allows(name) for name in (None, "ring", "count")] == [True, True, False]


def test_failed_run_does_not_count_as_an_uncalled_skill():
    prompt = Prompt("p", "Paint.", (None,), "set:1")
    assert judge_prompt(prompt, [FAILED_RUN], 1) is Verdict.UNKNOWN
    assert judge_prompt(prompt, [NO_CALL], 1) is Verdict.RIGHT


@pytest.mark.parametrize(
    ("faults", "count", "bound"), [(0, 10, 0.2589), (1, 10, 0.3942), (5, 20, 0.4556), (4, 4, 1.0), (0, 60, 0.0487)]
)
def test_bounds_are_those_of_clopper_and_pearson(faults, count, bound):
    assert compute_upper_bound(faults, count) == pytest.approx(bound, abs=1e-4)


def test_matrix_lists_the_prompts_of_each_cell():
    rows = [
        ("a", "count", [RIGHT_CALL]),
        ("b", "count", [OTHER_CALL, OTHER_CALL]),
        ("c", None, [NO_CALL]),
        ("d", None, [FAILED_RUN]),
    ]
    measured_prompts = [
        MeasuredPrompt.judge(Prompt(name, name, (expected,), "set:1"), runs, 2) for name, expected, runs in rows
    ]
    cells = {(cell.expected, cell.called): cell.prompts for cell in build_matrix(measured_prompts)}
    assert cells == {("count", "count"): ("a",), ("count", "ring"): ("b",), (None, None): ("c",)}
    counts = [
        (row.expected, row.right, row.unstable, row.faults, row.unknown) for row in count_classes(measured_prompts)
    ]
    assert counts == [("count", 1, 0, 1, 0), (None, 1, 0, 0, 1)]
    assert [round(row.at_most, 2) for row in count_classes(measured_prompts)] == [0.97, 0.95]


def test_call_is_resolved_by_the_full_name_first():
    skills = [ListedSkill("count", "", "project", "", "tally"), ListedSkill("plug:count", "", "plugin", ""),
              ListedSkill("plug:only", "", "plugin", "")]  # fmt: skip
    names = [resolve_name(name, skills) for name in ("count", "/count", "plug:count", "only", "tally", "simplify")]
    assert names == ["count", "count", "plug:count", "plug:only", "count", "simplify"]


def test_shared_words_are_split_by_description():
    descriptions = {"count": "Counts gulls on roofs.", "ring": "Rings gulls with bands."}
    shared_words = find_shared_words("Which gulls on the roofs have bands?", "count", "ring", descriptions)
    assert (shared_words.both, shared_words.called, shared_words.expected) == (("gulls",), ("bands",), ("roofs",))
    assert find_shared_words("Which gulls?", None, "ring", descriptions).called == ("gulls",)
