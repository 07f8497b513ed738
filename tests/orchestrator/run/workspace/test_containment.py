"""Nothing outside the skill folder is ever touched."""

import os
import socket

import pytest

from orchestrator.errors import BadInput, Refused
from orchestrator.run.workspace.workspace import Workspace
from schemas.records import FileChange


def refused(bench, change):
    before = bench.snapshot()
    space = bench.space
    with space.hold("run-1"), pytest.raises(Refused) as caught:
        space.apply("FIX-001", [change])
    assert bench.snapshot() == before
    assert not (bench.work / "journal.jsonl").exists()
    return str(caught.value)


@pytest.mark.parametrize(
    "name",
    [
        "../outside.md", "..", ".", "", "/etc/tune", "phases/../../outside.md", "phases/../three.md", "a//b.md", "./a.md",
        "a/", "nul\0.md", "/", "x" * 300, "phases/one.md/inner.md", "\ud800.md",
    ],
)  # fmt: skip
def test_a_name_that_is_not_a_plain_path_inside_the_skill_is_refused(bench, name):
    assert "not changed" in refused(bench, bench.create(name, b"x"))


@pytest.mark.parametrize(
    "name", [".git/hooks/pre-commit", ".git/config", "vendor/.git", "phases/.GIT/hooks/post-merge"]
)
def test_what_belongs_to_git_is_refused(bench, name):
    assert "belongs to git" in refused(bench, bench.create(name, b"x", 0o755))


def test_a_link_into_git_is_refused(bench):
    (bench.skill / ".git" / "hooks").mkdir(parents=True)
    (bench.skill / "hooks").symlink_to(".git/hooks")
    assert "belongs to git" in refused(bench, bench.create("hooks/pre-commit", b"x", 0o755))


def test_a_link_to_a_file_outside_is_refused(bench, tmp_path):
    (tmp_path / "outside.md").write_bytes(b"mine\n")
    (bench.skill / "link.md").symlink_to("../outside.md")
    message = refused(bench, bench.modify("link.md", b"yours\n"))
    assert "link.md" in message
    assert "leaves the skill folder through a link" in message
    assert (tmp_path / "outside.md").read_bytes() == b"mine\n"


def test_a_link_to_a_folder_outside_is_refused(bench, tmp_path):
    (tmp_path / "outside").mkdir()
    (bench.skill / "folder").symlink_to(tmp_path / "outside")
    assert "leaves the skill folder through a link" in refused(bench, bench.create("folder/new.md", b"x"))
    assert not list((tmp_path / "outside").iterdir())


def test_a_dangling_link_to_the_outside_is_not_written_through(bench, tmp_path):
    (bench.skill / "link.md").symlink_to(tmp_path / "fresh.md")
    assert "leaves the skill folder through a link" in refused(bench, bench.create("link.md", b"x"))
    assert not (tmp_path / "fresh.md").exists()


def test_a_sibling_folder_with_the_same_beginning_is_outside(bench, tmp_path):
    (tmp_path / "plover-two").mkdir()
    (bench.skill / "twin").symlink_to(tmp_path / "plover-two")
    assert "leaves the skill folder through a link" in refused(bench, bench.create("twin/new.md", b"x"))


@pytest.mark.parametrize("name", ["circle", "circle/inner.md"])
def test_a_circle_of_links_is_refused(bench, name):
    (bench.skill / "circle").symlink_to("circle2")
    (bench.skill / "circle2").symlink_to("circle")
    refused(bench, FileChange(name, "modify", "", "0" * 64, bench.space.store(b"x")))


def test_a_pipe_is_refused_without_waiting_for_it(bench):
    os.mkfifo(bench.skill / "pipe.md")
    assert "pipe" in refused(bench, FileChange("pipe.md", "modify", "", "0" * 64, bench.space.store(b"x")))


def test_a_socket_is_refused(bench, monkeypatch):
    monkeypatch.chdir(bench.skill)
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("s.md")
        assert "socket" in refused(bench, FileChange("s.md", "delete", "", "0" * 64, None))


def test_a_folder_is_refused(bench):
    assert "folder" in refused(bench, FileChange("phases", "delete", "", "0" * 64, None))


def test_creating_over_a_file_or_a_dangling_link_is_refused(bench):
    (bench.skill / "dangling.md").symlink_to("nowhere.md")
    assert "exists already" in refused(bench, bench.create("run.sh", b"x"))
    assert "exists already" in refused(bench, bench.create("dangling.md", b"x"))


def test_a_file_that_was_edited_after_the_diagnosis_is_refused(bench):
    change = bench.modify("run.sh", b"echo ebb\n")
    (bench.skill / "run.sh").write_bytes(b"echo flood\n")
    message = refused(bench, change)
    assert "run.sh" in message
    assert "edited since the diagnosis" in message


def test_a_file_that_vanished_after_the_diagnosis_is_refused(bench):
    change = bench.modify("run.sh", b"echo ebb\n")
    (bench.skill / "run.sh").unlink()
    assert "edited since the diagnosis" in refused(bench, change)


def test_one_file_twice_in_a_fix_is_refused_even_under_two_names(bench):
    (bench.skill / "alias.md").symlink_to("phases/two.md")
    space = bench.space
    changes = [bench.modify("phases/two.md", b"a\n"), bench.modify("alias.md", b"b\n")]
    with space.hold("run-1"), pytest.raises(Refused, match="2 times"):
        space.apply("FIX-001", changes)
    assert bench.text("phases/two.md") == b"old phase\n"


def test_a_link_inside_the_skill_stays_a_link_and_its_target_is_edited(bench):
    (bench.skill / "alias.md").symlink_to("phases/two.md")
    bench.keep("FIX-001", bench.modify("alias.md", b"new phase\n"))
    assert (bench.skill / "alias.md").is_symlink()
    assert bench.text("phases/two.md") == b"new phase\n"
    bench.rollback()
    assert (bench.skill / "alias.md").is_symlink()
    assert bench.text("phases/two.md") == b"old phase\n"


def test_a_link_is_not_deleted(bench):
    (bench.skill / "alias.md").symlink_to("phases/two.md")
    assert "is a link" in refused(bench, bench.delete("alias.md"))


def test_a_work_dir_inside_the_skill_is_bad_input(bench):
    with pytest.raises(BadInput, match="--work-dir"):
        Workspace(bench.skill, bench.skill / "phases" / "work")


@pytest.mark.parametrize("name", ["gone", "circle"])
def test_a_skill_that_is_not_there_is_bad_input(bench, tmp_path, name):
    (tmp_path / "circle").symlink_to("circle")
    with pytest.raises(BadInput, match="no such skill"), Workspace(tmp_path / name, bench.work).hold("run-1"):
        pass


def test_a_folder_that_became_a_link_to_the_outside_is_not_followed_by_undo(bench, tmp_path):
    """The file outside has the very bytes that the fix wrote."""
    space = bench.space
    with space.hold("run-1"):
        space.apply("FIX-001", [bench.modify("phases/two.md", b"new phase\n")])
        (bench.skill / "phases").rename(tmp_path / "moved")
        (bench.skill / "phases").symlink_to(tmp_path / "moved")
        assert space.undo() == ("phases/two.md",)
    assert (tmp_path / "moved" / "two.md").read_bytes() == b"new phase\n"
