"""Test the search for the file that a path to a missing file means, in projects of any size."""

import pytest

from actions.project.near_path import find_near_path
from actions.project.project import Project, ProjectFile
from tests.growth import grows_at_most, measure_seconds

FILES = (
    "agents/teal.md",
    "agents/teals-nest.md",
    "docs/Heron.md",
    "docs/birds/index.md",
    "tools/herony/run.sh",
    "test/owl.md",
)


def make_project(*paths):
    return Project("shore", {path: ProjectFile(path, 1) for path in paths}, lambda path: b"x")


@pytest.mark.parametrize(
    ("missing", "top", "expected"),
    [
        ("agents/teel.md", "", "agents/teal.md"),
        ("birds/heron.md", "", "docs/Heron.md"),
        ("birds/heron.md", "agents", None),
        ("lost/index.md", "", None),
        ("docs/birds/Index.md", "", "docs/birds/index.md"),
        ("tools/heronry", "", "tools/herony"),
        ("lost/owl.md", "", None),
        ("docs/gone.md", "", None),
    ],
)
def test_near_path_is_the_only_file_that_can_be_meant(missing, top, expected):
    assert find_near_path(make_project(*FILES), missing, top) == expected


@pytest.mark.parametrize("folder", ["agents", "lost"])
def test_near_paths_take_linear_time_in_paths_and_files(folder):
    def measure(count):
        project = make_project(*(f"agents/teal{n}x.md" for n in range(count)))
        return measure_seconds(lambda: [find_near_path(project, f"{folder}/gull{n}.md", "") for n in range(count)])

    assert grows_at_most(measure, 300, 600, factor=3)
