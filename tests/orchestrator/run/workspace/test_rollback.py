"""A user takes fixes back: all of them, or one whose hunks still stand."""

import errno
from pathlib import Path

import pytest

from orchestrator.errors import Refused, WriteFailed
from orchestrator.run.workspace.journal import Journal


def three_fixes(bench):
    bench.keep("FIX-001", bench.modify("SKILL.md", b"one"), bench.create("notes/deep/a.md", b"first\n"))
    bench.keep(
        "FIX-002",
        bench.modify("SKILL.md", b"two"),
        bench.modify("notes/deep/a.md", b"second\n"),
        bench.modify("run.sh", b"#\n"),
    )
    bench.keep("FIX-003", bench.delete("SKILL.md"), bench.delete("phases/two.md"))


def test_all_restores_bytes_modes_created_and_deleted_files(bench):
    before = bench.snapshot()
    three_fixes(bench)
    assert bench.snapshot() != before
    done = bench.rollback()
    assert done.fixes == ("FIX-001", "FIX-002", "FIX-003")
    assert done.edited_files == ()
    assert bench.snapshot() == before


def test_of_all_a_fix_with_an_edited_file_stays_whole_and_is_named(bench):
    before = bench.snapshot()
    three_fixes(bench)
    (bench.skill / "run.sh").write_bytes(b"mine\n")
    done = bench.rollback()
    assert done.fixes == ("FIX-003",)
    assert done.left["FIX-002"] == ("run.sh",)
    assert bench.text("run.sh") == b"mine\n"
    assert bench.text("phases/two.md") == before["phases/two.md"][1]
    assert bench.text("SKILL.md") == b"two"
    assert bench.space.applied_fixes() == ("FIX-001", "FIX-002")
    assert Journal(bench.work / "journal.jsonl", bench.skill).entries()[-1].edited == done.edited_files


def test_what_stayed_goes_when_the_edit_is_taken_back(bench):
    before = bench.snapshot()
    three_fixes(bench)
    (bench.skill / "run.sh").write_bytes(b"mine\n")
    bench.rollback()
    (bench.skill / "run.sh").write_bytes(b"#\n")
    assert bench.rollback().fixes == ("FIX-001", "FIX-002")
    assert bench.snapshot() == before


def test_of_all_the_fixes_whose_hunks_stand_go_around_one_whose_lines_were_edited(bench):
    original = bench.text("phases/one.md")
    bench.edit("FIX-001", "phases/one.md", b"step 3\n", b"step three\n")
    bench.edit("FIX-002", "phases/one.md", b"step 20\n", b"step twenty\n")
    bench.edit("FIX-003", "phases/one.md", b"step 39\n", b"step thirty-nine\n")
    mine = bench.text("phases/one.md").replace(b"step twenty\n", b"step 20, mine\n")
    (bench.skill / "phases/one.md").write_bytes(mine)
    done = bench.rollback()
    assert (done.fixes, done.left) == (("FIX-001", "FIX-003"), {"FIX-002": ("phases/one.md",)})
    assert bench.text("phases/one.md") == original.replace(b"step 20\n", b"step 20, mine\n")
    assert bench.space.applied_fixes() == ("FIX-002",)


def test_all_does_not_lose_an_edit_made_between_two_fixes(bench):
    bench.edit("FIX-001", "phases/one.md", b"step 3\n", b"step three\n")
    between = bench.text("phases/one.md") + b"mine\n"
    (bench.skill / "phases/one.md").write_bytes(between)
    bench.edit("FIX-002", "phases/one.md", b"step 9\n", b"step nine\n")
    assert bench.rollback().edited_files == ()
    assert bench.text("phases/one.md") == between.replace(b"step three\n", b"step 3\n")


def test_all_takes_back_what_stands_of_a_file_to_which_someone_gave_an_earlier_text_again(bench):
    bench.edit("FIX-001", "run.sh", b"tide", b"ebb")
    (bench.skill / "run.sh").write_bytes(b"between\n")
    bench.edit("FIX-002", "run.sh", b"between", b"flood")
    (bench.skill / "run.sh").write_bytes(b"#!/bin/sh\necho ebb\n")
    done = bench.rollback()
    assert (done.fixes, done.left) == (("FIX-001",), {"FIX-002": ("run.sh",)})
    assert bench.text("run.sh") == b"#!/bin/sh\necho tide\n"


