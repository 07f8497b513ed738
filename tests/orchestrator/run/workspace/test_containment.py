"""Test that nothing outside the skill folder is ever changed."""

import os
import socket

import pytest

from orchestrator.errors import BadInput, Refused
from orchestrator.run.workspace.workspace import Workspace
from schemas.records import FileChange


def read_refusal(bench, change):
    before = bench.snapshot()
    space = bench.space
    with space.hold("run-1"), pytest.raises(Refused) as error_info:
        space.apply("FIX-001", [change])
    assert bench.snapshot() == before
    assert not (bench.work / "journal.jsonl").exists()
    return str(error_info.value)


@pytest.mark.parametrize(
    "name",
    [
        "../outside.md", "..", ".", "", "/etc/tune", "phases/../../outside.md", "phases/../three.md", "a//b.md", "./a.md",
        "a/", "nul\0.md", "/", "x" * 300, "phases/one.md/inner.md", "\ud800.md",
    ],
)  # fmt: skip
def test_apply_refuses_a_name_that_is_not_a_path_in_the_skill(bench, name):
    assert "not changed" in read_refusal(bench, bench.create(name, b"x"))


@pytest.mark.parametrize(
    "name", [".git/hooks/pre-commit", ".git/config", "vendor/.git", "phases/.GIT/hooks/post-merge"]
)
def test_apply_refuses_a_file_of_git(bench, name):
    assert "belongs to git" in read_refusal(bench, bench.create(name, b"x", 0o755))


def test_apply_refuses_a_link_into_git(bench):
    (bench.skill / ".git" / "hooks").mkdir(parents=True)
    (bench.skill / "hooks").symlink_to(".git/hooks")
    assert "belongs to git" in read_refusal(bench, bench.create("hooks/pre-commit", b"x", 0o755))


def test_apply_refuses_a_link_to_a_file_outside(bench, tmp_path):
    (tmp_path / "outside.md").write_bytes(b"mine\n")
    (bench.skill / "link.md").symlink_to("../outside.md")
    message = read_refusal(bench, bench.modify("link.md", b"yours\n"))
    assert "link.md" in message
    assert "through a link" in message
    assert (tmp_path / "outside.md").read_bytes() == b"mine\n"


def test_apply_refuses_a_link_to_a_folder_outside(bench, tmp_path):
    (tmp_path / "outside").mkdir()
    (bench.skill / "folder").symlink_to(tmp_path / "outside")
    assert "through a link" in read_refusal(bench, bench.create("folder/new.md", b"x"))
    assert not list((tmp_path / "outside").iterdir())


def test_apply_refuses_a_dangling_link_to_the_outside(bench, tmp_path):
    (bench.skill / "link.md").symlink_to(tmp_path / "fresh.md")
    assert "through a link" in read_refusal(bench, bench.create("link.md", b"x"))
    assert not (tmp_path / "fresh.md").exists()


def test_apply_refuses_a_sibling_folder_with_the_same_prefix(bench, tmp_path):
    (tmp_path / "plover-two").mkdir()
    (bench.skill / "twin").symlink_to(tmp_path / "plover-two")
    assert "through a link" in read_refusal(bench, bench.create("twin/new.md", b"x"))


@pytest.mark.parametrize("name", ["circle", "circle/inner.md"])
def test_apply_refuses_a_circle_of_links(bench, name):
    (bench.skill / "circle").symlink_to("circle2")
    (bench.skill / "circle2").symlink_to("circle")
    read_refusal(bench, FileChange(name, "modify", "", "0" * 64, bench.space.store(b"x")))


def test_apply_refuses_a_pipe_without_blocking(bench):
    os.mkfifo(bench.skill / "pipe.md")
    assert "pipe" in read_refusal(bench, FileChange("pipe.md", "modify", "", "0" * 64, bench.space.store(b"x")))


def test_apply_refuses_a_socket(bench, monkeypatch):
    monkeypatch.chdir(bench.skill)
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("s.md")
        assert "socket" in read_refusal(bench, FileChange("s.md", "delete", "", "0" * 64, None))


