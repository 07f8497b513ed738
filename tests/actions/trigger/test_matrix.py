"""Test the verdicts, confidence bounds, confusion matrix and shared words of trigger tests."""

import pytest

from actions.project.listing import ListedSkill
from actions.trigger.bounds import compute_upper_bound
from actions.trigger.calls import resolve_name
from actions.trigger.matrix import MeasuredPrompt, build_matrix, count_classes
from actions.trigger.prompts import Prompt
from actions.trigger.repeats import TriggerRun, Verdict, judge_prompt, needs_run
from actions.trigger.shared_words import find_shared_words

COUNT = Prompt("p", "How many gulls?", ("count", "tally"), "set:1")
YES, OTHER, NONE, FAILED = TriggerRun("count"), TriggerRun("ring"), TriggerRun(), TriggerRun(why="timeout")


@pytest.mark.parametrize(
    ("runs", "verdict", "more"),
    [
        ([], Verdict.UNKNOWN, True),
        ([YES], Verdict.RIGHT, False),
        ([TriggerRun("tally")], Verdict.RIGHT, False),
        ([NONE], Verdict.UNKNOWN, True),
        ([NONE, OTHER], Verdict.UNKNOWN, True),
        ([NONE, OTHER, NONE], Verdict.FAULT, False),
        ([NONE, YES], Verdict.UNSTABLE, False),
        ([FAILED], Verdict.UNKNOWN, True),
        ([FAILED, YES], Verdict.RIGHT, False),
        ([FAILED, NONE, NONE], Verdict.UNKNOWN, False),
        ([FAILED, FAILED, FAILED], Verdict.UNKNOWN, False),
    ],
)
def test_only_repeated_wrong_calls_are_a_fault(runs, verdict, more):
    assert (judge_prompt(COUNT, runs, 3), needs_run(COUNT, runs, 3)) == (verdict, more)


def test_refused_skill_leaves_the_others_free():
    prompt = Prompt("p", "Ring them.", (None,), "set:1", refused=("count",))
    assert [prompt.allows(name) for name in (None, "ring", "count")] == [True, True, False]


def test_failed_run_does_not_count_as_an_uncalled_skill():
    silent = Prompt("p", "Paint.", (None,), "set:1")
    assert judge_prompt(silent, [FAILED], 1) is Verdict.UNKNOWN
    assert judge_prompt(silent, [NONE], 1) is Verdict.RIGHT


@pytest.mark.parametrize(
    ("faults", "count", "bound"), [(0, 10, 0.2589), (1, 10, 0.3942), (5, 20, 0.4556), (4, 4, 1.0), (0, 60, 0.0487)]
)
def test_bounds_are_those_of_clopper_and_pearson(faults, count, bound):
    assert compute_upper_bound(faults, count) == pytest.approx(bound, abs=1e-4)


def test_matrix_holds_the_prompts_of_each_cell():
    rows = [("a", "count", [YES]), ("b", "count", [OTHER, OTHER]), ("c", None, [NONE]), ("d", None, [FAILED])]
    measured = [MeasuredPrompt.judge(Prompt(name, name, (want,), "set:1"), runs, 2) for name, want, runs in rows]
    cells = {(cell.expected, cell.called): cell.prompts for cell in build_matrix(measured)}
    assert cells == {("count", "count"): ("a",), ("count", "ring"): ("b",), (None, None): ("c",)}
    counts = [(one.expected, one.right, one.unstable, one.faults, one.unknown) for one in count_classes(measured)]
    assert counts == [("count", 1, 0, 1, 0), (None, 1, 0, 0, 1)]
    assert [round(one.at_most, 2) for one in count_classes(measured)] == [0.97, 0.95]


def test_call_means_the_full_name_first():
    skills = [ListedSkill("count", "", "project", "", "tally"), ListedSkill("plug:count", "", "plugin", ""),
              ListedSkill("plug:only", "", "plugin", "")]  # fmt: skip
    found = [resolve_name(name, skills) for name in ("count", "/count", "plug:count", "only", "tally", "simplify")]
    assert found == ["count", "count", "plug:count", "plug:only", "count", "simplify"]


def test_shared_words_are_split_by_description():
    descriptions = {"count": "Counts gulls on roofs.", "ring": "Rings gulls with bands."}
    found = find_shared_words("Which gulls on the roofs have bands?", "count", "ring", descriptions)
    assert (found.both, found.called, found.expected) == (("gulls",), ("bands",), ("roofs",))
    assert find_shared_words("Which gulls?", None, "ring", descriptions).called == ("gulls",)
