"""Test the search for skills that changed since a commit."""

import os
import shutil
import subprocess
import tempfile
from contextlib import suppress
from pathlib import Path

import pytest

from orchestrator.engine.git_changes import find_changed_units, find_staged_units
from orchestrator.errors import BadInput
from orchestrator.fs.git import ask_git


@pytest.fixture(scope="module")
def repository_template(tmp_path_factory):
    """Return a repository with three skills and a tag `start`."""
    folder = tmp_path_factory.mktemp("original")
    for name in ("avocet", "plover", "stilt"):
        (folder / "skills" / name / "references").mkdir(parents=True)
        (folder / "skills" / name / "SKILL.md").write_text(f"# {name}\n")
        (folder / "skills" / name / "references" / "a.md").write_text("# A\n")
    run_git(folder, "init")
    commit_all(folder, "start")
    run_git(folder, "tag", "start")
    return folder


@pytest.fixture
def repository(repository_template, tmp_path):
    """Return a copy of the repository."""
    return shutil.copytree(repository_template, tmp_path / "repository")


def run_git(folder, *arguments):
    settings = (
        "-c",
        "user.name=a",
        "-c",
        "user.email=a@b.c",
        "-c",
        "commit.gpgsign=false",
        "-c",
        "init.defaultBranch=main",
    )
    subprocess.run(["git", *settings, *arguments], cwd=folder, check=True, capture_output=True)


def commit_all(folder, message):
    run_git(folder, "add", "-A")
    run_git(folder, "commit", "-m", message)


def list_changed_skills(folder, rev, *shared):
    skills = sorted(str(path) for path in (folder / "skills").iterdir())
    return [path.rpartition("/")[2] for path in find_changed_units(rev, skills, shared)]


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


@pytest.fixture
def program_that_leaves_a_file(tmp_path):
    """Return a program that creates a file when it is started."""
    program = tmp_path / "program"
    program.write_text(f"#!/bin/sh\ntouch {tmp_path}/owned\nexit 1\n")
    program.chmod(0o755)
    return str(program)


def _configure_filter(key):
    def prepare(folder, program_that_leaves_a_file):
        (folder / ".git" / "info" / "attributes").write_text("* filter=e\n")
        run_git(folder, "config", f"filter.e.{key}", program_that_leaves_a_file)

    return prepare


def _configure_diff(folder, program_that_leaves_a_file):
    (folder / ".git" / "info" / "attributes").write_text("* diff=e\n")
    for name in ("diff.external", "diff.e.textconv", "diff.e.command", "core.pager", "pager.ls-tree"):
        run_git(folder, "config", name, program_that_leaves_a_file)


def _configure_fsmonitor(folder, program_that_leaves_a_file):
    run_git(folder, "config", "core.fsmonitor", program_that_leaves_a_file)


def _install_hook(folder, program_that_leaves_a_file):
    (folder / ".git" / "hooks" / "post-index-change").symlink_to(program_that_leaves_a_file)


def _configure_promisor(url, *settings):
    """Return a function that removes the commit `start` and configures git to fetch missing objects with a program."""

    def prepare(folder, program_that_leaves_a_file):
        (folder / "skills" / "stilt" / "SKILL.md").write_text("# Other\n")
        commit_all(folder, "second")
        missing_commit = subprocess.check_output(["git", "rev-parse", "start"], cwd=folder, text=True).strip()
        (folder / ".git" / "objects" / missing_commit[:2] / missing_commit[2:]).unlink()
        values = {
            "core.repositoryformatversion": "1",
            "extensions.partialClone": "o",
            "remote.o.promisor": "true",
            "remote.o.url": url.format(program=program_that_leaves_a_file, folder=folder),
            **{name: "always" if name.startswith("protocol") else program_that_leaves_a_file for name in settings},
        }
        for name, value in values.items():
            run_git(folder, "config", name, value)

    return prepare


@pytest.mark.parametrize(
    "prepare",
    [
        pytest.param(prepare, id=id)
        for id, prepare in {
            "filter.clean": _configure_filter("clean"),
            "filter.process": _configure_filter("process"),
            "external diff, textconv, pager": _configure_diff,
            "fsmonitor": _configure_fsmonitor,
            "hook": _install_hook,
            "upload-pack of the promisor": _configure_promisor(
                "{folder}", "remote.o.uploadpack", "protocol.file.allow"
            ),
            "helper of the promisor": _configure_promisor("ext::{program}", "protocol.ext.allow"),
            "ssh of the promisor": _configure_promisor("ssh://a/b", "core.sshCommand", "protocol.ssh.allow"),
        }.items()
    ],
)
def test_git_starts_no_program_of_the_repository(repository, program_that_leaves_a_file, tmp_path, prepare):
    prepare(repository, program_that_leaves_a_file)
    # The new text has the size of the old one, so git has to read the file.
    (repository / "skills" / "avocet" / "SKILL.md").write_text("# Avocet\n")
    with suppress(BadInput):
        list_changed_skills(repository, "start")
    assert not (tmp_path / "owned").exists()


