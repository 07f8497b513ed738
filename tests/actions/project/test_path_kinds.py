"""Test that a path in a manifest is of the wrong kind only if Claude Code loads nothing from it."""

import json

import pytest

from actions.project.find_units import find_units
from actions.project.path_kinds import find_wrong_kinds
from tests.examples import make_project

TEXT = "---\nname: count\ndescription: Counts birds.\n---\n\nCount.\n"
FILES = {
    "extra/count.md": TEXT,
    "extra/sort/SKILL.md": TEXT,
    "extra/run.txt": "",
    "loose/count.md": TEXT,
    "notes/a.md": "# Notes\n",
    "hooks.json": "{}",
}


def list_wrong(manifest, files=FILES):
    project = make_project({".claude-plugin/plugin.json": json.dumps({"name": "birds", **manifest}), **files})
    wrong = (wrong for unit in find_units(project) for wrong in find_wrong_kinds(project, unit))
    return [(wrong.word, wrong.loses_plugin, wrong.is_harmless) for wrong in wrong]


@pytest.mark.parametrize(
    ("key", "path", "loses_plugin"),
    [
        ("skills", "./extra/count.md", False),
        ("skills", "./extra/sort/SKILL.md", False),
        ("skills", "./loose", False),
        ("commands", "./extra/run.txt", False),
        ("hooks", "./extra/", True),
        ("hooks", "./extra/run.txt", True),
        ("mcpServers", "./extra/run.txt", True),
        ("lspServers", "./extra/", True),
    ],
)
def test_path_of_the_wrong_kind_is_found(key, path, loses_plugin):
    assert list_wrong({key: [path]}) == list_wrong({key: path}) == [(path, loses_plugin, False)]


@pytest.mark.parametrize(
    ("key", "path"),
    [
        ("skills", "./extra"),
        ("skills", "./extra/sort"),
        ("skills", "./notes"),
        ("skills", "./gone.md"),
        ("commands", "./extra/count.md"),
        ("commands", "./loose/"),
        ("agents", "./extra/count.md"),
        ("hooks", "./hooks.json"),
        ("hooks", "../hooks"),
        ("mcpServers", "./a.mcpb"),
        ("mcpServers", "https://a.example/b.mcpb"),
    ],
)
def test_other_paths_are_left_alone(key, path):
    assert list_wrong({key: path}) == []


def test_file_of_a_skill_that_is_loaded_from_elsewhere_is_harmless():
    files = {"skills/count/SKILL.md": TEXT, **FILES}
    assert list_wrong({"skills": ["./extra/count.md", "./skills/count/SKILL.md", "./extra/sort/SKILL.md"]}, files) == [
        ("./extra/count.md", False, True),
        ("./skills/count/SKILL.md", False, True),
        ("./extra/sort/SKILL.md", False, False),
    ]


def test_folder_of_commands_under_skills_is_left_alone():
    assert list_wrong({"skills": ["./commands"]}, {"commands/count.md": TEXT}) == []


def test_path_of_an_entry_is_checked():
    entry = {"name": "owls", "source": "./owls", "skills": ["./x/count.md"]}
    market = {".claude-plugin/marketplace.json": json.dumps({"name": "m", "plugins": [entry]})}
    assert list_wrong({}, {**market, "owls/x/count.md": TEXT}) == [("./x/count.md", False, False)]
