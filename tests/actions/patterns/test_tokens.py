"""Test that the token patterns find text that costs tokens twice, and nothing else."""

from actions.patterns.docs import doc_red_004_same_passage
from actions.patterns.tokens import tkn_001_said_twice, tkn_002_many_state_fields, tkn_006_copied_from_reference
from schemas.vocabulary import Severity
from tests.examples import example_case

PASSAGE = (
    "Write in the second person and in the present tense. Name the button by the words that stand on it. Give one action in"
    " each sentence, and say what the reader sees afterwards. Leave out what the program does by itself.\n\n"
)
TWICE = PASSAGE + PASSAGE.replace("button", "menu")
LONG = "".join(PASSAGE.replace("button", f"button {n}") for n in range(8))


def seen(module, example):
    return list(module.check(example_case(example)))


def test_each_copy_belongs_to_one_pattern_by_its_files():
    within = f"# A\n\n{PASSAGE}## B\n\n{PASSAGE}"
    copied = {"SKILL.md": f"# A\n\n{TWICE}", "references/b.md": f"# B\n\n{TWICE}"}
    apart = {"references/a.md": f"# A\n\n{LONG}", "references/b.md": f"# B\n\n{LONG}"}
    modules = (tkn_001_said_twice, tkn_006_copied_from_reference, doc_red_004_same_passage)
    for example, own in zip((within, copied, apart), modules, strict=True):
        assert [module for module in modules if seen(module, example)] == [own]


def test_copy_in_skill_md_is_low_up_to_300_tokens():
    short, long = (
        seen(tkn_006_copied_from_reference, {"SKILL.md": f"# A\n\n{text}", "references/b.md": text})
        for text in (TWICE, LONG)
    )
    assert [one.severity for one in short] == [Severity.LOW]
    assert [one.severity for one in long] == [Severity.MEDIUM]
    (found,) = seen(tkn_001_said_twice, f"# A\n\n{LONG}## B\n\nNow the other half.\n\n{LONG}")
    assert found.severity is Severity.MEDIUM
    assert seen(tkn_001_said_twice, {"references/a.md": f"# A\n\n{LONG}## B\n\nNow.\n\n{LONG}"}) == []


def test_short_copy_in_skill_md_may_have_to_hold_unread():
    files = {"SKILL.md": f"# A\n\n{PASSAGE}", "references/b.md": f"# B\n\n{PASSAGE}"}
    assert seen(tkn_006_copied_from_reference, files) == []


FIELDS = [f"part_{letter}" for letter in "abcdefghijklmnop"]


def test_state_fields_count_only_if_the_skill_has_a_state():
    literal = "# X\n\n{}\n\n```python\nstate = {{" + ", ".join(f"'{name}': None" for name in FIELDS) + "}}\n```\n"
    assert len(seen(tkn_002_many_state_fields, literal.format("Keep it in `run-state.json`."))) == 1
    assert seen(tkn_002_many_state_fields, literal.format("A row of the table.")) == []
    schema = '{"type": "object", "properties": {' + ", ".join(f'"{name}": {{}}' for name in FIELDS) + "}}"
    (found,) = seen(
        tkn_002_many_state_fields,
        {"SKILL.md": "# X\n\nKeep `state.json`.\n", "specs/state-schema.json": schema, "tests/state.json": schema},
    )
    assert (found.file, found.also) == ("specs/state-schema.json", ())


def test_words_of_placeholders_do_not_count():
    blank = "**Depends on**: [" + "which earlier work it needs, by number " * 6 + "]\n\n"
    assert not seen(tkn_001_said_twice, f"# A\n\n{blank}## B\n\n{blank}")


def test_passage_of_a_file_that_a_run_copies_is_no_repetition():
    copied = f"# Plan\n\n{TWICE}"
    assert not seen(tkn_006_copied_from_reference, {"SKILL.md": copied, "assets/templates/commands/plan.md": copied})
    assert len(seen(tkn_006_copied_from_reference, {"SKILL.md": copied, "commands/plan.md": copied})) == 1
