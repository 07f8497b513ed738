"""Test that words of ASCII texts are those of the regular expression."""

import re

from hypothesis import given
from hypothesis import strategies as st

from actions.words import find_words


@given(st.text(st.characters(max_codepoint=0x100)))
def test_words_equal_those_of_the_expression(text):
    assert find_words(text) == re.findall(r"\w+", text)


def test_words_keep_digits_and_underscores():
    assert find_words("a_1 = f(b2)\x1c\n\x00c") == ["a_1", "f", "b2", "c"]
