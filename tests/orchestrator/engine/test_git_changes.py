"""Test the search for skills that changed since a commit."""

import os
from pathlib import Path

import pytest

from orchestrator.engine.git_changes import find_changed_units, find_staged_units
from orchestrator.errors import BadInput
from tests.orchestrator.engine.repositories import commit_all, list_changed_skills, run_git


def test_unchanged_skills_are_left_out(repository):
    assert list_changed_skills(repository, "HEAD") == list_changed_skills(repository, "start") == []


@pytest.mark.parametrize("staged", [False, True])
def test_new_renamed_or_deleted_file_changes_its_skill(repository, staged):
    skills = repository / "skills"
    (skills / "avocet" / "SKILL.md").write_text("# Other\n")
    (skills / "plover" / "references" / "new \u00e9\n.md").write_text("# New\n")
    (skills / "stilt" / "references" / "a.md").rename(repository / "a.md")
    if staged:
        run_git(repository, "add", "-A")
    assert list_changed_skills(repository, "HEAD") == ["avocet", "plover", "stilt"]


@pytest.mark.parametrize(("text", "others"), [("See SKILL.md.", []), ("See [it](../plover/SKILL.md).", ["stilt"])])
def test_file_name_common_to_all_skills_means_the_own_file(repository, text, others):
    (repository / "skills" / "stilt" / "SKILL.md").write_text(text)
    commit_all(repository, "stilt")
    (repository / "skills" / "plover" / "SKILL.md").write_text("# Plover\n")
    run_git(repository, "add", "-A")
    assert list_changed_skills(repository, "HEAD") == ["plover", *others]


def test_ignored_files_change_nothing(repository):
    (repository / ".gitignore").write_text("*.log\n")
    (repository / "skills" / "avocet" / "x.log").write_text("x")
    assert list_changed_skills(repository, "HEAD") == []


def test_only_own_side_of_a_branch_counts(repository):
    run_git(repository, "checkout", "-b", "topic")
    (repository / "skills" / "avocet" / "SKILL.md").write_text("# Topic\n")
    commit_all(repository, "topic")
    run_git(repository, "checkout", "main")
    (repository / "skills" / "plover" / "SKILL.md").write_text("# Main\n")
    commit_all(repository, "main")
    run_git(repository, "checkout", "topic")
    assert list_changed_skills(repository, "main") == ["avocet"]


def test_unrelated_history_is_compared_directly(repository):
    run_git(repository, "checkout", "--orphan", "other")
    (repository / "skills" / "stilt" / "SKILL.md").write_text("# Other\n")
    commit_all(repository, "other")
    assert list_changed_skills(repository, "start") == ["stilt"]


def test_shared_file_changes_all_skills(repository):
    settings = repository / "tune-skill.toml"
    settings.write_text('ignore = ["CTX"]\n')
    assert list_changed_skills(repository, "HEAD") == []
    assert list_changed_skills(repository, "HEAD", settings) == ["avocet", "plover", "stilt"]


@pytest.mark.parametrize(
    "rev", ["nowhere", "", "--output=owned", "-h", "start..HEAD", "HEAD^{tree}", "$(touch owned)", "a\nb"]
)
def test_unknown_commit_is_bad_input_and_never_an_option(repository, rev):
    with pytest.raises(BadInput, match="unknown commit in"):
        list_changed_skills(repository, rev)
    assert not list(repository.rglob("owned"))


def test_skill_outside_a_repository_is_bad_input(tmp_path):
    (tmp_path / "lone").mkdir()
    (tmp_path / "lone" / "SKILL.md").write_text("# Lone\n")
    with pytest.raises(BadInput, match="not in a git repository"):
        find_changed_units("HEAD", [str(tmp_path / "lone")])


def test_missing_git_is_reported(repository, monkeypatch):
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(BadInput, match="install git"):
        list_changed_skills(repository, "HEAD")


def test_argument_without_skill_is_returned(repository):
    assert find_changed_units("HEAD", [str(repository / "nowhere")]) == [str(repository / "nowhere")]


