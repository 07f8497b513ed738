"""Test the search for skills that changed since a commit."""

import os
import shutil
import subprocess
import tempfile
from contextlib import suppress
from pathlib import Path

import pytest

from orchestrator.engine.git_changes import find_changed
from orchestrator.errors import BadInput
from orchestrator.fs.git import ask_git


@pytest.fixture(scope="module")
def original(tmp_path_factory):
    """Return a repository with three skills and a tag `start`."""
    folder = tmp_path_factory.mktemp("original")
    for name in ("avocet", "plover", "stilt"):
        (folder / "skills" / name / "references").mkdir(parents=True)
        (folder / "skills" / name / "SKILL.md").write_text(f"# {name}\n")
        (folder / "skills" / name / "references" / "a.md").write_text("# A\n")
    git(folder, "init")
    commit(folder, "start")
    git(folder, "tag", "start")
    return folder


@pytest.fixture
def repository(original, tmp_path):
    """Return a copy of the repository."""
    return shutil.copytree(original, tmp_path / "repository")


def git(folder, *arguments):
    identity = (
        "-c",
        "user.name=a",
        "-c",
        "user.email=a@b.c",
        "-c",
        "commit.gpgsign=false",
        "-c",
        "init.defaultBranch=main",
    )
    subprocess.run(["git", *identity, *arguments], cwd=folder, check=True, capture_output=True)


def commit(folder, message):
    git(folder, "add", "-A")
    git(folder, "commit", "-m", message)


def changed(folder, rev, *shared):
    skills = sorted(str(path) for path in (folder / "skills").iterdir())
    return [path.rpartition("/")[2] for path in find_changed(rev, skills, shared)]


def test_unchanged_skills_are_left_out(repository):
    assert changed(repository, "HEAD") == changed(repository, "start") == []


@pytest.mark.parametrize("staged", [False, True])
def test_new_renamed_or_deleted_file_changes_its_skill(repository, staged):
    skills = repository / "skills"
    (skills / "avocet" / "SKILL.md").write_text("# Other\n")
    (skills / "plover" / "references" / "new \u00e9\n.md").write_text("# New\n")
    (skills / "stilt" / "references" / "a.md").rename(repository / "a.md")
    if staged:
        git(repository, "add", "-A")
    assert changed(repository, "HEAD") == ["avocet", "plover", "stilt"]


@pytest.mark.parametrize(("text", "others"), [("See SKILL.md.", []), ("See [it](../plover/SKILL.md).", ["stilt"])])
def test_name_that_each_skill_has_means_its_own_file(repository, text, others):
    (repository / "skills" / "stilt" / "SKILL.md").write_text(text)
    commit(repository, "stilt")
    (repository / "skills" / "plover" / "SKILL.md").write_text("# Plover\n")
    git(repository, "add", "-A")
    assert changed(repository, "HEAD") == ["plover", *others]


def test_ignored_files_change_nothing(repository):
    (repository / ".gitignore").write_text("*.log\n")
    (repository / "skills" / "avocet" / "x.log").write_text("x")
    assert changed(repository, "HEAD") == []


def test_only_own_side_of_a_branch_counts(repository):
    git(repository, "checkout", "-b", "topic")
    (repository / "skills" / "avocet" / "SKILL.md").write_text("# Topic\n")
    commit(repository, "topic")
    git(repository, "checkout", "main")
    (repository / "skills" / "plover" / "SKILL.md").write_text("# Main\n")
    commit(repository, "main")
    git(repository, "checkout", "topic")
    assert changed(repository, "main") == ["avocet"]


def test_unrelated_history_is_compared_directly(repository):
    git(repository, "checkout", "--orphan", "other")
    (repository / "skills" / "stilt" / "SKILL.md").write_text("# Other\n")
    commit(repository, "other")
    assert changed(repository, "start") == ["stilt"]


def test_shared_file_changes_all_skills(repository):
    settings = repository / "tune-skill.toml"
    settings.write_text('ignore = ["CTX"]\n')
    assert changed(repository, "HEAD") == []
    assert changed(repository, "HEAD", settings) == ["avocet", "plover", "stilt"]


@pytest.mark.parametrize(
    "rev", ["nowhere", "", "--output=owned", "-h", "start..HEAD", "HEAD^{tree}", "$(touch owned)", "a\nb"]
)
def test_unknown_commit_is_bad_input_and_never_an_option(repository, rev):
    with pytest.raises(BadInput, match="unknown commit in"):
        changed(repository, rev)
    assert not list(repository.rglob("owned"))


def test_skill_outside_a_repository_is_bad_input(tmp_path):
    (tmp_path / "lone").mkdir()
    (tmp_path / "lone" / "SKILL.md").write_text("# Lone\n")
    with pytest.raises(BadInput, match="not in a git repository"):
        find_changed("HEAD", [str(tmp_path / "lone")])


