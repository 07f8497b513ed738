"""A kept pattern is the one that was compiled, and a damaged one is compiled anew."""

import json
import re

import pytest

from actions.patterns import all_patterns
from actions.skill import compiled, regex
from actions.skill.stems import GATED

all_patterns()


@pytest.fixture(autouse=True)
def nothing_known(monkeypatch):
    monkeypatch.setattr(compiled, "known", {})


@pytest.mark.parametrize("gated", GATED, ids=lambda gated: gated.regex.pattern[:40])
def test_a_kept_pattern_is_the_one_that_was_compiled(gated):
    first = compiled.compiled(gated.regex.pattern, gated.regex.flags)
    compiled.known = json.loads(json.dumps(compiled.known))
    assert compiled.compiled(gated.regex.pattern, gated.regex.flags) == first


def test_groups_and_names_are_kept():
    for _ in range(2):
        match = compiled.compiled(r"(?P<verb>\w+) (it|them)", re.IGNORECASE).search("Take THEM")
        assert match and match.groupdict() == {"verb": "Take"} and match[2] == "THEM" and match.lastindex == 2


@pytest.mark.parametrize("words", ["", "AAAA", "/////w==", "no base64!", 7])
def test_a_damaged_program_is_compiled_anew(words):
    compiled.compiled("ab+c", 0)
    flags, _, *rest = compiled.known["0 ab+c"]
    compiled.known["0 ab+c"] = (flags, words, *rest)
    assert compiled.compiled("ab+c", 0).fullmatch("abbc")
    assert compiled.known["0 ab+c"][1] not in ("", words)


def test_a_text_that_is_no_pattern_raises():
    with pytest.raises(re.error):
        compiled.compiled("(", 0)


def test_without_the_inner_compiler_the_library_does_it(monkeypatch):
    monkeypatch.setattr(compiled, "ENGINE", "")
    assert compiled.compiled("a|b", 0) == re.compile("a|b")
    assert not compiled.known


def test_a_compiler_of_another_make_leaves_it_to_the_library(monkeypatch):
    monkeypatch.delattr(compiled.tries._compiler, "_compile")
    monkeypatch.setattr(compiled.re, "compile", lambda pattern, flags: (pattern, flags))
    assert compiled.compiled("a|b", 0) == ("a|b", 0)
    assert not compiled.known


def test_a_pattern_that_is_made_of_what_was_read_is_not_kept(monkeypatch):
    monkeypatch.setattr(regex._Later, "standing", True)
    assert regex.compile("standing").search("standing")
    regex.all_stand()
    assert regex.compile("secret").search("a secret")
    assert list(compiled.known) == ["0 standing"]
