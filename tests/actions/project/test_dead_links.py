"""Test that a link is dead only if its target exists in no folder that it may be relative to."""

import pytest
from msgspec.structs import replace

from actions.project.dead_links import find_dead_links
from actions.project.find_units import find_units
from actions.skill.skill import SkillFile
from tests.examples import make_project

PLUGIN = {
    "birds/.claude-plugin/plugin.json": '{"name": "birds"}',
    "birds/docs/list.md": "x",
    "birds/agents/owl.md": "",
    "docs/top.md": "x",
    "sub/.claude/commands/count.md": "",
    "sub/notes.md": "x",
    "CLAUDE.md": "",
}


def list_dead(path, *targets, project=None):
    project = project or make_project(PLUGIN)
    (unit,) = (unit for unit in find_units(project) if unit.path == path)
    text = "\n".join(f"See [it]({target})." for target in targets)
    return [link.target for link in find_dead_links(project, unit, SkillFile(path, text.encode()))]


@pytest.mark.parametrize(
    ("path", "target"),
    [
        ("CLAUDE.md", "docs/none.md"),
        ("CLAUDE.md", "ledger/today.md"),
        ("birds/agents/owl.md", "../docs/none.md"),
        ("birds/agents/owl.md", "docs/none.md"),
        ("sub/.claude/commands/count.md", "../none.md"),
    ],
)
def test_link_without_a_target_is_dead(path, target):
    assert list_dead(path, target) == [target]


def test_links_with_a_target_are_not_dead():
    assert list_dead("CLAUDE.md", "docs/top.md", "docs/", "./docs/top.md#a", "https://a.b/c.md", "#a") == []
    assert list_dead("birds/agents/owl.md", "../docs/list.md", "docs/list.md", "docs/top.md") == []
    assert list_dead("sub/.claude/commands/count.md", "notes.md", "docs/top.md", "../../notes.md") == []


def test_links_that_may_lead_elsewhere_are_not_dead():
    assert list_dead("CLAUDE.md", "../../other/a.md", "dist/a.js", "docs/NNN.md", "path/to/a.md") == []
    assert list_dead("birds/agents/owl.md", "ledger/today.md", "today.md") == []


def test_ignored_and_unread_targets_are_not_dead():
    project = replace(make_project(PLUGIN), ignored=frozenset({"local"}), unread=frozenset({"module"}))
    assert list_dead("CLAUDE.md", "local/a.md", "module/deep/a.md", project=project) == []


def test_folder_of_links_exists():
    project = replace(make_project(PLUGIN), unread=frozenset({"linked/skills/count"}))
    assert list_dead("CLAUDE.md", "linked/", "linked/skills/", "linked/other/", project=project) == ["linked/other/"]
