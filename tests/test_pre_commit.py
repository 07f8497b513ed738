"""Test the pre-commit hook, run by git, on commits that delete or rename files or change their mode."""

import shlex
import subprocess
import sys

import pytest
import yaml

from tests.actions.project.test_seeded_faults import build_files
from tests.test_action import ROOT, run_git, run_hook_entry

(HOOK,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())


@pytest.fixture
def committed_plugin(tmp_path):
    """Return a repository with a committed plugin without findings."""
    root = tmp_path / "shore"
    for path, text in {**build_files(), "docs/moon.md": "# Moon\n"}.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    (root / "plugins/birds/scripts/guard.sh").chmod(0o755)
    run_git(root, "init", "--quiet")
    run_git(root, "add", "-A")
    run_git(root, "commit", "--quiet", "-m", "Add the birds")
    return root


def delete_mentioned_file(root):
    (root / "docs/plan.md").unlink()


def remove_executable_bit(root):
    (root / "plugins/birds/scripts/guard.sh").chmod(0o644)


def rename_skill(root):
    run_git(root, "mv", "plugins/birds/skills/count/SKILL.md", "plugins/birds/skills/count/skill.md")


def delete_file_of_skill(root):
    (root / "plugins/birds/skills/count/references/rules.md").unlink()


@pytest.mark.parametrize("is_staged", [True, False], ids=["git add", "git commit -a"])
@pytest.mark.parametrize(
    ("break_unit", "pattern"),
    [
        (delete_mentioned_file, "PRJ-012"),
        (remove_executable_bit, "PRJ-009"),
        (rename_skill, "PRJ-013"),
        (delete_file_of_skill, "SPEC-005"),
    ],
)
def test_hook_checks_units_that_a_commit_affects(committed_plugin, tmp_path, break_unit, pattern, is_staged):
    break_unit(committed_plugin)
    if is_staged:
        run_git(committed_plugin, "add", "-A")
    script = committed_plugin / ".git" / "hooks" / "pre-commit"
    script.parent.mkdir(exist_ok=True)
    command = [sys.executable, str(ROOT / "tune_skill.py"), *shlex.split(HOOK["entry"])[1:]]
    script.write_text(f"#!/bin/sh\nexec {shlex.join(command)}\n")  # pre-commit passes no deleted files
    script.chmod(0o755)
    identity = ("-c", "user.name=a", "-c", "user.email=a@b.c")
    commit_command = ["git", *identity, "commit", "-m", "Change", *([] if is_staged else ["-a"])]
    process = subprocess.run(commit_command, cwd=committed_plugin, capture_output=True, text=True, check=False)
    assert process.returncode == 1, process.stdout + process.stderr
    assert pattern in process.stdout + process.stderr


def test_hook_reports_only_units_of_the_commit(committed_plugin):
    (committed_plugin / "CLAUDE.md").write_text("Read [it](docs/gone.md).\n")
    run_git(committed_plugin, "commit", "--quiet", "-am", "Break a link")
    (committed_plugin / "AGENTS.md").write_text("Read [it](docs/gone.md).\n")
    (committed_plugin / "docs/moon.md").write_text("# Full moon\n")
    run_git(committed_plugin, "add", "docs/moon.md")
    process = run_hook_entry(HOOK, committed_plugin, ["docs/moon.md"])
    assert (process.returncode, process.stdout) == (0, ""), "neither an old fault nor an untracked file counts"
    assert run_hook_entry(HOOK, committed_plugin, ["CLAUDE.md"]).returncode == 1, (
        "an unchanged file may be given, as by pre-commit run --all-files"
    )


def test_hook_checks_what_a_push_sends(committed_plugin, monkeypatch):
    delete_mentioned_file(committed_plugin)
    run_git(committed_plugin, "commit", "--quiet", "-am", "Delete the plan")
    assert run_hook_entry(HOOK, committed_plugin, []).returncode == 0
    monkeypatch.setenv("PRE_COMMIT_FROM_REF", "HEAD~1")
    assert "PRJ-012" in run_hook_entry(HOOK, committed_plugin, []).stdout


def test_hook_works_before_the_first_commit(tmp_path):
    run_git(tmp_path, "init", "--quiet")
    assert run_hook_entry(HOOK, tmp_path, []).returncode == 0
