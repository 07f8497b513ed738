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
