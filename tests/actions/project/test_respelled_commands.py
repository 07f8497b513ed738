"""Test which calls of own commands have a wrong name."""

import pytest

from actions.project.respelled_commands import find_respelled_commands
from tests.examples import list_unit_cases, make_project

NESTED = {".claude/commands/sea/count.md": "Count.\n"}


def find(text, files=None, path="CLAUDE.md"):
    project = make_project({**NESTED, path: text, **(files or {})})
    cases = [case for case in list_unit_cases(project) if case.unit.path == path]
    return [(c.name, c.known) for case in cases for c in find_respelled_commands(case.project, case.unit, case.skill)]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Run `/count`.", "count"),
        ("Run `/wings:flap`, then `/count` and `/help`.", "count"),
        ("Run `/count today`.", "count"),
        ("Run `/sea-count`.", "sea-count"),
    ],
)
def test_part_or_other_spelling_of_a_name_is_found(text, name):
    assert find(text) == [(name, "sea:count")]


@pytest.mark.parametrize(
    "text",
    [
        "Run `/sea:count`.",
        "Run /count.",
        "Run `/counts`.",
        "See `/count/list`.",
        "Do not run `/count`, it was removed.",
        "Commands such as `/deploy`, `/count` and `/send-email` change things.",
    ],
)
def test_other_text_is_left_alone(text):
    assert find(text) == []


@pytest.mark.parametrize(
    "files",
    [
        {".claude/commands/count.md": "Count.\n"},
        {".claude/commands/land/count.md": "Count.\n"},
        {".claude/skills/tally/SKILL.md": "---\nname: count\ndescription: Counts.\n---\n"},
        {".claude-plugin/plugin.json": '{"name": "birds"}', "commands/count.md": "Count.\n"},
        {"app.ts": "get('/count')\n"},
    ],
)
def test_name_that_something_else_has_is_left_alone(files):
    assert find("Run `/count`.", files) == []


def test_name_of_several_words_may_be_in_code_without_a_slash():
    assert find("Run `/sea-count`.", {"tui.py": 'commands = ["sea-count"]\n'}) == []
    assert find("Run `/count`.", {"tui.py": 'names = ["count"]\n'}) == [("count", "sea:count")]


def test_command_of_another_folder_is_left_alone():
    assert find("Run `/count`.", {".claude/commands/sea/count.md": "", "app/.claude/commands/sea/count.md": "x"}) == [
        ("count", "sea:count")
    ]
    project = make_project({"app/.claude/commands/sea/count.md": "Count.\n", "CLAUDE.md": "Run `/count`.\n"})
    cases = [case for case in list_unit_cases(project) if case.unit.path == "CLAUDE.md"]
    assert [*find_respelled_commands(project, cases[0].unit, cases[0].skill)] == []