def test_link_is_its_target_and_submodule_its_commit(repository):
    skill = repository / "skills" / "avocet"
    (skill / "link.md").symlink_to("references/a.md")
    run_git(repository, "init", str(skill / "inner"))
    run_git(skill / "inner", "commit", "--allow-empty", "-m", "inner")
    commit_all(repository, "second")
    assert list_changed_skills(repository, "HEAD") == []
    run_git(skill / "inner", "commit", "--allow-empty", "-m", "inner again")
    assert list_changed_skills(repository, "HEAD") == ["avocet"]
    run_git(skill / "inner", "reset", "--hard", "HEAD~1")
    (skill / "link.md").unlink()
    (skill / "link.md").symlink_to("SKILL.md")
    assert list_changed_skills(repository, "HEAD") == ["avocet"]


@pytest.fixture
def plugin(tmp_path):
    """Return a plugin in a repository with a tag `start`: a skill, hooks, a manifest, and texts that mention them."""
    root = tmp_path / "plugin"
    files = {
        ".claude-plugin/plugin.json": "{}",
        "CLAUDE.md": "Read [the plan](docs/plan.md).\n",
        "docs/plan.md": "# Plan\n",
        "hooks/hooks.json": '{"hooks": {"Stop": [{"hooks": [{"command": "${CLAUDE_PLUGIN_ROOT}/scripts/guard.sh"}]}]}}',
        "scripts/guard.sh": "#!/bin/sh\n",
        "skills/count/SKILL.md": "# Count\n",
    }
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    (root / "scripts/guard.sh").chmod(0o755)
    run_git(root, "init")
    commit_all(root, "start")
    run_git(root, "tag", "start")
    return root


UNITS = ("skills/count", "hooks/hooks.json", "CLAUDE.md", ".claude-plugin/plugin.json")


def list_changed_units(root):
    changed_paths = find_changed_units("start", [str(root / unit) for unit in UNITS])
    return {os.path.relpath(path, root) for path in changed_paths}


@pytest.mark.parametrize("is_committed", [False, True])
def test_lost_mode_changes_the_hooks_that_name_the_script(plugin, is_committed):
    (plugin / "scripts/guard.sh").chmod(0o644)
    run_git(plugin, "add", "-A")
    if is_committed:
        run_git(plugin, "commit", "-m", "mode")
    assert list_changed_units(plugin) == {"hooks/hooks.json", ".claude-plugin/plugin.json"}


def test_renamed_skill_changes_the_manifest(plugin):
    run_git(plugin, "mv", "skills/count/SKILL.md", "skills/count/skill.md")
    commit_all(plugin, "rename")
    assert ".claude-plugin/plugin.json" in list_changed_units(plugin)


@pytest.mark.parametrize("is_staged", [False, True])
def test_deleted_target_changes_the_text_with_the_link(plugin, is_staged):
    (plugin / "docs/plan.md").unlink()
    if is_staged:
        run_git(plugin, "add", "-A")
    assert list_changed_units(plugin) == {"CLAUDE.md", ".claude-plugin/plugin.json"}


def test_file_that_nothing_names_changes_no_unit(plugin):
    (plugin / "notes.txt").write_text("New.")
    commit_all(plugin, "notes")
    assert list_changed_units(plugin) == {".claude-plugin/plugin.json"}
    run_git(plugin, "tag", "-f", "start")
    (plugin / "notes.txt").write_text("Newer.")
    commit_all(plugin, "notes")
    assert list_changed_units(plugin) == set()


@pytest.mark.parametrize("object_format", ["sha1", "sha256"])
@pytest.mark.parametrize("has_commit", [True, False])
def test_file_that_is_only_intended_to_be_added_is_not_staged(tmp_path, monkeypatch, object_format, has_commit):
    """A commit contains neither the file of `git add -N` nor the old content of one that was removed before."""
    monkeypatch.chdir(tmp_path)
    run_git(tmp_path, "init", f"--object-format={object_format}")
    units = [str(tmp_path / name) for name in ("empty.md", "intended.md", "removed.md", "staged.md")]
    Path("removed.md").write_text("Old.")
    Path("was-empty.md").touch()
    if has_commit:
        commit_all(tmp_path, "start")
    for unit in units:
        Path(unit).write_text("" if unit.endswith("empty.md") else "New.")
    run_git(tmp_path, "add", "empty.md", "staged.md")
    if has_commit:
        run_git(tmp_path, "rm", "--cached", "removed.md")
    run_git(tmp_path, "add", "-N", "intended.md", "removed.md")
    staged = [Path(unit).name for unit in find_staged_units(units)]
    assert staged == ["empty.md", *(["removed.md"] if has_commit else []), "staged.md"]
    run_git(tmp_path, "add", "intended.md")
    assert str(tmp_path / "intended.md") in find_staged_units(units)
