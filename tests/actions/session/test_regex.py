"""Test that lazily compiled regular expressions are valid and match like compiled ones."""

import re
import sys

import pytest

import actions.evidence.issues
import actions.history.session_table  # noqa: F401
from actions.fixes.strategies import get_strategies
from actions.patterns import get_patterns, get_session_patterns
from actions.regex import begin_word, regex


def test_lazy_expressions_compile() -> None:
    assert [*get_session_patterns().values(), *get_patterns().values(), *get_strategies().values()]
    lazy_type = type(regex(""))
    expressions = [
        value for module in list(sys.modules.values()) for value in vars(module).values() if type(value) is lazy_type
    ]
    assert len(expressions) > 200
    assert all(expression.groups >= 0 for expression in expressions), "this compiles the expressions"


def test_lazy_expression_matches_like_a_compiled_one() -> None:
    lazy, compiled = regex(r"(?i)(\d+) left"), re.compile(r"(\d+) left", re.IGNORECASE)
    for text in ("12 LEFT, 3 left", "none", ""):
        assert lazy.findall(text) == compiled.findall(text)
        assert [m.span() for m in lazy.finditer(text)] == [m.span() for m in compiled.finditer(text)]
        assert lazy.sub("x", text) == compiled.sub("x", text)
    assert lazy.flags == compiled.flags


def test_invalid_lazy_expression_fails_on_use() -> None:
    invalid = regex("(")
    with pytest.raises(re.error):
        invalid.search("")


def test_words_begin_at_a_word_boundary():
    expression = re.compile(rf"{begin_word('Task', 'do not')}\s*\(")
    texts = ("Task(", " Task (", "do not(", "aTask(", "_Task(", "é Task(", "éTask(", "9do not(", "(Task(")
    usual_expression = re.compile(r"\b(?:Task|do not)\s*\(")
    assert [bool(expression.search(text)) for text in texts] == [bool(usual_expression.search(text)) for text in texts]
