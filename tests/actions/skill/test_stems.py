"""Which lines a stem finds, and that no set of stems hides a line from the regex behind it."""

import re
from re import _constants as parts
from re import _parser as parser

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from actions.facts import concepts, own
from actions.facts.agents import calls, conveying, formats, guarding, loops, pasting, returning, tools, words
from actions.facts.context import growth, piling
from actions.facts.context import reading as floods
from actions.facts.docs import limits
from actions.facts.memory import keeping
from actions.facts.references import paths as references
from actions.facts.state import tables as state_tables
from actions.patterns import all_patterns
from actions.patterns.authoring import apv_007_stub_left_in as stubs
from actions.patterns.context import ctx_007_read_everything as reading
from actions.skill import rules
from actions.skill.skill import SkillFile
from actions.skill.stems import GATED, Gated, Stems

GATES = {
    "never": (rules._BINDING, rules._NEVER),
    "must": (rules._BINDING, rules._MUST),
    "only": (rules._BINDING, rules._ONLY),
    "a worker": (words.WORKERS, formats._WORKER),
    "an installation": (own._INSTALL_WORDS, own._INSTALLS),
    "fails": (guarding._FAIL_WORDS, guarding._FAILS),
    "reacts": (guarding._REACT_WORDS, guarding._REACTS),
    "tool in prose": (calls._WORKERS, calls._TOOL_IN_PROSE),
    "type in prose": (calls._WORKERS, calls._TYPE_IN_PROSE),
    "order to an agent": (calls._WORKERS, calls._ORDER),
    "loop in prose": (loops._WORDS, loops._PROSE_LOOP),
    "loop in prose, again": (loops._AGAIN_WORDS, loops._PROSE_LOOP),
    "limit": (limits._WORDS, limits._LIMIT),
    "full return, English": (returning._WHOLE, returning._ENGLISH),
    "full return, Chinese": (returning._WHOLE, returning._CHINESE),
    "return": (returning._RETURNS, returning._ENGLISH),
    "return, Chinese": (returning._RETURNS, returning._CHINESE),
    "agent": (returning._AGENT_WORDS, returning._AGENT),
    "pasted": (pasting._PROMPT, pasting._ENGLISH),
    "pasted, Chinese": (pasting._PROMPT, pasting._CHINESE),
    "passed": (pasting._ALL_OF_IT, pasting._PASSED),
    "passed, Chinese": (pasting._ALL_OF_IT, pasting._PASSED_CHINESE),
    "passes": (pasting._PASSES, pasting._PASSED),
    "passes, Chinese": (pasting._PASSES, pasting._PASSED_CHINESE),
    "tool": (tools._TOOL_WORDS, tools._IN_PROSE),
    "call in a span": (tools._TOOL_NAMES, tools._SPAN_CALL),
    "stage": (references._STAGE_WORDS, references._STAGE),
    "section": (references._SECTION_WORDS, references._SECTION),
    "keeps": (keeping._KEEP_WORDS, keeping._KEEPS),
    "resumes": (keeping._RESUME_WORDS, keeping._RESUMES),
    "verifies": (keeping._VERIFY_WORDS, keeping._VERIFIES),
    "state file": (keeping._STATE_WORDS, keeping._STATE_FILE),
    "stub in prose": (stubs._WORDS, stubs._PROSE),
    "stub in code": (stubs._WORDS, stubs._CODE),
    "growth, again and again": (growth._EVERY, growth._AGAIN_AND_AGAIN),
    "growth": (growth._SAYING, growth._SAYS),
    "an agent": (conveying._WHO, conveying._AN_AGENT),
    "a prompt": (conveying._WHO, conveying._IN_PROMPT),
    "to an agent": (conveying._WHO, conveying._TO_AGENT),
    "back from an agent": (conveying._WHO, conveying._BACK),
    "home of the state": (state_tables._HOMES, state_tables._HOME),
    "added": (piling._ADDING, piling._ADDED),
    "running": (piling._ADDING, piling._RUNNING),
    "taken along": (piling._ADDING, piling._ALONG),
    "the earlier ones": (piling._ADDING, piling._EARLIER),
    "boundless": (floods._STEMS, floods._ENGLISH),
    "taken in": (floods._STEMS, floods._TAKE),
    "place": (reading._PLACES, reading._ENGLISH),
    "place, Chinese": (reading._PLACES, reading._CHINESE),
    "folder": (reading._PLACES, reading._FOLDER),
    "reading": (reading._READING, reading._ENGLISH),
    "reading, whole": (reading._READING, reading._WHOLE),
    "reading, Chinese": (reading._READING, reading._CHINESE),
}
PARTS = {
    "set aside": (concepts._SETS_ASIDE, concepts._SET_ASIDE),
    "not shortened": (concepts._SETS_ASIDE, concepts._NO_CUT),
    "order to an agent": (calls._ANY_WORKER, calls._ORDER),
}


