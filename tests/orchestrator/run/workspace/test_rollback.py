"""Test the rollback of all fixes, or of one whose lines are unchanged."""

import errno
import os
from pathlib import Path

import pytest
from msgspec.structs import replace

from orchestrator.errors import Refused, WriteFailed
from orchestrator.run.workspace.journal import Journal


def apply_three_fixes(bench):
    bench.apply_fix("FIX-001", bench.modify("SKILL.md", b"one"), bench.create("notes/deep/a.md", b"first\n"))
    bench.apply_fix(
        "FIX-002",
        bench.modify("SKILL.md", b"two"),
        bench.modify("notes/deep/a.md", b"second\n"),
        bench.modify("run.sh", b"#\n"),
    )
    bench.apply_fix("FIX-003", bench.delete("SKILL.md"), bench.delete("phases/two.md"))


def test_rollback_of_all_restores_bytes_modes_and_files(bench):
    before = bench.snapshot()
    apply_three_fixes(bench)
    assert bench.snapshot() != before
    result = bench.rollback()
    assert result.fixes == ("FIX-001", "FIX-002", "FIX-003")
    assert result.edited_files == ()
    assert bench.snapshot() == before


def test_rollback_of_all_keeps_and_names_a_fix_of_edited_file(bench):
    before = bench.snapshot()
    apply_three_fixes(bench)
    (bench.skill / "run.sh").write_bytes(b"mine\n")
    result = bench.rollback()
    assert result.fixes == ("FIX-003",)
    assert result.left["FIX-002"] == ("run.sh",)
    assert bench.read("run.sh") == b"mine\n"
    assert bench.read("phases/two.md") == before["phases/two.md"][1]
    assert bench.read("SKILL.md") == b"two"
    assert bench.space.list_applied_fixes() == ("FIX-001", "FIX-002")
    assert Journal(bench.work / "journal.jsonl", bench.skill).read_entries()[-1].edited == result.edited_files


def test_rollback_of_all_repeated_after_the_edit_is_undone(bench):
    before = bench.snapshot()
    apply_three_fixes(bench)
    (bench.skill / "run.sh").write_bytes(b"mine\n")
    bench.rollback()
    (bench.skill / "run.sh").write_bytes(b"#\n")
    assert bench.rollback().fixes == ("FIX-001", "FIX-002")
    assert bench.snapshot() == before


def test_rollback_of_all_keeps_the_fix_of_a_moved_reworded_line(bench):
    old = bench.read("phases/one.md")
    bench.apply_fix("FIX-001", bench.modify("phases/one.md", old + b"Allow make.\n"))
    moved_lines = b"May use `make`.\n" + old
    (bench.skill / "phases/one.md").write_bytes(moved_lines)
    assert bench.rollback().left == {"FIX-001": ("phases/one.md",)}
    assert bench.read("phases/one.md") == moved_lines


def test_rollback_of_all_keeps_only_the_fix_with_edited_lines(bench):
    original = bench.read("phases/one.md")
    bench.apply_edit("FIX-001", "phases/one.md", b"step 3\n", b"step three\n")
    bench.apply_edit("FIX-002", "phases/one.md", b"step 20\n", b"step twenty\n")
    bench.apply_edit("FIX-003", "phases/one.md", b"step 39\n", b"step thirty-nine\n")
    edited_text = bench.read("phases/one.md").replace(b"step twenty\n", b"step twenty, mine\n")
    (bench.skill / "phases/one.md").write_bytes(edited_text)
    result = bench.rollback()
    assert (result.fixes, result.left) == (("FIX-001", "FIX-003"), {"FIX-002": ("phases/one.md",)})
    assert bench.read("phases/one.md") == original.replace(b"step 20\n", b"step twenty, mine\n")
    assert bench.space.list_applied_fixes() == ("FIX-002",)


def test_rollback_of_all_keeps_an_edit_between_two_fixes(bench):
    bench.apply_edit("FIX-001", "phases/one.md", b"step 3\n", b"step three\n")
    text_between_fixes = bench.read("phases/one.md") + b"mine\n"
    (bench.skill / "phases/one.md").write_bytes(text_between_fixes)
    bench.apply_edit("FIX-002", "phases/one.md", b"step 9\n", b"step nine\n")
    assert bench.rollback().edited_files == ()
    assert bench.read("phases/one.md") == text_between_fixes.replace(b"step three\n", b"step 3\n")