def test_skill_shaped_like_a_bare_repository_is_a_folder(repository, program_that_leaves_a_file, tmp_path):
    skill = repository / "skills" / "avocet"
    run_git(repository, "init", "--bare", str(tmp_path / "bare"))
    shutil.copytree(tmp_path / "bare", skill, dirs_exist_ok=True)
    (skill / "config").write_text(
        f'[core]\nworktree = .\nfsmonitor = {program_that_leaves_a_file}\n[filter "e"]\nclean = {program_that_leaves_a_file}\n'
    )
    (skill / ".gitattributes").write_text("* filter=e\n")
    subprocess.run(["git", "add", "SKILL.md"], cwd=skill, env={**os.environ, "GIT_DIR": "."}, check=True)
    (skill / "SKILL.md").write_text("# Avocet\n")
    (tmp_path / "owned").unlink()
    assert list_changed_skills(repository, "start") == ["avocet"]
    assert not (tmp_path / "owned").exists()


def test_repository_with_foreign_worktree_is_not_queried(repository, tmp_path):
    run_git(repository, "config", "core.worktree", str(tmp_path))
    with pytest.raises(BadInput, match="point to another working tree"):
        list_changed_skills(repository, "HEAD")


def test_git_is_queried_without_a_temporary_folder(repository, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", "/nowhere")
    assert list_changed_skills(repository, "HEAD") == []
    with pytest.raises(BadInput, match="git failed"):
        ask_git(repository, "ls-files", "--no-such-option")


def test_pipe_in_a_repository_times_out(repository, monkeypatch):
    monkeypatch.setattr("orchestrator.fs.git_process.SECONDS", 0.5)
    os.mkfifo(repository / "skills" / ".gitignore")
    with pytest.raises(BadInput, match="did not answer"):
        list_changed_skills(repository, "HEAD")


def test_git_tree_bomb_costs_no_memory(repository, monkeypatch):
    monkeypatch.setattr("orchestrator.fs.git_process.MAX_BYTES", 1_000_000)
    entry = "100644 blob " + read_git_output(repository, "hash-object", "-w", "skills/avocet/SKILL.md")
    for _ in range(9):
        lines = "".join(f"{entry}\t{name}\n" for name in "abcdefghij")
        entry = "040000 tree " + read_git_output(repository, "mktree", stdin_bytes=lines)
    commit_with_other_files = commit_tree(repository, entry)
    assert list_changed_skills(repository, commit_with_other_files) == ["avocet", "plover", "stilt"], (
        "files outside the skills must not be listed"
    )
    for name in ("avocet", "skills"):
        entry = "040000 tree " + read_git_output(repository, "mktree", stdin_bytes=f"{entry}\t{name}\n")
    with pytest.raises(BadInput, match="git printed more than 1,000,000 bytes"):
        list_changed_skills(repository, commit_tree(repository, entry))


def commit_tree(folder, tree):
    return read_git_output(
        folder, "-c", "user.name=a", "-c", "user.email=b", "commit-tree", tree.split()[2], "-m", "bomb"
    )


def read_git_output(folder, *arguments, stdin_bytes=""):
    return subprocess.run(
        ["git", *arguments], cwd=folder, input=stdin_bytes, capture_output=True, text=True, check=True
    ).stdout.strip()


def test_pipes_and_huge_files_are_not_read(repository):
    skills = repository / "skills"
    (skills / "plover" / "references" / "a.md").unlink()
    os.mkfifo(skills / "plover" / "references" / "a.md")
    with (skills / "stilt" / "references" / "a.md").open("wb") as file:
        file.truncate(10_000_000_000)
    assert list_changed_skills(repository, "HEAD") == ["plover", "stilt"]


def test_links_out_of_the_project_do_not_end_the_comparison(repository, tmp_path):
    for place in ("shared", "other"):
        (tmp_path / place / "tern").mkdir(parents=True)
        (tmp_path / place / "tern" / "SKILL.md").write_text("# tern\n")
    run_git(tmp_path / "other", "init")
    (repository / "skills" / "out").symlink_to("../../shared/tern")
    (repository / "skills" / "over").symlink_to("../../other/tern")
    (repository / "skills" / "same").symlink_to("plover")
    (repository / "skills" / "stilt" / "SKILL.md").write_text("# Stilt, changed\n")
    assert list_changed_skills(repository, "start") == ["out", "over", "stilt"]


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


def test_only_one_file_starts_git():
    root = Path(__file__).parents[3]
    git_starts = ('["git"', 'program("git")')
    files = (root / "orchestrator").rglob("*.py")
    files_that_start_git = [
        path.name for path in files if any(git_start in path.read_text() for git_start in git_starts)
    ]
    assert files_that_start_git == ["git.py"]


def test_git_in_a_hook_ignores_the_hooks_environment(repository, monkeypatch, tmp_path):
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "elsewhere"))
    monkeypatch.setenv("GIT_INDEX_FILE", str(tmp_path / "elsewhere" / "index"))
    assert list_changed_skills(repository, "start") == []


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
