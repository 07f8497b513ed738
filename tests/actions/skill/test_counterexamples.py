"""Test the fast search for labels of counterexamples (such as "Don't:")."""

import pytest

from actions.skill.counterexamples import _BAD_WORDS, _find_suspects, _is_bad_label

WORDS = [word.replace("['’]?", "'").replace("-?", "-").replace("?", "") for word in _BAD_WORDS.split("|")]


@pytest.mark.parametrize(
    "label", [*WORDS, "Before:", *"❌✗✘🚫⛔", "反例", "反模式", "错误", "不要", "避免", "禁止", "切勿"]
)
def test_fast_search_misses_no_bad_label(label):
    assert _is_bad_label(label)
    assert _find_suspects(["Good", label]) == {label}


@pytest.mark.parametrize(
    ("label", "is_bad"),
    [
        ("Run the builder (use the `--file` form to avoid quoting issues):", False),
        ("Don't use this to avoid a prompt:", True),
        ("Patterns to avoid when you use `--file`:", True),
        ("Commands that you run to avoid:", True),
    ],
)
def test_purpose_of_an_instruction_makes_no_counterexample(label, is_bad):
    assert _is_bad_label(label) is is_bad