def test_all_leaves_a_file_whose_place_was_taken_by_a_folder(bench):
    bench.keep("FIX-001", bench.delete("phases/two.md"))
    bench.edit("FIX-002", "run.sh", b"tide", b"ebb")
    (bench.skill / "phases/two.md").mkdir()
    assert bench.rollback().left == {"FIX-001": ("phases/two.md",)}
    assert bench.text("run.sh") == b"#!/bin/sh\necho tide\n"


def test_one_fix_goes_where_a_later_fix_of_another_place_stays(bench):
    original = bench.text("phases/one.md")
    bench.edit("FIX-001", "phases/one.md", b"step 3\nstep 4\n", b"step three\n")
    bench.edit("FIX-002", "phases/one.md", b"step 30\n", b"step thirty\nand more\n")
    bench.rollback("FIX-001")
    assert bench.text("phases/one.md") == original.replace(b"step 30\n", b"step thirty\nand more\n")
    bench.rollback("FIX-002")
    assert bench.text("phases/one.md") == original


def test_one_fix_with_several_hunks_goes_after_lines_moved(bench):
    original = bench.text("phases/one.md")
    bench.keep(
        "FIX-001",
        bench.modify("phases/one.md", original.replace(b"step 10\n", b"").replace(b"step 30\n", b"step 30\nnew\n")),
    )
    bench.edit("FIX-002", "phases/one.md", b"step 20\n", b"step 20\n" + b"added\n" * 5)
    bench.rollback("FIX-001")
    assert bench.text("phases/one.md") == original.replace(b"step 20\n", b"step 20\n" + b"added\n" * 5)


def test_one_fix_is_refused_naming_just_the_later_fixes_of_the_same_place(bench):
    bench.edit("FIX-001", "phases/one.md", b"step 10\n", b"step ten\nstep ten and a half\n")
    bench.edit("FIX-002", "phases/one.md", b"step 30\n", b"step thirty\n")
    bench.edit("FIX-003", "phases/one.md", b"step ten\n", b"step 10!\n")
    bench.edit("FIX-004", "phases/one.md", b"step 1\n", b"step 0\nstep 1\n")
    bench.edit("FIX-005", "phases/one.md", b"step ten and a half\n", b"")
    before = bench.snapshot()
    with pytest.raises(Refused) as caught:
        bench.rollback("FIX-001")
    assert "phases/one.md" in str(caught.value)
    assert "roll back FIX-003, FIX-005 first;" in str(caught.value)
    assert bench.snapshot() == before


def test_overlapping_fixes_go_together(bench):
    original = bench.text("phases/one.md")
    bench.edit("FIX-001", "phases/one.md", b"step 10\n", b"step ten\n")
    bench.edit("FIX-002", "phases/one.md", b"step 30\n", b"step thirty\n")
    bench.edit("FIX-003", "phases/one.md", b"step ten\n", b"step 10!\n")
    assert bench.rollback("FIX-003", "FIX-001").fixes == ("FIX-001", "FIX-003")
    assert bench.text("phases/one.md") == original.replace(b"step 30\n", b"step thirty\n")


def test_one_fix_keeps_what_someone_wrote_elsewhere_in_the_file(bench):
    original = bench.text("phases/one.md")
    bench.edit("FIX-001", "phases/one.md", b"step 10\n", b"step ten\n")
    (bench.skill / "phases/one.md").write_bytes(b"mine\n" + bench.text("phases/one.md"))
    bench.rollback("FIX-001")
    assert bench.text("phases/one.md") == b"mine\n" + original


def test_one_fix_is_refused_where_someone_edited_its_lines(bench):
    bench.edit("FIX-001", "phases/one.md", b"step 10\n", b"step ten\n")
    mine = bench.text("phases/one.md").replace(b"step ten\n", b"step X\n")
    (bench.skill / "phases/one.md").write_bytes(mine)
    with pytest.raises(Refused, match="was changed since"):
        bench.rollback("FIX-001")
    assert bench.text("phases/one.md") == mine


