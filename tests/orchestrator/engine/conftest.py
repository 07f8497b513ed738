"""Provide a repository with three skills."""

import shutil

import pytest

from tests.orchestrator.engine.repositories import commit_all, run_git


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
