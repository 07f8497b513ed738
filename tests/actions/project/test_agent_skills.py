"""Test which skills of an agent count as missing, and which of them certainly are."""

import pytest
from msgspec.structs import replace

from actions.project.agent_skills import find_unknown_skills
from tests.examples import list_unit_cases, make_project

AGENT, PLUGIN = ".claude/agents/counter.md", {".claude-plugin/plugin.json": '{"name": "birds"}'}
SKILL = "---\nname: {0}\ndescription: Counts.\n---\n\nCount.\n"
FILES = {
    ".claude/skills/count/SKILL.md": SKILL.format("count"),
    ".claude/skills/order/SKILL.md": SKILL.format("sort"),
    ".claude/commands/sea/tally.md": "Count.\n",
    "templates/walk/SKILL.md": SKILL.format("walk"),
}


def list_skills(skills, files=FILES, path=AGENT, **fields):
    text = f"---\nname: counter\ndescription: Counts.\nskills: {skills}\n---\n\nCount.\n"
    project = replace(make_project({path: text, **files}), **fields)
    cases = [case for case in list_unit_cases(project) if case.unit.path == path]
    return [skill for case in cases for skill in find_unknown_skills(case.project, case.unit, case.skill)]


@pytest.mark.parametrize(
    "skills",
    [
        "",
        "count",
        "[count, order, sort]",
        "'sea:tally, tally'",
        "simplify",
        "'trees:count'",
        "walk",
        "{{skills}}",
        "[1]",
    ],
)
def test_skill_that_may_exist_is_not_reported(skills):
    assert not list_skills(skills)


@pytest.mark.parametrize(
    ("skills", "names"),
    [
        ("peel", {"peel": ("", False)}),
        ("[count, peel]", {"peel": ("", False)}),
        ("[count, sort, peel]", {"peel": ("", True)}),
        ("'count, sort, peel, dive'", {"peel": ("", False), "dive": ("", False)}),
        ("[Count, /sort, cuont]", {"Count": ("count", True), "/sort": ("sort", True), "cuont": ("count", True)}),
    ],
)
def test_missing_skill_is_certain_if_the_project_shows_it(skills, names):
    assert {skill.name: (skill.near, skill.is_certain) for skill in list_skills(skills)} == names


def test_skill_of_the_own_plugin_may_have_its_prefix():
    files = {**PLUGIN, "skills/count/SKILL.md": SKILL.format("count")}
    missing = list_skills("[count, 'birds:count', 'birds:peel']", files, "agents/counter.md")
    assert [skill.name for skill in missing] == ["birds:peel"]


def test_skill_only_for_users_is_hidden_unless_another_has_its_name():
    hidden = {"skills/count/SKILL.md": SKILL.format("count\ndisable-model-invocation: true"), **PLUGIN}
    assert [(skill.name, skill.is_hidden) for skill in list_skills("count", hidden)] == [("count", True)]
    assert not list_skills("count", {**hidden, **FILES})


def test_skill_that_is_left_out_of_the_project_may_exist():
    assert not list_skills("peel", unread=frozenset({".claude/skills/peel"}))
    assert not list_skills("peel", matches_ignore=lambda path: path.startswith(".claude/skills/"))


@pytest.mark.parametrize(("folder", "archive"), [("archive/skills/peel", "archive/skills/peel"), ("more/peel", None)])
def test_skill_in_an_archive_is_certainly_missing(folder, archive):
    missing = list_skills("[count, peel]", {**FILES, f"{folder}/SKILL.md": SKILL.format("peel")})
    assert [(skill.archive, skill.is_certain) for skill in missing] == ([(archive, True)] if archive else [])


@pytest.mark.parametrize(("count", "near"), [(900, "skill0"), (1_100, "")])
def test_name_is_compared_with_a_limited_number_of_skills(count, near):
    files = {f".claude/skills/skill{n}/SKILL.md": "# Skill\n" for n in range(count)}
    assert [skill.near for skill in list_skills("Skill-0", files)] == [near]