def test_of_the_chosen_fixes_none_is_named_as_being_in_the_way(bench):
    two_places = bench.text("phases/one.md").replace(b"step 10\n", b"step ten\n").replace(b"step 30\n", b"")
    bench.keep("FIX-001", bench.modify("phases/one.md", two_places))
    bench.edit("FIX-002", "phases/one.md", b"step ten\n", b"step X\n")
    bench.edit("FIX-003", "phases/one.md", b"step 29\n", b"step twenty-nine\n")
    with pytest.raises(Refused, match="roll back FIX-003 first"):
        bench.rollback("FIX-001", "FIX-002")


def test_a_fix_whose_change_a_later_fix_took_back_does_not_go_alone(bench):
    bench.edit("FIX-001", "run.sh", b"tide", b"ebb")
    bench.edit("FIX-002", "run.sh", b"ebb", b"tide")
    with pytest.raises(Refused, match="FIX-002"):
        bench.rollback("FIX-001")


def test_one_fix_is_refused_where_its_lines_now_stand_twice(bench):
    bench.edit("FIX-001", "phases/one.md", b"step 10\n", b"step ten\n")
    (bench.skill / "phases/one.md").write_bytes(bench.text("phases/one.md") * 2)
    with pytest.raises(Refused):
        bench.rollback("FIX-001")


def test_a_created_file_that_was_edited_is_not_removed_alone(bench):
    bench.keep("FIX-001", bench.create("new/a.md", b"x\n"), bench.modify("run.sh", b"y"))
    bench.edit("FIX-002", "new/a.md", b"x\n", b"x\nmore\n")
    with pytest.raises(Refused, match="FIX-002"):
        bench.rollback("FIX-001")
    assert bench.text("run.sh") == b"y"
    bench.rollback("FIX-002")
    bench.rollback("FIX-001")
    assert not (bench.skill / "new").exists()
    assert bench.text("run.sh") == b"#!/bin/sh\necho tide\n"


def test_a_deleted_file_that_someone_wrote_again_is_not_overwritten(bench):
    bench.keep("FIX-001", bench.delete("run.sh"))
    (bench.skill / "run.sh").write_bytes(b"mine")
    with pytest.raises(Refused, match=r"run\.sh"):
        bench.rollback("FIX-001")
    assert bench.text("run.sh") == b"mine"


def test_of_the_named_fixes_those_that_stand_are_taken_back(bench):
    bench.edit("FIX-001", "run.sh", b"tide", b"ebb")
    assert bench.rollback("FIX-009").fixes == ()
    assert bench.rollback("FIX-009", "FIX-001").fixes == ("FIX-001",)
    assert bench.rollback("FIX-001").fixes == ()
    assert bench.text("run.sh") == b"#!/bin/sh\necho tide\n"


def test_a_fix_that_was_undone_at_once_is_not_rolled_back_again(bench):
    bench.edit("FIX-001", "run.sh", b"tide", b"ebb")
    space = bench.space
    with space.hold("run-1"):
        space.apply("FIX-002", [bench.modify("run.sh", b"z")])
        space.undo()
    assert bench.rollback().fixes == ("FIX-001",)


def test_a_rollback_that_is_undone_leaves_the_fixes_standing(bench):
    three_fixes(bench)
    after = bench.snapshot()
    space = bench.space
    with space.hold("run-1"):
        space.rollback()
        assert space.undo() == ()
    assert bench.snapshot() == after
    assert bench.rollback().fixes == ("FIX-001", "FIX-002", "FIX-003")


def test_with_nothing_applied_all_takes_nothing_back(bench):
    assert bench.rollback().fixes == ()


def test_a_folder_that_cannot_be_removed_stops_the_rollback_and_a_second_one_gives_the_original(bench, monkeypatch):
    before = bench.snapshot()
    bench.keep("FIX-001", bench.create("new/deep.md", b"fresh\n"))
    after = bench.snapshot()

    def full(path):
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch, pytest.raises(WriteFailed):
        patch.setattr(Path, "rmdir", full)
        bench.rollback()
    assert bench.snapshot() == after
    bench.rollback()
    assert bench.snapshot() == before
