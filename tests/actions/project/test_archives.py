"""Test which units of a project count as archived, and that they are diagnosed only if an argument names them."""

import pytest

from actions.project.archives import is_archive
from actions.project.find_units import find_archived_units, find_units
from actions.project.project import Project
from orchestrator.project.projects import Projects
from orchestrator.project.targets import find_targets
from tests.fakes import write_skill

AGENT = b"---\nname: counter\ndescription: Counts.\n---\n\nCount.\n"
MANIFEST = b'{"name": "counting"}'


@pytest.mark.parametrize(
    "folder",
    [
        "backups",
        "a/deleted-skills-20260111",
        "old",
        "skills_old",
        "plugin-backups",
        "x/.trash",
        "skills/backup-2025-10-20",
    ],
)
def test_folder_with_an_archive_name_is_an_archive(folder):
    assert is_archive(folder)


@pytest.mark.parametrize("folder", ["database-backup", "skills/backup", "old-testament", "golden", "skills"])
def test_folder_with_a_topic_is_no_archive(folder):
    assert not is_archive(folder)


def list_archived(files):
    project = Project("p", dict.fromkeys(files, 1), files.get)
    archived = [unit.path for unit in find_archived_units(project)]
    assert not {*archived} & {unit.path for unit in find_units(project)}
    return archived


def test_unloaded_units_in_archives_are_archived():
    skill, agent = "backups/count/SKILL.md", "old/counting/agents/counter.md"
    manifest = "old/counting/.claude-plugin/plugin.json"
    files = {skill: b"Count.\n", agent: AGENT, manifest: MANIFEST, "skills/count/SKILL.md": b"Count.\n"}
    assert list_archived(files) == [skill, manifest, agent]


@pytest.mark.parametrize(
    "files",
    [
        {"plugins/backup/.claude-plugin/plugin.json": MANIFEST, "plugins/backup/skills/count/SKILL.md": b"Count.\n"},
        {"p/.claude-plugin/plugin.json": MANIFEST, "p/agents/old/counter.md": AGENT},
        {".claude/agents/old/counter.md": AGENT},
        {
            ".claude-plugin/marketplace.json": b'{"plugins": [{"name": "c", "source": "./old/c"}]}',
            "old/c/agents/counter.md": AGENT,
        },
    ],
    ids=["a plugin's name", "a folder of agents", "a folder below .claude", "listed in a marketplace"],
)
def test_units_that_claude_code_loads_are_not_archived(files):
    assert list_archived(files) == []


def test_archived_units_are_left_out_with_a_note_unless_named(tmp_path):
    archived = write_skill(tmp_path / "backups/deleted-skills-20260111/count", "Count.\n")
    memory = tmp_path / "backups/CLAUDE.md"
    memory.write_text("Count.\n")
    skill = write_skill(tmp_path / "skills/count", "Count.\n")
    (tmp_path / ".git").mkdir()
    projects = Projects()
    assert find_targets([str(tmp_path)], (), projects).paths == [skill]
    (note,) = projects.list_notes()
    assert "2 units in archives not checked (backups/, backups/deleted-skills-20260111/)" in note
    assert {*find_targets([str(tmp_path / "backups")], (), Projects()).paths} == {archived, memory}
    assert find_targets([str(memory)], (), Projects()).paths == [memory]
    assert find_targets([str(archived)], (), projects).paths == [archived]
