"""Test which missing paths of a project count as ignored by git."""

import pytest

from actions.skill.paths import find_missing_folder
from orchestrator.project.project_reader import read_project
from tests.growth import grows_at_most, measure_seconds

FILES = {
    ".gitignore": "*.log\n/built/\n",
    "bin/.gitignore": "tally\n!keep.log\n",
    "docs/.gitignore": "a/**/b/**/c\n",
}


@pytest.fixture
def project(tmp_path):
    for path, text in FILES.items():
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text(text)
    return read_project(tmp_path)


@pytest.mark.parametrize("path", ["x.log", "docs/x.log", "built/a/b.txt", "bin/tally"])
def test_missing_path_is_ignored_by_the_files_above_it(project, path):
    assert project.is_ignored(path)


@pytest.mark.parametrize("path", ["tally", "a/built/x", "bin/keep.log", "docs/a/x/b/y/c", "bin/.gitignore"])
def test_other_path_is_not_ignored(project, path):
    assert not project.is_ignored(path)


def test_long_paths_take_linear_time(project):
    """A manifest or a text may name a path of 10,000 folders, which no system has."""

    def measure(count):
        path = "docs/" + "a/" * count + "x.log"
        return measure_seconds(lambda: (project.is_ignored(path), find_missing_folder(path, project.folders)))

    assert grows_at_most(measure, 20_000, 40_000, factor=2.6)
    assert not project.exists("a/" * 5_000)
    assert [find_missing_folder(f"docs/{rest}", project.folders) for rest in ("x", "a/x", "a/b/x")] == [
        "",
        "docs/a",
        "docs/a",
    ]
