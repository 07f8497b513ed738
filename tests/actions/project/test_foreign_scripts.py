"""Test which texts say that a script is in another repository."""

import pytest

from actions.project.foreign_scripts import is_of_other_repository
from actions.project.project import Project, ProjectFile
from tests.examples import make_project


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("A `tally.sh` script lives in the chart repo (e.g. `scripts/tally.sh`).", True),
        ("Run `scripts/tally.sh`, which is not in this skill.", True),
        ("Run the chart repo's `scripts/tally.sh`.", True),
        ("Run `bash scripts/tally.sh` in your own infrastructure repository.", True),
        ("Run `scripts/tally.sh` in the repo.", False),
        ("Run `scripts/tally.sh` in the same repo.", False),
        ("Run `scripts/tally.sh`. The list is in the chart repo.", False),
        ("`count.sh` lives in the chart repo.", False),
    ],
)
def test_repository_counts_in_the_sentence_of_the_script(text, expected):
    assert (
        is_of_other_repository(make_project({"docs/birds.md": f"# Birds\n\n{text}\n"}), "scripts/tally.sh") is expected
    )


def test_texts_are_read_once_for_all_scripts():
    reads: list[str] = []
    files = {path: ProjectFile(path, 9) for path in ("a.md", "b.md")}

    def read(path):
        reads.append(path)
        return b"Run `tally.sh`.\nIt is in the chart repo, as `count.sh` is."

    project = Project("birds", files, read)
    project._contents.bytes_left = 0
    assert [is_of_other_repository(project, f"scripts/{name}.sh") for name in ("tally", "count", "sort")] == [
        False,
        True,
        False,
    ]
    assert reads == ["a.md", "b.md"]
