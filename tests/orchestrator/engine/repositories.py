"""Make commits in a repository, and list the skills that changed."""

import subprocess

from orchestrator.engine.git_changes import find_changed_units


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


def read_git_output(folder, *arguments, stdin_bytes=""):
    return subprocess.run(
        ["git", *arguments], cwd=folder, input=stdin_bytes, capture_output=True, text=True, check=True
    ).stdout.strip()
