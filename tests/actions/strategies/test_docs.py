"""The strategies for documents refuse where either text may be meant, or a reader would lose what it must see."""

import pytest

from actions.example import example_case
from actions.findings import scan
from actions.issues import issues_of
from actions.strategies import named

RULES = (
    "Ask the owner of the shelf before a book is moved to another room.\n\n"
    "Write the old and the new place into the register on the same day.\n\n"
    "Leave a card with the date at the place where the book stood before.\n"
)
ITEMS = "".join(f"- {line}\n" for line in RULES.replace(".", "").split("\n\n"))
BOUND = RULES.replace("Write", "Always write")

LONG = f"{RULES}\n{RULES.replace('book', 'map').replace('room', 'house')}\nThe register is kept for ten years.\n"


def drafts(name, example):
    case, strategy = example_case(example), named(name)
    issues = [i for i in issues_of(scan(case)) if i.pattern in strategy.STRATEGY.mends]
    assert issues
    return [draft for issue in issues if (draft := strategy.propose(issue, case))]


@pytest.mark.parametrize(
    "example",
    [
        {"SKILL.md": f"# Move\n\n{BOUND}", "phases/1-ask.md": f"# Ask\n\n{BOUND}"},
        {"agents/ask.md": f"# Ask\n\n{LONG}", "agents/tell.md": f"# Tell\n\n{LONG}"},
        {"SKILL.md": f"# Move\n\n{RULES}", "references/a.md": f"# A\n\n{RULES.replace('same day', 'third day')}"},
        {"SKILL.md": f"# Move\n\n{RULES}", "references/a.md": f"# A\n\n{RULES.strip()} Then stop.\n"},
        {
            "SKILL.md": f"# Move\n\n{ITEMS}",
            "references/a.md": f"# A\n\n{ITEMS.replace('the same day', 'the same day, if dry')}",
        },
        {"SKILL.md": f"# Move\n\n{ITEMS}", "references/a.md": f"# A\n\n{ITEMS.replace(chr(10), ', in ink' + chr(10))}"},
    ],
    ids=[
        "rules of SKILL.md",
        "files of agents",
        "another day",
        "a paragraph that says more",
        "a condition more",
        "all items say more",
    ],
)
def test_a_copy_that_somebody_needs_is_not_replaced(example):
    assert drafts("consolidate_to_ssot", example) == []


def test_the_copy_in_a_reference_gives_way_to_the_rules_of_the_skill():
    (draft,) = drafts(
        "consolidate_to_ssot",
        {"SKILL.md": f"# Move\n\n## Rules\n\n{BOUND}", "references/a.md": f"# A\n\n{BOUND}\nDone.\n"},
    )
    assert draft.writes == {"references/a.md": b"# A\n\nFollow [Rules](../SKILL.md#rules).\n\nDone.\n"}


def test_a_copy_is_dropped_by_its_lines_and_its_introduction_goes_on():
    kept = "- Only new files, nothing that exists is changed\n- It follows an example that is there, without any new logic\n- One single concern, one room or one shelf of it\n"
    copy = kept.replace(", without any new logic", ", without new logic")
    steps = "".join(f"\n{n}. Look at the {word}, note it.\n" for n, word in enumerate("door roof wall lamp".split(), 1))
    (draft, *_) = drafts(
        "consolidate_to_ssot",
        f"# Move\n\n## Small moves\n\nA move is small when all three hold.\n\n{kept}\n## Look\n{steps}\n## Choose\n\nTake the small way (name each reason before choosing):\n{copy}\nThen stop.\n",
    )
    lines = ("It follows an example that is there, without new logic", "Only new files, nothing that exists is changed",
             "One single concern, one room or one shelf of it")  # fmt: skip
    assert draft.drops == lines
    assert draft.rewrites == ("Take the small way (name each reason before choosing):",)


