"""Patterns that are compiled when they are first used."""

import re
import sys

import pytest

from actions.patterns import all_patterns
from actions.skill import regex


def test_a_pattern_does_what_re_does():
    late, early = regex.compile(r"(?P<word>\w+)!", re.IGNORECASE), re.compile(r"(?P<word>\w+)!", re.IGNORECASE)
    text = "Stop! No, go on."
    assert late.findall(text) == early.findall(text) == ["Stop"]
    assert late.sub(".", text) == early.sub(".", text)
    assert late.search(text, 3)["word"] == "p"
    assert (late.pattern, late.flags, late.groupindex) == (early.pattern, early.flags, early.groupindex)


def test_nothing_is_compiled_before_it_is_used():
    broken = regex.compile("(")
    with pytest.raises(re.error, match="missing"):
        broken.search("")


def test_every_pattern_of_the_core_can_be_compiled():
    all_patterns()
    modules = [module for name, module in sys.modules.items() if name.startswith("actions.")]
    late = [value for module in modules for value in vars(module).values() if isinstance(value, regex._Later)]
    assert len(late) > 200
    for pattern in late:
        pattern.search(type(pattern.pattern)())
