"""Test which prompts are refused before a paid run."""

import pytest

from actions.project.listing import ListedSkill
from actions.trigger.prompts import Prompt, find_prompt_faults, is_named

SKILLS = [
    ListedSkill("count-birds", "a", "project", "Counts the birds that rest on the roof of the harbour office."),
    ListedSkill("plug:ring", "b", "plugin", "Rings birds."),
]


def make_prompts(*rows):
    return [Prompt(f"p{n}", text, accepted, f"set.json:{n}") for n, (text, *accepted) in enumerate(rows, 1)]


def make_enough_prompts(*rows):
    yes = [(f"How many gulls sat on pier {n}?", "count-birds") for n in range(4)]
    no = [(f"Paint boat {n}.", None) for n in range(4)]
    return make_prompts(*[(text, name) for text, name in (*rows, *yes, *no)])


def find_faults(*rows, targets=("count-birds",)):
    prompts = [Prompt(p.name, p.text, p.accepted, p.where) for p in make_enough_prompts(*rows)]
    return [*find_prompt_faults(prompts, SKILLS, targets)]


def test_enough_different_prompts_have_no_fault():
    assert find_faults() == []


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([("Count them.", None), ("count  THEM", "count-birds")], "set.json:2: the same prompt as set.json:1, but it"),
        ([("Count them.", None), ("Count them!", None)], "set.json:2: the same prompt as set.json:1; remove one"),
        ([("Run /count-birds now", "count-birds")], "set.json:1: the prompt names the skill count-birds"),
        ([("Use the plug:ring skill", "plug:ring")], "set.json:1: the prompt names the skill plug:ring"),
        ([("Count birds that rest on the roof of the harbour office.", "count-birds")], "quotes the description of"),
        ([("Ring it.", "ring")], "set.json:1: unknown skill ring"),
    ],
)
def test_faulty_prompt_is_named_with_its_line(rows, message):
    (fault,) = find_faults(*rows)
    assert message in fault


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("Please use the `ring` skill", True),
        ("use skill ring", True),
        ("/plug:ring the gull", True),
        ("/ring the gull", True),
        ("Ring the gull", False),
        ("see docs/ring for it", False),
        ("/ringing", False),
        ("a skilled ring maker", False),
    ],
)
def test_naming_a_skill_needs_a_slash_or_the_word_skill(text, named):
    assert is_named(text, "plug:ring") is named


def test_too_few_prompts_on_a_side_are_refused():
    prompts = make_prompts(
        *[(f"Gulls {n}?", "count-birds") for n in range(4)], *[(f"Boat {n}.", None) for n in range(3)]
    )
    assert [*find_prompt_faults(prompts, SKILLS, ["count-birds"])] == [
        "3 of 7 prompts do not expect count-birds; write at least 4"
    ]


def test_skills_of_a_folder_without_prompts_are_not_measured():
    assert find_faults(targets=("count-birds", "plug:ring")) == []
    prompts_without_skill = make_prompts(*[(f"Boat {n}.", None) for n in range(8)])
    (fault,) = find_prompt_faults(prompts_without_skill, SKILLS, ["count-birds", "plug:ring"])
    assert fault.startswith("no prompt expects any of the 2 skills")