def test_rollback_of_all_accepts_a_file_set_to_an_earlier_text(bench):
    bench.apply_edit("FIX-001", "run.sh", b"tide", b"ebb")
    (bench.skill / "run.sh").write_bytes(b"between\n")
    bench.apply_edit("FIX-002", "run.sh", b"between", b"flood")
    (bench.skill / "run.sh").write_bytes(b"#!/bin/sh\necho ebb\n")
    result = bench.rollback()
    assert (result.fixes, result.left) == (("FIX-001",), {"FIX-002": ("run.sh",)})
    assert bench.read("run.sh") == b"#!/bin/sh\necho tide\n"


def test_rollback_of_all_leaves_a_file_that_the_user_restored(bench):
    original = bench.read("phases/one.md")
    bench.apply_edit("FIX-001", "phases/one.md", b"step 3\n", b"step three\n")
    last_line = original.splitlines(keepends=True)[-1]
    bench.apply_edit("FIX-002", "phases/one.md", last_line, b"")
    (bench.skill / "phases/one.md").write_bytes(original)
    result = bench.rollback()
    assert (result.fixes, set(result.absent), result.left) == ((), {"FIX-001", "FIX-002"}, {})
    assert bench.read("phases/one.md") == original


@pytest.mark.parametrize("number", [1, 40])
def test_rollback_of_all_adds_no_line_that_the_user_restored(bench, number):
    original = bench.read("phases/one.md")
    line = b"step %d\n" % number
    bench.apply_fix("FIX-001", bench.modify("phases/one.md", original.removeprefix(line).removesuffix(line)))
    edited_text = original.replace(b"step 20\n", b"step twenty, mine\n")
    (bench.skill / "phases/one.md").write_bytes(edited_text)
    result = bench.rollback()
    assert (result.left, result.absent) == ({}, ("FIX-001",))
    assert bench.read("phases/one.md") == edited_text


@pytest.mark.parametrize("fix", [(), ("FIX-001",)])
def test_rollback_finds_the_old_text_in_an_edited_file(bench, fix):
    """The commit of the fix was reverted, after the user had added a line of their own."""
    original = bench.read("phases/one.md")
    bench.apply_edit("FIX-001", "phases/one.md", b"step 3\n", b"step three\n")
    (bench.skill / "phases/one.md").write_bytes(original + b"Mine.\n")
    result = bench.rollback(*fix)
    assert (result.fixes, result.left, result.absent) == ((), {}, ("FIX-001",))
    assert bench.space.list_applied_fixes() == ("FIX-001",)
    assert bench.read("phases/one.md") == original + b"Mine.\n"


def test_rollback_is_not_done_because_another_one_wrote_the_file(bench):
    """Both fixes deleted a file of the same name; the user had written the second one."""
    bench.apply_fix("FIX-001", bench.delete("phases/two.md"))
    (bench.skill / "phases/two.md").write_bytes(b"mine\n")
    bench.apply_fix("FIX-002", bench.delete("phases/two.md"))
    assert bench.rollback("FIX-001").fixes == ("FIX-001",)
    with pytest.raises(Refused, match="another file of this name was created after FIX-002 had deleted it"):
        bench.rollback("FIX-002")
    assert bench.rollback().left == {"FIX-002": ("phases/two.md",)}
    assert bench.read("phases/two.md") == b"old phase\n"


def test_fix_of_a_file_that_has_a_link_is_applied_once(bench):
    """A draft changes a file under each of its names."""
    (bench.skill / "README.md").symlink_to("SKILL.md")
    before = bench.snapshot()
    text = bench.read("SKILL.md").replace(b"birds", b"gulls")
    bench.apply_fix("FIX-001", bench.modify("SKILL.md", text), bench.modify("README.md", text))
    assert bench.read("README.md") == bench.read("SKILL.md") == text
    assert (bench.skill / "README.md").is_symlink()
    assert bench.rollback().fixes == ("FIX-001",)
    assert bench.snapshot() == before


def test_rollback_of_all_keeps_a_folder_that_replaced_a_file(bench):
    bench.apply_fix("FIX-001", bench.delete("phases/two.md"))
    bench.apply_edit("FIX-002", "run.sh", b"tide", b"ebb")
    (bench.skill / "phases/two.md").mkdir()
    assert bench.rollback().left == {"FIX-001": ("phases/two.md",)}
    assert bench.read("run.sh") == b"#!/bin/sh\necho tide\n"


def test_rollback_of_one_fix_keeps_a_later_fix_elsewhere(bench):
    original = bench.read("phases/one.md")
    bench.apply_edit("FIX-001", "phases/one.md", b"step 3\nstep 4\n", b"step three\n")
    bench.apply_edit("FIX-002", "phases/one.md", b"step 30\n", b"step thirty\nand more\n")
    bench.rollback("FIX-001")
    assert bench.read("phases/one.md") == original.replace(b"step 30\n", b"step thirty\nand more\n")
    bench.rollback("FIX-002")
    assert bench.read("phases/one.md") == original


