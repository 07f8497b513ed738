"""Test that the token patterns find text that costs tokens twice, and nothing else."""

import pytest

from actions.patterns.tokens import tkn_001_said_twice, tkn_002_many_state_fields, tkn_006_copied_from_reference
from schemas.vocabulary import Severity
from tests.examples import make_example_case

PASSAGE = (
    "Write in the second person and in the present tense. Name the button by the words that stand on it. Give one action in"
    " each sentence, and say what the reader sees afterwards. Leave out what the program does by itself, and name what is lost if it cannot be undone by the reader.\n\n"
)
COPIED = "".join(PASSAGE.replace("button", thing) for thing in ("button", "menu", "field", "list", "tab"))
LONG = "".join(PASSAGE.replace("button", f"button {n}") for n in range(12))


def find(module, example):
    return list(module.check(make_example_case(example)))


def test_each_copy_belongs_to_one_pattern_by_its_files():
    within = f"# A\n\n{LONG}## B\n\n{LONG}"
    copied_from_reference = {"SKILL.md": f"# A\n\nb.md\n\n{COPIED}", "references/b.md": f"# B\n\n{COPIED}"}
    modules = (tkn_001_said_twice, tkn_006_copied_from_reference)
    for example, own_module in zip((within, copied_from_reference), modules, strict=True):
        assert [module for module in modules if find(module, example)] == [own_module]


def test_copy_in_skill_md_is_low_up_to_600_tokens():
    findings_of_short_copy, findings_of_long_copy = (
        find(tkn_006_copied_from_reference, {"SKILL.md": f"# A\n\nb.md\n\n{text}", "references/b.md": text})
        for text in (COPIED, LONG)
    )
    assert [finding.severity for finding in findings_of_short_copy] == [Severity.LOW]
    assert [finding.severity for finding in findings_of_long_copy] == [Severity.MEDIUM]
    (finding,) = find(tkn_001_said_twice, f"# A\n\n{LONG}## B\n\nNow the other half.\n\n{LONG}")
    assert finding.severity is Severity.MEDIUM
    assert find(tkn_001_said_twice, {"references/a.md": f"# A\n\n{LONG}## B\n\nNow.\n\n{LONG}"}) == []


def test_short_copy_in_skill_md_is_not_reported():
    files = {"SKILL.md": f"# A\n\n{PASSAGE * 3}", "references/b.md": f"# B\n\n{PASSAGE * 3}"}
    assert find(tkn_006_copied_from_reference, files) == []


@pytest.mark.parametrize(("name", "count"), [("outlook__SKILL.md", 0), ("references/b.md", 1)])
def test_skill_next_to_another_is_not_part_of_it(name, count):
    files = {"SKILL.md": f"# A\n\n{name}\n\n{COPIED}", name: f"# B\n\n{COPIED}"}
    assert len(find(tkn_006_copied_from_reference, files)) == count


@pytest.mark.parametrize(("words", "copies", "count"), [(55, 10, 0), (65, 10, 9), (65, 2, 0), (300, 2, 1)])
def test_short_repetition_is_left_out(words, copies, count):
    passage = " ".join(f"word{n}" for n in range(words)) + ".\n\n"
    assert len(find(tkn_001_said_twice, "".join(f"# A{n}\n\nNow {n}.\n\n{passage}" for n in range(copies)))) == count


FIELDS = [f"part_{letter}" for letter in "abcdefghijklmnop"]


def test_state_fields_count_only_if_the_skill_has_a_state():
    literal = "# X\n\n{}\n\n```python\nstate = {{" + ", ".join(f"'{name}': None" for name in FIELDS) + "}}\n```\n"
    assert len(find(tkn_002_many_state_fields, literal.format("Keep it in `run-state.json`."))) == 1
    assert find(tkn_002_many_state_fields, literal.format("A row of the table.")) == []
    schema = '{"type": "object", "properties": {' + ", ".join(f'"{name}": {{}}' for name in FIELDS) + "}}"
    (finding,) = find(
        tkn_002_many_state_fields,
        {"SKILL.md": "# X\n\nKeep `state.json`.\n", "specs/state-schema.json": schema, "tests/state.json": schema},
    )
    assert (finding.file, finding.also) == ("specs/state-schema.json", ())


def test_words_of_placeholders_do_not_count():
    placeholder = "**Depends on**: [" + "which earlier work it needs, by number " * 6 + "]\n\n"
    assert not find(tkn_001_said_twice, "".join(f"# A{n}\n\nNow {n}.\n\n{placeholder}" for n in range(9)))


def test_passage_of_a_file_that_a_run_copies_is_not_a_repetition():
    copied_plan = f"# Plan\n\n{COPIED}"
    assert not find(
        tkn_006_copied_from_reference, {"SKILL.md": copied_plan, "assets/templates/commands/plan.md": copied_plan}
    )
    assert len(find(tkn_006_copied_from_reference, {"SKILL.md": copied_plan, "commands/plan.md": copied_plan})) == 1
