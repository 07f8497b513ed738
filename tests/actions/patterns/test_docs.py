"""The docs patterns see what is said twice or in two ways, in words that are not their own examples', and nothing else."""

import time

import pytest

from actions.example import example_case
from actions.patterns import all_patterns

RULES = (
    "Ask the owner of the shelf before a book is moved to another room.\n\n"
    "Write the old and the new place into the register on the same day.\n\n"
    "Leave a card with the date at the place where the book stood before.\n"
)
FIELDS = "  title: string\n  shelf: string\n  owner: string\n  moved: string\n"


def seen(id, example):
    return list(all_patterns()[id].look(example_case(example)))


SAID_TWICE = {
    "three paragraphs in a reference and in SKILL.md": (
        "DOC-RED-004",
        {"SKILL.md": f"# Move\n\n{RULES}", "references/rules.md": f"# Rules\n\n{RULES}"},
    ),
    "a list whose copy has other bullets and one line more": (
        "DOC-RED-004",
        {
            "phases/1-ask.md": "# Ask\n\n" + "".join(f"- {line}\n" for line in RULES.split("\n") if line),
            "phases/2-tell.md": "# Tell\n\n* Be polite.\n"
            + "".join(f"* {line}\n" for line in RULES.split("\n") if line),
        },
    ),
    "one long paragraph with a word changed": (
        "DOC-RED-004",
        {
            "SKILL.md": f"# Move\n\n{RULES.replace(chr(10) * 2, ' ')}",
            "phases/1-ask.md": f"# Ask\n\n{RULES.replace(chr(10) * 2, ' ').replace('register', 'ledger')}",
        },
    ),
    "the same paragraphs at both ends of a file": (
        "DOC-RED-001",
        f"# Move\n\n## Before\n\n{RULES}\n## After\n\n{RULES}",
    ),
    "a dictionary that a table holds": (
        "DOC-RED-002",
        {
            "phases/1-sort.md": '# Sort\n\n```python\nROOMS = {\n    "red": "poems, plays",\n    "blue": "maps, plans",\n    "green": "plants, herbs",\n    "grey": "laws, deeds",\n}\n```\n',
            "specs/rooms.md": "# Rooms\n\n| Room | Books |\n|---|---|\n| red | poems, plays |\n| blue | maps, plans |\n| green | plants, herbs |\n| grey | laws, deeds |\n",
        },
    ),
    "a type that lost a field": (
        "DOC-RED-003",
        {
            "specs/types.md": f"# Types\n\n```ts\nexport interface Book {{\n{FIELDS}}}\n```\n",
            "phases/1-ask.md": f"# Ask\n\n```ts\ninterface Book {{\n{FIELDS.replace('  moved: string' + chr(10), '')}}}\n```\n",
        },
    ),
}
SAID_ONCE = {
    "two sentences are said again": (
        "DOC-RED-004",
        {"SKILL.md": "# Move\n\n" + RULES[:140], "references/a.md": "# A\n\n" + RULES[:140]},
    ),
    "sections share their headings alone": (
        "DOC-RED-001",
        "# Move\n\n## Red room\n\n### Steps\n\nLift the book.\n\n## Blue room\n\n### Steps\n\nPull the book.\n",
    ),
    "programs for a user's project look alike": (
        "DOC-RED-004",
        {
            f"references/{name}.md": "# How\n\n```python\nfrom store import Client\n\n"
            + "".join(
                f"client.set_option_number_{n}(value_of_option_{n}, retries=retries, timeout=timeout)\n"
                for n in range(12)
            )
            + "```\n"
            for name in ("put", "get")
        },
    ),
}


@pytest.mark.parametrize("name", SAID_TWICE)
def test_what_is_said_twice_is_seen(name):
    id, example = SAID_TWICE[name]
    assert seen(id, example)


@pytest.mark.parametrize("name", SAID_ONCE)
def test_what_is_said_once_is_left_alone(name):
    id, example = SAID_ONCE[name]
    assert seen(id, example) == []


def test_a_long_passage_of_a_spec_in_a_phase_weighs_more_than_one_of_an_agents_file():
    long = (
        RULES + "\n" + RULES.replace("book", "map").replace("room", "house") + "\nThe register is kept for ten years.\n"
    )
    far = {"phases/1-ask.md": f"# Ask\n\n{long}", "specs/rules.md": f"# Rules\n\n{long}"}
    agents = {"agents/ask.md": f"# Ask\n\n{long}", "agents/tell.md": f"# Tell\n\n{long}"}
    assert [e.severity for e in seen("DOC-RED-004", far)] == [None]
    assert [str(e.severity) for e in seen("DOC-RED-004", agents)] == ["low"]


def test_the_finding_names_both_places_and_the_one_to_keep():
    (found,) = seen("DOC-RED-004", SAID_TWICE["three paragraphs in a reference and in SKILL.md"][1])
    assert (found.file, found.line, found.line_end) == ("SKILL.md", 8, 12)
    assert found.also[0].startswith("references/rules.md:3:")
    assert "SKILL.md is the place" in found.message