def test_rollback_of_several_hunks_follows_moved_lines(bench):
    original = bench.read("phases/one.md")
    bench.apply_fix(
        "FIX-001",
        bench.modify("phases/one.md", original.replace(b"step 10\n", b"").replace(b"step 30\n", b"step 30\nnew\n")),
    )
    bench.apply_edit("FIX-002", "phases/one.md", b"step 20\n", b"step 20\n" + b"added\n" * 5)
    bench.rollback("FIX-001")
    assert bench.read("phases/one.md") == original.replace(b"step 20\n", b"step 20\n" + b"added\n" * 5)


def test_rollback_of_overlapping_fixes_together(bench):
    original = bench.read("phases/one.md")
    bench.apply_edit("FIX-001", "phases/one.md", b"step 10\n", b"step ten\n")
    bench.apply_edit("FIX-002", "phases/one.md", b"step 30\n", b"step thirty\n")
    bench.apply_edit("FIX-003", "phases/one.md", b"step ten\n", b"step 10!\n")
    assert bench.rollback("FIX-003", "FIX-001").fixes == ("FIX-001", "FIX-003")
    assert bench.read("phases/one.md") == original.replace(b"step 30\n", b"step thirty\n")


def test_rollback_of_one_fix_keeps_an_edit_elsewhere_in_the_file(bench):
    original = bench.read("phases/one.md")
    bench.apply_edit("FIX-001", "phases/one.md", b"step 10\n", b"step ten\n")
    (bench.skill / "phases/one.md").write_bytes(b"mine\n" + bench.read("phases/one.md"))
    bench.rollback("FIX-001")
    assert bench.read("phases/one.md") == b"mine\n" + original


def test_rollback_refuses_a_fix_with_edited_lines(bench):
    bench.apply_edit("FIX-001", "phases/one.md", b"step 10\n", b"step ten\n")
    edited_text = bench.read("phases/one.md").replace(b"step ten\n", b"step X\n")
    (bench.skill / "phases/one.md").write_bytes(edited_text)
    with pytest.raises(Refused, match="was changed afterwards"):
        bench.rollback("FIX-001")
    assert bench.read("phases/one.md") == edited_text


def test_rollback_refuses_a_fix_that_a_later_fix_reverted(bench):
    bench.apply_edit("FIX-001", "run.sh", b"tide", b"ebb")
    bench.apply_edit("FIX-002", "run.sh", b"ebb", b"tide")
    with pytest.raises(Refused, match="FIX-002"):
        bench.rollback("FIX-001")


def test_rollback_refuses_a_fix_with_repeated_lines(bench):
    bench.apply_edit("FIX-001", "phases/one.md", b"step 10\n", b"step ten\n")
    (bench.skill / "phases/one.md").write_bytes(bench.read("phases/one.md") * 2)
    with pytest.raises(Refused):
        bench.rollback("FIX-001")


def test_rollback_refuses_an_edited_created_file(bench):
    bench.apply_fix("FIX-001", bench.create("new/a.md", b"x\n"), bench.modify("run.sh", b"y"))
    bench.apply_edit("FIX-002", "new/a.md", b"x\n", b"x\nmore\n")
    with pytest.raises(Refused, match="FIX-002"):
        bench.rollback("FIX-001")
    assert bench.read("run.sh") == b"y"
    bench.rollback("FIX-002")
    bench.rollback("FIX-001")
    assert not (bench.skill / "new").exists()
    assert bench.read("run.sh") == b"#!/bin/sh\necho tide\n"


def test_rollback_refuses_a_recreated_file(bench):
    bench.apply_fix("FIX-001", bench.delete("run.sh"))
    (bench.skill / "run.sh").write_bytes(b"mine")
    with pytest.raises(Refused, match=r"run\.sh"):
        bench.rollback("FIX-001")
    assert bench.read("run.sh") == b"mine"


def test_rollback_of_named_fixes_skips_those_not_applied(bench):
    bench.apply_edit("FIX-001", "run.sh", b"tide", b"ebb")
    assert bench.rollback("FIX-009").fixes == ()
    assert bench.rollback("FIX-009", "FIX-001").fixes == ("FIX-001",)
    assert bench.rollback("FIX-001").fixes == ()
    assert bench.read("run.sh") == b"#!/bin/sh\necho tide\n"


def test_rollback_skips_a_fix_that_was_undone(bench):
    bench.apply_edit("FIX-001", "run.sh", b"tide", b"ebb")
    space = bench.space
    with space.hold("run-1"):
        space.apply("FIX-002", [bench.modify("run.sh", b"z")])
        space.undo()
    assert bench.rollback().fixes == ("FIX-001",)