def test_missing_git_is_reported(repository, monkeypatch):
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(BadInput, match="install git"):
        changed(repository, "HEAD")


def test_argument_without_skill_is_returned(repository):
    assert find_changed("HEAD", [str(repository / "nowhere")]) == [str(repository / "nowhere")]


@pytest.fixture
def program(tmp_path):
    """Return a program that creates a file when it is started."""
    file = tmp_path / "evil"
    file.write_text(f"#!/bin/sh\ntouch {tmp_path}/owned\nexit 1\n")
    file.chmod(0o755)
    return str(file)


def _filtered(how):
    def prepare(folder, program):
        (folder / ".git" / "info" / "attributes").write_text("* filter=e\n")
        git(folder, "config", f"filter.e.{how}", program)

    return prepare


def _diffed(folder, program):
    (folder / ".git" / "info" / "attributes").write_text("* diff=e\n")
    for name in ("diff.external", "diff.e.textconv", "diff.e.command", "core.pager", "pager.ls-tree"):
        git(folder, "config", name, program)


def _watched(folder, program):
    git(folder, "config", "core.fsmonitor", program)


def _hooked(folder, program):
    (folder / ".git" / "hooks" / "post-index-change").symlink_to(program)


def _promised(url, *settings):
    """Remove the commit `start`, and configure git to fetch missing objects with this program."""

    def prepare(folder, program):
        (folder / "skills" / "stilt" / "SKILL.md").write_text("# Other\n")
        commit(folder, "second")
        gone = subprocess.check_output(["git", "rev-parse", "start"], cwd=folder, text=True).strip()
        (folder / ".git" / "objects" / gone[:2] / gone[2:]).unlink()
        values = {
            "core.repositoryformatversion": "1",
            "extensions.partialClone": "o",
            "remote.o.promisor": "true",
            "remote.o.url": url.format(program=program, folder=folder),
            **{name: "always" if name.startswith("protocol") else program for name in settings},
        }
        for name, value in values.items():
            git(folder, "config", name, value)

    return prepare


@pytest.mark.parametrize(
    "prepare",
    [
        pytest.param(prepare, id=id)
        for id, prepare in {
            "filter.clean": _filtered("clean"),
            "filter.process": _filtered("process"),
            "external diff, textconv, pager": _diffed,
            "fsmonitor": _watched,
            "hook": _hooked,
            "upload-pack of the promisor": _promised("{folder}", "remote.o.uploadpack", "protocol.file.allow"),
            "helper of the promisor": _promised("ext::{program}", "protocol.ext.allow"),
            "ssh of the promisor": _promised("ssh://a/b", "core.sshCommand", "protocol.ssh.allow"),
        }.items()
    ],
)
def test_git_starts_no_program_of_the_repository(repository, program, tmp_path, prepare):
    prepare(repository, program)
    # only its timestamp shows that it was written
    (repository / "skills" / "avocet" / "SKILL.md").write_text("# Avocet\n")
    with suppress(BadInput):
        changed(repository, "start")
    assert not (tmp_path / "owned").exists()


def test_skill_shaped_like_a_bare_repository_is_a_folder(repository, program, tmp_path):
    skill = repository / "skills" / "avocet"
    git(repository, "init", "--bare", str(tmp_path / "bare"))
    shutil.copytree(tmp_path / "bare", skill, dirs_exist_ok=True)
    (skill / "config").write_text(f'[core]\nworktree = .\nfsmonitor = {program}\n[filter "e"]\nclean = {program}\n')
    (skill / ".gitattributes").write_text("* filter=e\n")
    subprocess.run(["git", "add", "SKILL.md"], cwd=skill, env={**os.environ, "GIT_DIR": "."}, check=True)
    (skill / "SKILL.md").write_text("# Avocet\n")
    (tmp_path / "owned").unlink()
    assert changed(repository, "start") == ["avocet"]
    assert not (tmp_path / "owned").exists()


def test_repository_with_foreign_worktree_is_not_asked(repository, tmp_path):
    git(repository, "config", "core.worktree", str(tmp_path))
    with pytest.raises(BadInput, match="point to another working tree"):
        changed(repository, "HEAD")