TWO_VALUES = {
    "minutes and seconds": "# Wait\n\n- **Build timeout**: 10 minutes\n\n## Rules\n\n- Build timeout: 300 s\n",
    "a constant and a table": {
        "SKILL.md": "# Mend\n\n| Limit | Value |\n|---|---|\n| Max review rounds | 4 |\n\nRun `scripts/go.py`.\n",
        "scripts/go.py": "MAX_REVIEW_ROUNDS = 6\n",
    },
    "prose and a key": {
        "SKILL.md": "# Mend\n\nStop after at most 4 review rounds.\n",
        "phases/1-mend.md": '# Mend\n\n```json\n{\n  "max_review_rounds": 6\n}\n```\n\nCall `Task()`.\n',
    },
    "a share and a percentage": "# Test\n\n- Coverage threshold: 80%\n\n## Rules\n\n- `coverage_threshold`: 0.9\n",
    "Chinese": "# 等待\n\n- 构建超时时间：10 分钟\n\n## 规则\n\n- 构建超时时间：15 分钟\n",
}
ONE_VALUE = {
    "minutes and seconds that are equal": "# Wait\n\n- **Build timeout**: 5 min\n\n## Rules\n\n- Build timeout: 300 s\n- build_timeout_ms: 300000\n",
    "a range": "# Wait\n\n- Build timeout: 5-10 min\n\n## Rules\n\n- Build timeout: 7 min\n",
    "a row for each of three plans": "# Plans\n\n- Max rooms: 2\n- Max rooms: 5\n- Max rooms: 9\n",
    "a value for a mode in the line": "# Wait\n\n- Build timeout: 5 min in quick mode\n- Build timeout: 9 min in deep mode\n",
    "two references of two tools": {
        "references/a.md": "# A\n\n- Max upload size: 5 MB\n",
        "references/b.md": "# B\n\n- Max upload size: 9 MB\n",
    },
}


@pytest.mark.parametrize("name", TWO_VALUES)
def test_a_key_with_two_values_is_seen(name):
    (found,) = seen("DOC-CON-001", TWO_VALUES[name])
    assert found.also


@pytest.mark.parametrize("name", ONE_VALUE)
def test_a_key_with_one_value_in_each_scope_is_left_alone(name):
    assert seen("DOC-CON-001", ONE_VALUE[name]) == []


@pytest.mark.parametrize("called", ["example-v2", "Example", "exam-ple"])
def test_a_skill_that_calls_itself_by_a_variant_of_its_name_is_seen(called):
    (found,) = seen("DOC-CON-001", f"# Go\n\nResume with `Skill(skill='{called}', args='x')`.\n")
    assert f"`{called}`" in found.message


@pytest.mark.parametrize("called", ["example", "tools:example", "example-report", "sample"])
def test_a_skill_that_calls_itself_rightly_or_another_is_left_alone(called):
    assert seen("DOC-CON-001", f"# Go\n\nGo on with `Skill(skill='{called}', args='x')`.\n") == []


@pytest.mark.parametrize(
    "text",
    [
        "The same line of text stands here again and again.\n" * 4000,
        "- max_room_count: 4\n# Room\n" * 4000,
        "**" * 60000,
    ],
    ids=["one line", "settings", "stars"],
)
def test_hostile_text_is_read_in_linear_time(text):
    case = example_case(f"# A\n\n{text}")
    start = time.process_time()
    for id, pattern in all_patterns().items():
        if id.startswith("DOC-"):
            list(pattern.look(case))
    assert time.process_time() - start < 10


def test_typed_values_point_at_the_lines_that_hold_them():
    config = '{\n  "name": "x",\n  "limits": {\n    "low": 35,\n    "mid": 55,\n    "high": 85\n  }\n}\n'
    code = (
        "const limits = {\n  low: { most: 35 },\n  mid: { most: 55 },\n  high: { most: 85 }\n}\nTask({ prompt: `Go` })"
    )
    files = {"SKILL.md": f"# Work\n\n```javascript\n{code}\n```\n", "specs/limits.json": config}
    assert [e.also for e in seen("DOC-RED-002", files)] == [("specs/limits.json:4",)]


def test_one_record_at_two_moments_is_no_repeat():
    lines = [f'  "part_{n}": "the number and the weight of crate {n} in the hold of the ship",' for n in range(6)]
    record = "```json\n{\n" + "\n".join(lines) + '\n  "status": "STATUS"\n}\n```\n'
    task = "```javascript\nTask({ prompt: `Load the ship` })\n```\n"
    text = f"# Work\n\nAt first:\n\n{record}\nRun it.\n\n{task}\nAnd again:\n\n{record}"
    assert seen("DOC-RED-001", text)
    assert seen("DOC-RED-001", text.replace("STATUS", "created", 1).replace("STATUS", "running")) == []