def test_undo_of_a_rollback_keeps_the_fixes_applied(bench):
    apply_three_fixes(bench)
    after = bench.snapshot()
    space = bench.space
    with space.hold("run-1"):
        space.rollback()
        assert space.undo() == ()
    assert bench.snapshot() == after
    assert bench.rollback().fixes == ("FIX-001", "FIX-002", "FIX-003")


def test_rollback_of_all_without_fixes_changes_nothing(bench):
    assert bench.rollback().fixes == ()


def test_rollback_can_be_repeated_after_a_failed_removal(bench, monkeypatch):
    before = bench.snapshot()
    bench.apply_fix("FIX-001", bench.create("new/deep.md", b"fresh\n"))
    after = bench.snapshot()

    def raise_no_space(path):
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch, pytest.raises(WriteFailed):
        patch.setattr(Path, "rmdir", raise_no_space)
        bench.rollback()
    assert bench.snapshot() == after
    bench.rollback()
    assert bench.snapshot() == before


def test_rollback_keeps_a_mode_that_the_user_changed(bench):
    before = bench.read("SKILL.md")
    bench.apply_fix("FIX-001", bench.modify("SKILL.md", b"one"))
    bench.apply_fix("FIX-002", bench.modify("SKILL.md", b"two"))
    (bench.skill / "SKILL.md").chmod(0o600)
    bench.rollback()
    assert bench.snapshot()["SKILL.md"] == (0o600, before)


def test_rollback_keeps_a_mode_changed_between_two_fixes(bench):
    bench.apply_fix("FIX-001", bench.modify("SKILL.md", b"one"))
    (bench.skill / "SKILL.md").chmod(0o600)
    bench.apply_fix("FIX-002", bench.modify("SKILL.md", b"two"))
    bench.rollback()
    assert bench.snapshot()["SKILL.md"][0] == 0o600


def test_rollback_of_an_older_fix_keeps_the_mode_of_a_later_one(bench):
    bench.apply_fix("FIX-001", bench.modify("phases/two.md", b"one\n"))
    text = bench.read("phases/two.md")
    bench.apply_fix("FIX-002", replace(bench.modify("phases/two.md", text), mode=0o755))
    bench.rollback("FIX-001")
    assert bench.snapshot()["phases/two.md"] == (0o755, b"old phase\n")


def test_rollback_of_a_recreated_file_restores_its_mode(bench):
    before = bench.snapshot()
    data = bench.read("run.sh")
    bench.apply_fix("FIX-001", bench.delete("run.sh"))
    bench.apply_fix("FIX-002", bench.create("run.sh", data))
    bench.rollback()
    assert bench.snapshot() == before


@pytest.mark.skipif(not hasattr(os, "setxattr"), reason="no extended attributes")
def test_apply_and_rollback_keep_extended_attributes(bench):
    os.setxattr(bench.skill / "run.sh", "user.origin", b"shore")
    bench.apply_edit("FIX-001", "run.sh", b"tide", b"ebb")
    assert os.getxattr(bench.skill / "run.sh", "user.origin") == b"shore"
    bench.rollback()
    assert os.getxattr(bench.skill / "run.sh", "user.origin") == b"shore"


@pytest.mark.parametrize(("link", "target"), [("two.md", "TWO.md"), ("TWO.md", "two.md")])
def test_rollback_of_a_rename_keeps_a_file_with_a_link(bench, link, target):
    old = bench.read("phases/two.md")
    bench.apply_fix("FIX-001", bench.delete("phases/two.md"), bench.create("phases/TWO.md", old))
    folder = bench.skill / "phases"
    (folder / "TWO.md").rename(folder / target)
    (folder / link).symlink_to(target)
    assert bench.rollback().left.keys() == {"FIX-001"}
    assert (folder / target).read_bytes() == (folder / link).read_bytes() == old


def test_rollback_of_all_undoes_fixes_of_two_joined_files_in_turn(bench):
    (bench.skill / "phases/two.md").write_bytes(b"old phase\nend\n")
    old = bench.read("phases/one.md") + bench.read("phases/two.md")
    bench.apply_edit("FIX-001", "phases/one.md", b"step 7\n", b"step seven\n")
    bench.apply_edit("FIX-002", "phases/two.md", b"old", b"new")
    first_file, second_file = bench.skill / "phases/one.md", bench.skill / "phases/two.md"
    first_file.write_bytes(first_file.read_bytes() + second_file.read_bytes())
    second_file.unlink()
    second_file.symlink_to("one.md")
    assert bench.rollback().fixes == ("FIX-002",)
    assert bench.rollback().fixes == ("FIX-001",)
    assert first_file.read_bytes() == old