def test_git_is_asked_without_a_temporary_folder(repository, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", "/nowhere")
    assert changed(repository, "HEAD") == []
    with pytest.raises(BadInput, match="git failed"):
        ask_git(repository, "ls-files", "--no-such-option")


def test_pipe_in_a_repository_times_out(repository, monkeypatch):
    monkeypatch.setattr("orchestrator.fs.git_process.SECONDS", 0.5)
    os.mkfifo(repository / "skills" / ".gitignore")
    with pytest.raises(BadInput, match="did not answer"):
        changed(repository, "HEAD")


def test_git_tree_bomb_costs_no_memory(repository, monkeypatch):
    monkeypatch.setattr("orchestrator.fs.git_process.MAX_BYTES", 1_000_000)
    entry = "100644 blob " + git_says(repository, "hash-object", "-w", "skills/avocet/SKILL.md")
    for _ in range(9):
        lines = "".join(f"{entry}\t{name}\n" for name in "abcdefghij")
        entry = "040000 tree " + git_says(repository, "mktree", given=lines)
    beside = committed(repository, entry)
    assert changed(repository, beside) == ["avocet", "plover", "stilt"], "what lies elsewhere is not listed"
    for name in ("avocet", "skills"):
        entry = "040000 tree " + git_says(repository, "mktree", given=f"{entry}\t{name}\n")
    with pytest.raises(BadInput, match="git printed more than 1,000,000 bytes"):
        changed(repository, committed(repository, entry))


def committed(folder, tree):
    return git_says(folder, "-c", "user.name=a", "-c", "user.email=b", "commit-tree", tree.split()[2], "-m", "bomb")


def git_says(folder, *arguments, given=""):
    return subprocess.run(
        ["git", *arguments], cwd=folder, input=given, capture_output=True, text=True, check=True
    ).stdout.strip()


def test_pipes_and_huge_files_are_not_read(repository):
    skills = repository / "skills"
    (skills / "plover" / "references" / "a.md").unlink()
    os.mkfifo(skills / "plover" / "references" / "a.md")
    with (skills / "stilt" / "references" / "a.md").open("wb") as file:
        file.truncate(10_000_000_000)
    assert changed(repository, "HEAD") == ["plover", "stilt"]


def test_link_is_its_target_and_submodule_its_commit(repository):
    skill = repository / "skills" / "avocet"
    (skill / "link.md").symlink_to("references/a.md")
    git(repository, "init", str(skill / "inner"))
    git(skill / "inner", "commit", "--allow-empty", "-m", "inner")
    commit(repository, "second")
    assert changed(repository, "HEAD") == []
    git(skill / "inner", "commit", "--allow-empty", "-m", "inner again")
    assert changed(repository, "HEAD") == ["avocet"]
    git(skill / "inner", "reset", "--hard", "HEAD~1")
    (skill / "link.md").unlink()
    (skill / "link.md").symlink_to("SKILL.md")
    assert changed(repository, "HEAD") == ["avocet"]


def test_only_one_file_starts_git():
    house = Path(__file__).parents[3]
    ways = ('["git"', 'program("git")')
    files = (house / "orchestrator").rglob("*.py")
    starting = [path.name for path in files if any(way in path.read_text() for way in ways)]
    assert starting == ["git.py"]


def test_git_in_a_hook_ignores_the_hooks_environment(repository, monkeypatch, tmp_path):
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "elsewhere"))
    monkeypatch.setenv("GIT_INDEX_FILE", str(tmp_path / "elsewhere" / "index"))
    assert changed(repository, "start") == []


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
    git(root, "init")
    commit(root, "start")
    git(root, "tag", "start")
    return root


UNITS = ("skills/count", "hooks/hooks.json", "CLAUDE.md", ".claude-plugin/plugin.json")


def depending(root):
    found = find_changed("start", [str(root / unit) for unit in UNITS])
    return {os.path.relpath(path, root) for path in found}


@pytest.mark.parametrize("is_committed", [False, True])
def test_a_lost_mode_changes_the_hooks_that_name_the_script(plugin, is_committed):
    (plugin / "scripts/guard.sh").chmod(0o644)
    git(plugin, "add", "-A")
    if is_committed:
        git(plugin, "commit", "-m", "mode")
    assert depending(plugin) == {"hooks/hooks.json", ".claude-plugin/plugin.json"}


def test_a_renamed_skill_changes_the_manifest(plugin):
    git(plugin, "mv", "skills/count/SKILL.md", "skills/count/skill.md")
    commit(plugin, "rename")
    assert ".claude-plugin/plugin.json" in depending(plugin)


@pytest.mark.parametrize("is_staged", [False, True])
def test_a_deleted_target_changes_the_text_with_the_link(plugin, is_staged):
    (plugin / "docs/plan.md").unlink()
    if is_staged:
        git(plugin, "add", "-A")
    assert depending(plugin) == {"CLAUDE.md", ".claude-plugin/plugin.json"}


def test_a_file_that_nothing_names_changes_nothing_but_the_set_of_files(plugin):
    (plugin / "notes.txt").write_text("New.")
    commit(plugin, "notes")
    assert depending(plugin) == {".claude-plugin/plugin.json"}
    git(plugin, "tag", "-f", "start")
    (plugin / "notes.txt").write_text("Newer.")
    commit(plugin, "notes")
    assert depending(plugin) == set()
