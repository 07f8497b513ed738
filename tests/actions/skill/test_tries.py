"""A pattern whose alternatives are put together meets the same places, with the same groups, as Python's own."""

import gc
import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from actions.patterns import all_patterns
from actions.skill import compiled, regex

ROOT = Path(__file__).parents[3]
MADE: list[tuple[str, int]] = []


@pytest.fixture(autouse=True)
def nothing_known(monkeypatch):
    monkeypatch.setattr(compiled, "known", {})


def met(pattern: re.Pattern[str], text: str) -> list[tuple[tuple[int, int], ...]]:
    return [tuple(map(found.span, range(pattern.groups + 1))) for found in pattern.finditer(text)]


def same(pattern: str, flags: int, *texts: str) -> bool:
    ours, theirs = compiled.compiled(pattern, flags), re.compile(pattern, flags)
    assert ours.groupindex == theirs.groupindex and ours.flags == theirs.flags
    return all(met(ours, text) == met(theirs, text) for text in texts)


ATOMS = st.sampled_from(
    [
        "a",
        "b",
        "A",
        "k",
        "ab",
        "ba",
        "é",
        "中",
        "[ab]",
        "[^a]",
        "[a-c]",
        r"\w",
        r"\s",
        r"\d",
        ".",
        r"\b",
        "^",
        "$",
        "(?<=a)",
        "(?!b)",
    ]
)
PATTERNS = st.recursive(
    ATOMS,
    lambda inner: st.one_of(
        st.lists(inner, min_size=1, max_size=3).map("".join),
        st.lists(inner, min_size=2, max_size=6).map(lambda parts: f"(?:{'|'.join(parts)})"),
        st.lists(inner, min_size=2, max_size=4).map(lambda parts: f"({'|'.join(parts)})"),
        st.lists(inner, min_size=1, max_size=3).map(lambda parts: f"(?={'|'.join(parts)})"),
        st.tuples(inner, st.sampled_from(["?", "{0,2}", "{1,3}?", "{1,2}+"])).map(
            lambda pair: f"(?:{pair[0]}){pair[1]}"
        ),
        st.tuples(st.sampled_from(["i", "-i"]), inner).map(lambda pair: f"(?{pair[0]}:{pair[1]})"),
    ),
    max_leaves=12,
)
TEXTS = st.text(alphabet="abAB kKcé中1 \nÉ", max_size=14)
FLAGS = st.sampled_from([0, re.IGNORECASE, re.IGNORECASE | re.MULTILINE, re.DOTALL, re.IGNORECASE | re.ASCII])


@settings(max_examples=300, deadline=None)
@given(PATTERNS, FLAGS, st.lists(TEXTS, min_size=3, max_size=3))
def test_any_pattern_meets_the_same(pattern, flags, texts):
    assert same(pattern, flags, *texts)


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        ("a|ab|abc", "abc"),
        ("abc|ab|a", "abcab"),
        ("ab|b|ac|a", "acab"),
        ("(ab)|(a)|(ac)", "ac a ab"),
        ("(?:re-?)?(?:write|read|run)", "Rewrite RE-RUN read"),
        (r"\b(?:never|not|no)\b|禁止|不得", "NOT here, 不得 there"),
        (r"(?<!a|b)c|(?<=ab|ba)c", "ac abc bac c"),
        (r"(?P<x>a)?(?(x)b|c)|d", "ab c d"),
        ("a||b", "ba"),
        ("straße|strasse", "STRASSE Straße"),
    ],
)
def test_the_order_of_alternatives_still_decides(pattern, text):
    assert same(pattern, 0, text) and same(pattern, re.IGNORECASE, text, text.upper(), text.lower())


def test_what_alternatives_share_is_tried_once():
    program = compiled.compiled("retry|repeat|return|loop", re.IGNORECASE)
    assert program != re.compile("retry|repeat|return|loop", re.IGNORECASE)
    assert [program.search(word) is not None for word in ("RETURN", "Loop", "reap")] == [True, True, False]


def test_a_letter_that_only_folds_onto_another_begins_no_alternative():
    assert not compiled.compiled("skip|stop|run", re.IGNORECASE).search("ſkip")
    assert re.search("skip|stop|run", "ſkip", re.IGNORECASE)


def standing() -> list[regex._Later]:
    all_patterns()
    return [one for one in gc.get_objects() if isinstance(one, regex._Later) and isinstance(one.pattern, str)]


def test_every_pattern_of_the_catalogue_meets_the_same_in_real_skills():
    skills = sorted({*ROOT.glob("examples/*/**/*.md"), *ROOT.glob("tests/data/**/*.md")})
    lines = {line for path in skills for line in path.read_text(encoding="utf-8").splitlines()}
    text = "\n".join(sorted(lines)[::9])
    patterns = standing()
    assert len(patterns) > 500 and len(text) > 10_000
    assert [one.pattern for one in patterns if not same(one.pattern, one._flags, text)] == []


@pytest.mark.parametrize("letter", "İıŸſΜμẞ\u212a\u212b")
def test_a_letter_beyond_latin_1_meets_the_one_that_it_folds_onto(letter):
    texts = [chr(code) for code in range(256)]
    assert same(letter, re.IGNORECASE, *texts) and same(f"[{letter}中]", re.IGNORECASE, *texts)
    assert same(f"[\u0100-{letter}]" if letter > "\u0100" else letter, re.IGNORECASE, *texts)
