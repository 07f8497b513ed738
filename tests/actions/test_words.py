"""Test that the fast word search in ASCII texts agrees with the regular expression."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from actions.words import find_words


@pytest.mark.parametrize("expression", [r"\w+", r"[A-Za-z0-9_]+|[^\W\x00-\x7F]"])
@given(st.text(st.sampled_from("aZ9_ -.\n\x1c\x85\xa0é—“字\u2028\ud800²")))
def test_words_equal_those_of_the_expression(expression, text):
    assert find_words(text, re.compile(expression)) == set(re.findall(expression, text))


def test_words_keep_digits_and_underscores():
    assert find_words("a_1 = f(b2)\x1c\n\x00c") == {"a_1", "f", "b2", "c"}