def test_apply_refuses_a_folder(bench):
    assert "folder" in read_refusal(bench, FileChange("phases", "delete", "", "0" * 64, None))


def test_apply_refuses_to_create_over_a_file_or_dangling_link(bench):
    (bench.skill / "dangling.md").symlink_to("nowhere.md")
    assert "exists already" in read_refusal(bench, bench.create("run.sh", b"x"))
    assert "exists already" in read_refusal(bench, bench.create("dangling.md", b"x"))


def test_apply_refuses_a_file_edited_since_the_diagnosis(bench):
    change = bench.modify("run.sh", b"echo ebb\n")
    (bench.skill / "run.sh").write_bytes(b"echo flood\n")
    message = read_refusal(bench, change)
    assert "run.sh" in message
    assert "edited since the diagnosis" in message


def test_apply_refuses_a_file_deleted_since_the_diagnosis(bench):
    change = bench.modify("run.sh", b"echo ebb\n")
    (bench.skill / "run.sh").unlink()
    assert "edited since the diagnosis" in read_refusal(bench, change)


def test_apply_refuses_two_changes_of_one_file(bench):
    (bench.skill / "alias.md").symlink_to("phases/two.md")
    space = bench.space
    changes = [bench.modify("phases/two.md", b"a\n"), bench.modify("alias.md", b"b\n")]
    with (
        space.hold("run-1"),
        pytest.raises(Refused, match=r"is changed under several names, phases/two\.md, alias\.md; replace the links"),
    ):
        space.apply("FIX-001", changes)
    assert bench.read("phases/two.md") == b"old phase\n"


def test_apply_edits_the_target_of_a_link_in_the_skill(bench):
    (bench.skill / "alias.md").symlink_to("phases/two.md")
    bench.apply_fix("FIX-001", bench.modify("alias.md", b"new phase\n"))
    assert (bench.skill / "alias.md").is_symlink()
    assert bench.read("phases/two.md") == b"new phase\n"
    bench.rollback()
    assert (bench.skill / "alias.md").is_symlink()
    assert bench.read("phases/two.md") == b"old phase\n"


def test_apply_refuses_to_delete_a_link(bench):
    (bench.skill / "alias.md").symlink_to("phases/two.md")
    assert "is a link" in read_refusal(bench, bench.delete("alias.md"))


def test_workspace_rejects_a_work_dir_inside_the_skill(bench):
    with pytest.raises(BadInput, match="--work-dir"):
        Workspace(bench.skill, bench.skill / "phases" / "work")


@pytest.mark.parametrize("name", ["gone", "circle"])
def test_hold_rejects_a_missing_skill(bench, tmp_path, name):
    (tmp_path / "circle").symlink_to("circle")
    with pytest.raises(BadInput, match="no such skill"), Workspace(tmp_path / name, bench.work).hold("run-1"):
        pass


def test_undo_does_not_follow_a_folder_replaced_by_a_link(bench, tmp_path):
    """The file outside has the same bytes that the fix wrote."""
    space = bench.space
    with space.hold("run-1"):
        space.apply("FIX-001", [bench.modify("phases/two.md", b"new phase\n")])
        (bench.skill / "phases").rename(tmp_path / "moved")
        (bench.skill / "phases").symlink_to(tmp_path / "moved")
        assert space.undo() == ("phases/two.md",)
    assert (tmp_path / "moved" / "two.md").read_bytes() == b"new phase\n"


def test_another_hard_link_keeps_the_old_bytes(bench, tmp_path):
    before = bench.read("run.sh")
    hard_link = tmp_path / "elsewhere.sh"
    hard_link.hardlink_to(bench.skill / "run.sh")
    bench.apply_edit("FIX-001", "run.sh", b"tide", b"ebb")
    assert hard_link.read_bytes() == before
    hard_link.write_bytes(b"mine\n")
    bench.rollback()
    assert (bench.read("run.sh"), hard_link.read_bytes()) == (before, b"mine\n")