def file(text: str) -> SkillFile:
    return SkillFile("SKILL.md", text.encode())


def numbers(stems: Stems, text: str, *others: Stems) -> list[int]:
    return [number for number, _ in stems.lines(file(text), *others)]


def test_a_stem_stands_anywhere_in_a_word_and_in_any_case():
    stems = Stems("retr", "重试")
    assert numbers(stems, "Retry it.\nmaxRetries = 3\nnothing\n失败后重试两次\nre-try") == [1, 2, 4]


def test_two_letters_are_a_whole_word():
    assert numbers(Stems("up"), "Up to 5.\nupper\nset-up\n至多up三次") == [1, 3, 4]


def test_prose_leaves_out_fences_comments_and_the_frontmatter():
    text = "---\nname: retry\n---\nretry\n```\nretry\n```\n<!-- retry -->\nretry\n"
    assert list(Stems("retry").prose(file(text))) == [(4, "retry"), (9, "retry")]


def test_several_sets_are_wanted_on_one_line():
    assert numbers(Stems("fail"), "it fails\nretry\nif it fails, retry", Stems("retry")) == [3]


def test_stems_made_after_a_file_was_read_find_their_lines_too():
    text = file("one owl\ntwo elks")
    assert [n for n, _ in Stems("owl").lines(text)] == [1]
    assert [n for n, _ in Stems("elk").lines(text)] == [2]


@pytest.mark.parametrize("word", ["", "Retry", "two words", "re-try", "3rd"])
def test_what_is_no_word_is_refused(word):
    with pytest.raises(ValueError, match="no stem"):
        Stems(word)


@pytest.mark.parametrize("name", GATES)
@settings(max_examples=20, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_no_line_is_hidden_from_the_regex_behind_the_stems(name, data):
    stems, regex = GATES[name]
    line = drawn(data, regex.regex if isinstance(regex, Gated) else regex)
    assert numbers(stems, line), line


@pytest.mark.parametrize("name", PARTS)
@settings(max_examples=20, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_no_sentence_is_hidden_from_a_regex_by_the_cheap_one_before_it(name, data):
    part, regex = PARTS[name]
    line = drawn(data, regex)
    assert part.search(line.lower()), line


all_patterns()


@pytest.mark.parametrize("gated", GATED, ids=lambda gated: gated.regex.pattern[:40])
def test_each_alternative_of_a_pattern_holds_its_stems(gated):
    tree = parser.parse(gated.regex.pattern, gated.regex.flags)
    for stems in gated.stems:
        hidden = [part for part in alternatives(tree) if not holds(part, stems)]
        assert not hidden, f"no stem of {sorted(stems.words)} in {hidden}"


def alternatives(tree):
    """Give the parts of which a match meets one; one that has a part of its own is taken apart."""
    op, value = tree[0] if len(tree) == 1 else (None, None)
    if op is parts.SUBPATTERN:
        yield from alternatives(value[3])
    elif op is parts.BRANCH:
        for branch in value[1]:
            yield from alternatives(branch)
    else:
        yield list(tree)


def holds(sequence, stems, before="\0"):
    """Tell whether a part of a regex holds a stem in whatever it meets; `~` is anything, `\0` the border of a word."""
    text = before
    for at, (op, value) in enumerate(sequence):
        rest = sequence[at + 1 :]
        if op is parts.LITERAL:
            text += chr(value)
        elif op is parts.AT:
            text += "\0"
        elif op is parts.IN and len(value) <= 20 and all(kind is parts.LITERAL for kind, _ in value):
            return all(holds([one, *rest], stems, text) for one in value)
        elif op is parts.SUBPATTERN:
            return holds([*value[3], *rest], stems, text)
        elif op is parts.BRANCH:
            return holds(rest, stems, "~") or all(holds([*branch, *rest], stems, text) for branch in value[1])
        elif op is parts.MAX_REPEAT and value[:2] == (0, 1) and len(rest) < 8:
            return holds(rest, stems, text) and holds([*value[2], *rest], stems, text)
        elif op in (parts.MAX_REPEAT, parts.MIN_REPEAT) and value[0] > 0:
            text += "~"
            if holds(list(value[2]), stems, "~"):
                return True
        elif op in (parts.ASSERT, parts.ASSERT_NOT):
            continue
        else:
            text += "~"
        if stems_in(text, stems):
            return True
    return stems_in(text + "~", stems)


def stems_in(text, stems):
    words = re.findall(r"~?[a-z\u3400-\u9fff]+~?", text.lower())
    return any(
        word == stem if len(stem) == 2 and stem.isascii() else stem in word for word in words for stem in stems.words
    )


def drawn(data, regex):
    text = data.draw(st.from_regex(re.compile(regex.pattern, regex.flags)))
    line = re.sub(r"\s", " ", text).replace("ſ", "s").replace("K", "k").replace("ı", "i").replace("İ", "I")
    assume(regex.search(line))
    return line