@pytest.mark.parametrize(
    "example",
    [
        "# Wait\n\n- Build timeout: 10 min\n\n## Rules\n\n- Build timeout: 5 min\n",
        "# Wait\n\n- Build timeout: 10 min\n\n## Rules\n\n- Build timeout: 300 s\n\n## More\n\n- Build timeout: 600 s\n",
    ],
    ids=["two equal places", "other units"],
)
def test_of_two_values_neither_is_guessed(example):
    assert drafts("reconcile_conflicting_definitions", example) == []


def test_a_mapping_that_holds_more_than_the_table_stays():
    literal = "const ROOMS = {\n  red: 'poems',\n  blue: 'maps',\n  green: 'herbs',\n  grey: 'laws and deeds'\n}\n"
    table = (
        "| Room | Books |\n|---|---|\n| red | poems |\n| blue | maps |\n| green | herbs |\n| grey | laws or deeds |\n"
    )
    example = {"phases/1-sort.md": f"# Sort\n\n```js\n{literal}```\n", "specs/rooms.md": f"# Rooms\n\n{table}"}
    assert drafts("centralize_mapping_config", example) == []


@pytest.mark.parametrize("name", ["ex:ample", "other name"])
def test_a_name_that_may_be_called_so_is_left_to_the_author(name):
    example = {"SKILL.md": f"---\nname: '{name}'\ndescription: Use when asked.\n---\n\nCount.\n"}
    assert drafts("repair_frontmatter", example) == []


@pytest.mark.parametrize(
    "text",
    [
        "Read `references/gates.md` before you open it.\n",
        "## Gates\n\nSee `references/gates.md`.\n",
        "1. Open it.\n2. See `references/gates.md`.\n3. Close it.\n",
        "Open it.\n\nSee `references/gates.md` for the hours.\n",
        "Open it.\n\n```python\n# See references/gates.md\n```\n",
        "Open it.\n\nSee `scripts/gates.sh`.\n",
    ],
    ids=["an order", "all of a section", "a step", "more than a pointer", "all of a fence", "perhaps the project's"],
)
def test_a_missing_file_that_the_text_needs_stays_named(text):
    case, strategy = example_case(f"# Weir\n\n{text}\n## End\n\nGo home.\n"), named("drop_dead_entry")
    issues = [i for i in issues_of(scan(case)) if i.pattern == "DF-009"]
    assert issues
    assert [strategy.propose(issue, case) for issue in issues] == [None] * len(issues)


def test_of_the_entries_of_two_lists_each_needs_one_that_stays():
    lists = "## References\n\n- `references/a.md` - names\n- `references/gone.md` - hours\n\n## Resources\n\n- `references/gone.md` - hours\n"
    case = example_case({"SKILL.md": f"# Weir\n\n{lists}", "references/a.md": "# A\n\nAnna.\n"})
    issues = [i for i in issues_of(scan(case)) if i.pattern == "DF-009"]
    assert issues
    assert [named("drop_dead_entry").propose(issue, case) for issue in issues] == [None]


@pytest.mark.parametrize(
    "example",
    [
        "# Ask\n\n- You must ask the user about each file.\n- Wait.\n\n## Speed\n\nDo not ask the user about each file.\n",
        {
            "SKILL.md": "# Plan\n\n- Never commit the plan file.\n- Ask.\n\nRead `phases/01-plan.md`.\n",
            "phases/01-plan.md": "# Plan\n\n- Write the plan.\n- Always commit the plan file.\n",
        },
        {
            "SKILL.md": "# Plan\n\n1. Always commit the plan file.\n2. Read `phases/01-plan.md`.\n",
            "phases/01-plan.md": "# Plan\n\nNever commit the plan file.\n",
        },
    ],
    ids=["one file", "the order has more authority", "a step"],
)
def test_of_two_rules_that_exclude_each_other_none_is_guessed(example):
    assert drafts("drop_contradicted_rule", example) == []
