"""Test finding the skills that an argument means: a path, a name, or a folder of skills."""

import pytest

from orchestrator.errors import BadInput
from orchestrator.fleet.scan_task import find_skills
from orchestrator.project.skill_finder import find_skill, find_skills_below
from orchestrator.project.targets import find_targets
from tests.fakes import SKILL_HEADER, write_skill


@pytest.fixture
def skill(tmp_path):
    return write_skill(tmp_path / "plover", references__list="# List\n")


def test_folder_and_files_inside_name_the_skill(skill):
    for argument in (skill, skill / "SKILL.md", skill / "references" / "list.md"):
        assert find_skill(str(argument)).resolve() == skill


def test_name_is_found_in_project_before_user_folder(tmp_path, monkeypatch):
    home, project = tmp_path / "home", tmp_path / "project"
    for folder in (home / "skills", project / ".claude" / "skills"):
        (folder / "plover").mkdir(parents=True)
        (folder / "plover" / "SKILL.md").write_text("---\nname: plover\n---\nCount.\n")
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(home))
    monkeypatch.chdir(project)
    assert find_skill("plover").resolve() == project / ".claude" / "skills" / "plover"
    monkeypatch.chdir(tmp_path)
    assert find_skill("plover") == home / "skills" / "plover"
    (tmp_path / "plover").mkdir()
    for name in ("plover", "knot", "kn\0ot", "x" * 300):
        with pytest.raises(BadInput):
            find_skill(name)


def test_name_is_found_from_any_folder_of_the_project(tmp_path, monkeypatch):
    skill, deep_folder = tmp_path / ".claude" / "skills" / "plover", tmp_path / "src" / "deep"
    for folder in (skill, deep_folder, tmp_path / ".git"):
        folder.mkdir(parents=True)
    (skill / "SKILL.md").write_text("---\nname: plover\n---\nCount.\n")
    monkeypatch.chdir(deep_folder)
    assert find_skill("plover") == skill
    with pytest.raises(BadInput, match=r"^plovr: no such file or folder; did you mean plover\?$"):
        find_skill("plovr")


def test_misspelt_skill_gets_a_suggestion(tmp_path, monkeypatch):
    for name in ("birds/plover", "birds/dunlin"):
        (tmp_path / name).mkdir(parents=True)
        (tmp_path / name / "SKILL.md").write_text("---\nname: plover\n---\nCount.\n")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(BadInput, match=r"; did you mean birds/plover\?$"):
        find_skill("birds/plovr")
    for folder in ("birds", "birds/"):
        with pytest.raises(BadInput, match=r"; name one of the skills in it: birds/dunlin, birds/plover$"):
            find_skill(folder)


@pytest.mark.parametrize("name", [".claude/skills", "./.claude/skills/", ".claude", "/.claude/skills"])
def test_missing_default_folder_suggests_the_whole_project(tmp_path, monkeypatch, name):
    (tmp_path / ".git").mkdir()
    write_skill(tmp_path / "plugins" / "birds" / "skills" / "plover")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(
        BadInput, match=r"no such file or folder; the project has its units in other folders: give `\.`"
    ):
        find_skill(f"{tmp_path}{name}" if name.startswith("/") else name)


@pytest.mark.parametrize("name", ["nowhere", "no\0where", "x" * 300, "", "empty"])
def test_folder_without_skill_is_bad_input(tmp_path, name):
    (tmp_path / "empty").mkdir()
    with pytest.raises(BadInput) as error:
        find_skill(str(tmp_path / name))
    assert "\n" not in str(error.value)


def test_skills_below_a_folder_include_links_to_skills(tmp_path):
    linked_skill = write_skill(tmp_path / "all" / "one")
    two = write_skill(tmp_path / "all" / "group" / "two")
    write_skill(tmp_path / "all" / "node_modules" / "vendored")
    write_skill(tmp_path / "all" / ".workflow" / "backup")
    (linked_skill / "inner").mkdir()
    (linked_skill / "inner" / "SKILL.md").write_text(SKILL_HEADER)
    elsewhere = write_skill(tmp_path / "elsewhere")
    (tmp_path / "all" / "linked").symlink_to(elsewhere)
    (tmp_path / "all" / "round").symlink_to(tmp_path / "all")
    assert find_skills_below(tmp_path / "all") == [two, tmp_path / "all" / "linked", linked_skill]
    assert find_skills_below(linked_skill) == []
    for path in (tmp_path / "nowhere", tmp_path / ("x" * 300), linked_skill / "SKILL.md"):
        assert find_skills_below(path) == []


@pytest.mark.parametrize("marker", [".git", ".claude"])
def test_skill_linked_out_of_the_project_is_refused(tmp_path, marker):
    outside_skill = write_skill(tmp_path / "mine")
    project = tmp_path / "project"
    (project / marker).mkdir(parents=True)
    (project / "alias").symlink_to(outside_skill)
    with pytest.raises(BadInput, match="a link out of its project; give the folder that it points to"):
        find_skill(str(project / "alias"))
    assert find_skills([str(project)])[0] == [project / "alias"], "the fleet reports it, and does not follow it"
    assert find_skill(str(outside_skill)) == outside_skill


def test_links_within_project_and_home_are_followed(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    project = tmp_path / "project"
    (project / ".git").mkdir(parents=True)
    shared_skill = write_skill(project / "shared" / "plover")
    for folder in (project / "part" / ".claude" / "skills", tmp_path / "home" / ".claude" / "skills"):
        folder.mkdir(parents=True)
        (folder / "plover").symlink_to(shared_skill)
        assert find_skill(str(folder / "plover")) == folder / "plover"


def test_skill_md_in_other_case_is_suggested(tmp_path):
    (tmp_path / "skill.md").write_text("# Small\n")
    with pytest.raises(BadInput, match=r"no SKILL\.md in this folder; found skill\.md: rename it to SKILL\.md"):
        find_skill(str(tmp_path))


def test_root_of_a_plugin_hides_no_units(tmp_path):
    root, skill = write_skill(tmp_path / "birds"), write_skill(tmp_path / "birds" / "skills" / "plover")
    (root / "agents").mkdir()
    (root / "agents" / "counter.md").write_text("---\nname: counter\ndescription: Counts.\n---\n\nCount.\n")
    assert find_targets([str(root)]).paths == [root]
    (root / ".claude-plugin").mkdir()
    (root / ".claude-plugin" / "plugin.json").write_text('{"name": "birds"}')
    units = [root / ".claude-plugin/plugin.json", root / "agents/counter.md"]
    assert find_targets([str(root)]).paths == [root, skill, *units]
    assert find_skills_below(tmp_path) == [root, skill]


def test_skill_in_the_root_of_a_project_hides_no_units(tmp_path):
    root = write_skill(tmp_path / "birds")
    (root / "CLAUDE.md").write_text("# Birds\n")
    write_skill(root / "examples" / "plover")
    assert find_targets([str(root)]).paths == [root]
    own = write_skill(root / ".claude" / "skills" / "tern")
    command = root / ".claude" / "commands" / "count.md"
    command.parent.mkdir()
    command.write_text("Count.\n")
    assert find_targets([str(root)]).paths == [root, own, command, root / "CLAUDE.md"]
    assert find_skills_below(tmp_path) == [root, own]


def test_memory_file_beside_a_skill_is_checked_in_the_root_of_a_repository(tmp_path):
    root = write_skill(tmp_path / "birds")
    (root / ".git").mkdir()
    assert find_targets([str(root)]).paths == [root]
    (root / "CLAUDE.md").write_text("# Birds\n")
    assert find_targets([str(root)]).paths == [root, root / "CLAUDE.md"]
