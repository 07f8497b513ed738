"""Regular expressions that are compiled late: they are right all the same, and do what compiled ones do."""

import re
import sys

import pytest

import actions.evidence.issues  # noqa: F401 - the modules that are looked through
from actions.patterns import all_session_patterns
from actions.regex import regex


def test_every_expression_that_is_compiled_late_is_right() -> None:
    assert all_session_patterns()
    late = type(regex(""))
    found = [value for module in list(sys.modules.values()) for value in vars(module).values() if type(value) is late]
    assert len(found) > 50
    assert all(isinstance(one.pattern, str) for one in found)


def test_one_that_is_compiled_late_does_what_a_compiled_one_does() -> None:
    late, now = regex(r"(?i)(\d+) left"), re.compile(r"(\d+) left", re.IGNORECASE)
    for text in ("12 LEFT, 3 left", "none", ""):
        assert late.findall(text) == now.findall(text)
        assert [m.span() for m in late.finditer(text)] == [m.span() for m in now.finditer(text)]
        assert late.sub("x", text) == now.sub("x", text)
    assert late.flags == now.flags


def test_one_that_is_wrong_says_so_when_it_is_asked() -> None:
    wrong = regex("(")
    with pytest.raises(re.error):
        wrong.search("")
