"""Test which names of skills mislead users of a project."""

import pytest

from actions.patterns import get_patterns
from actions.scoring.causes import find_shared_cause
from actions.scoring.scan import scan
from schemas.vocabulary import UnitKind
from tests.actions.patterns.rows import find_rows
from tests.examples import list_project_cases


def make_skills(names, folder="src/skills", text="Count."):
    head = "---\nname: {}\ndescription: Counts.\n---\n\n{}\n"
    return {f"{folder}/{at}/SKILL.md": head.format(name, text) for at, name in names.items()}


def list_messages(files):
    return [message for _, _, message in find_rows("SPEC-002", files, UnitKind.SKILL)]


@pytest.mark.parametrize(
    "names",
    [
        {"count": "birds-count", "counting": "count-it"},
        {"a": "sc:a-x", "b": "sc:b-x", "c": "sc:c-x"},
        {name: name for name in ("A_one", "A_two", "A_three")},
        {name: f"{name.upper()}.md" for name in "abc"},
        {name: f"birds:{name}" for name in ("ring", "sort", "weigh")},
        dict.fromkeys("abc", ""),
    ],
)
def test_name_that_misleads_nobody_is_ignored(names):
    assert list_messages(make_skills(names)) == []


@pytest.mark.parametrize(
    ("folder", "files", "count"),
    [
        (".claude/skills", {}, 0),
        ("skills", {".claude-plugin/plugin.json": '{"name": "birds"}'}, 0),
        ("skills", {}, 1),
        (".claude/skills", {"AGENTS.md": "# Birds\n"}, 1),
        (".claude/skills", {"README.md": "For Claude Code and Cursor.\n"}, 1),
    ],
)
def test_missing_name_is_reported_if_another_tool_may_read_it(folder, files, count):
    skills = make_skills({"count": ""}, folder)
    assert list_messages(skills | files) == ["The frontmatter has no `name`."] * count
    assert len(list_messages(make_skills({"count": "Bird Count"}, folder) | files)) == 1


@pytest.mark.parametrize("folder", ["src/templates", "src/templates/skills", "src/skills/_new"])
def test_placeholder_of_a_template_is_no_name(folder):
    assert list_messages(make_skills({"count": "<skill-name>", "sort": "'{{ name }}'"}, folder)) == []


def test_placeholder_of_a_skill_is_a_malformed_name():
    (message,) = list_messages(make_skills({"count": "<skill-name>"}))
    assert "`<skill-name>` must be" in message


@pytest.mark.parametrize(
    "names",
    [
        {"a": "sc:a-x", "b": "sc:b-x"},
        {"A_one": "A_one", "A_two": "A_two"},
        dict.fromkeys("ab", ""),
        {name: f"Count {name}" for name in "abc"},
    ],
)
def test_slips_and_names_that_cannot_be_typed_are_reported(names):
    assert len(list_messages(make_skills(names))) == len(names)


def test_name_of_another_skill_is_reported():
    names = {"sort": "count", "count": "count"}
    assert list_messages(make_skills(names)) == [
        "The skill is named `count`, but src/skills/count/SKILL.md is the skill of that name."
    ]
    apart = make_skills({"sort": "count"}) | make_skills({"count": "count"}, "lib/skills")
    assert list_messages(apart) == []


def test_misspelled_folder_is_reported():
    files = make_skills({"brainstormig-birds": "brainstorming-birds"})
    assert list_messages(files) == [
        "The skill is named `brainstorming-birds`, but its folder is named `brainstormig-birds`."
    ]


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("Run `/count-birds`.", 1),
        ("Run /birds:count-birds.", 1),
        ("Use the skill `count-birds`.", 1),
        ("Use the skill count-birds.", 0),
        ("See `src/skills/count-birds/SKILL.md`.", 0),
        ("Start `count-birds` from `skills/count-birds/`.", 0),
        ("```\n/count-birds\n```", 0),
        ("- `count-birds` (tally): counts", 0),
        ("- `count-birds`: makes a tally-sheet", 1),
    ],
)
def test_folder_by_which_another_text_calls_the_skill_is_reported(text, count):
    files = make_skills({"count-birds": "tally"})
    messages = list_messages({**files, "README.md": f"# Birds\n\n{text}\n"})
    assert len(messages) == count
    assert all("README.md:3 calls it `count-birds`" in message for message in messages)
    assert list_messages(make_skills({"count-birds": "tally"}, text=text)) == []


def test_command_of_the_folders_name_is_called_instead():
    files = make_skills({"count-birds": "tally"}, ".claude/skills") | {"README.md": "Run `/count-birds`.\n"}
    assert len(list_messages(files)) == 1
    assert list_messages({**files, ".claude/commands/count-birds.md": "Count.\n"}) == []


def test_equal_faults_of_several_names_have_one_cause():
    pattern = get_patterns()["SPEC-002"]
    cases = list_project_cases(pattern, make_skills({"a": "Count a", "b": "Count b"}))
    found = [finding for case in cases for finding in scan(case, [pattern]).open]
    assert {find_shared_cause(finding, UnitKind.SKILL) for finding in found} == {("malformed name", "")}
