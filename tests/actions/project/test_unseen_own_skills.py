"""Test which skills in `.claude/skills` are reported as not loaded."""

import pytest

from actions.project.find_units import find_units
from actions.project.unseen_own_skills import find_expected_place, find_loose_skills
from tests.examples import make_project

SKILL = "---\nname: count\ndescription: Counts birds.\n---\n\nCount.\n"
DEEP = ".claude/skills/sea/count/SKILL.md"
LOOSE = {"CLAUDE.md": "# Birds\n", ".claude/skills/count.md": SKILL}
MANIFEST = ".claude-plugin/plugin.json"


def list_deep(files):
    project = make_project({DEEP: SKILL, **files})
    return [place for unit in find_units(project) if (place := find_expected_place(project, unit))]


def list_loose(files):
    return [(loose.unit.path, loose.paths) for loose in find_loose_skills(make_project({**LOOSE, **files}))]


def test_skill_in_a_group_is_not_loaded():
    assert list_deep({}) == [".claude/skills/count/SKILL.md"]
    assert list_deep({"app/.claude/skills/sea/sort/SKILL.md": SKILL, DEEP: "# Notes\n"}) == [
        "app/.claude/skills/sort/SKILL.md"
    ]


@pytest.mark.parametrize(
    "text",
    [
        "Fill in `.claude/skills/sea/count/templates/list.md`.",
        "Fill in `.claude/skills/sea/sort/list.md`.",
        "Use a sea/counter.",
        "The red-sea/count.",
    ],
)
def test_path_of_another_file_in_a_group_is_not_one_of_its_skills(text):
    assert list_deep({".claude/commands/count.md": f"{text}\n"}) == [".claude/skills/count/SKILL.md"]


@pytest.mark.parametrize(
    "files",
    [
        {".claude/skills/sea/SKILL.md": SKILL},
        {".claude/skills/count/SKILL.md": SKILL},
        {f".claude/skills/sea/{MANIFEST}": '{"name": "sea"}'},
        {MANIFEST: '{"name": "birds", "skills": ["./.claude/skills/sea"]}'},
        {".claude-plugin/marketplace.json": f'{{"plugins": [{{"source": "./", "skills": ["./{DEEP[:-9]}"]}}]}}'},
        {"CLAUDE.md": f"Read `{DEEP}`.\n"},
        {".claude/commands/count.md": "Follow sea/count.\n"},
        {".claude/commands/count.md": "Follow `.claude/skills/sea/sort/SKILL.md`.\n"},
        {".claude/commands/count.md": "Follow what is in `.claude/skills/sea/`.\n"},
        {".claude/commands/count.md": "Follow `.claude/skills/sea/INDEX.md`.\n"},
        {DEEP: "# Notes\n"},
    ],
)
def test_skill_that_is_found_otherwise_is_left_alone(files):
    assert list_deep(files) == []


def test_skills_without_a_folder_are_one_record():
    path = ".claude/skills/sort.md"
    assert list_loose({path: SKILL}) == [("CLAUDE.md", (".claude/skills/count.md", path))]
    assert list_loose({"app/.claude/skills/sort.md": SKILL, "app/.claude/settings.json": "{}"}) == [
        ("CLAUDE.md", (".claude/skills/count.md",)),
        ("app/.claude/settings.json", ("app/.claude/skills/sort.md",)),
    ]


@pytest.mark.parametrize(
    "files",
    [
        {".claude/skills/count.md": "# Notes\n"},
        {".claude/skills/count/SKILL.md": SKILL},
        {"CLAUDE.md": "Read `.claude/skills/count.md`.\n"},
        {"load.py": 'glob(".claude/skills/*.md")\n'},
        {MANIFEST: '{"name": "birds", "commands": ["./.claude/skills/count.md"]}'},
    ],
)
def test_text_that_something_reads_is_left_alone(files):
    assert list_loose(files) == []


@pytest.mark.parametrize(
    ("text", "is_found"),
    [
        ("# Skill: Count — Birds\n\nCount.\n", True),
        ("\n# Bird Count Skill\n\nCount.\n", True),
        ("# How to Write a Skill\n", False),
        ("# Skills: Count\n", False),
        ("# Count\n\n# Bird Count Skill\n", False),
    ],
)
def test_text_without_a_folder_has_the_title_of_a_skill(text, is_found):
    assert list_loose({".claude/skills/count.md": text}) == [("CLAUDE.md", (".claude/skills/count.md",))] * is_found
    assert list_loose({".claude/skills/count.md": text, ".claude/skills/count/SKILL.md": SKILL}) == []


def test_text_for_people_is_left_alone():
    project = make_project({"CLAUDE.md": "# Birds\n", ".claude/skills/README.md": SKILL})
    assert find_loose_skills(project) == ()
