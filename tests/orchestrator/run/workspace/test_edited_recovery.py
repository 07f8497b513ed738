"""Test the recovery of a fix that was not verified, in files that a user edited before the next command."""

import pytest
from msgspec.structs import replace

from orchestrator.errors import Refused

STEPS = ("phases/one.md", b"step 20\n", b"step twenty\n")


def die_in_apply(bench, *changes, edits):
    """Apply a fix without verifying it, and edit files meanwhile. The end of the hold recovers, as the next hold would."""
    space = bench.space
    with space.hold("run-1"):
        space.apply("FIX-001", changes)
        for file, old, new in edits:
            (bench.skill / file).write_bytes(bench.read(file).replace(old, new))


def modify_step(bench):
    file, old, new = STEPS
    return bench.modify(file, bench.read(file).replace(old, new))


def test_unverified_fix_is_undone_in_a_file_edited_elsewhere(bench):
    expected_text = bench.read("phases/one.md").replace(b"step 40\n", b"step 40\nmine\n")
    die_in_apply(bench, modify_step(bench), edits=[("phases/one.md", b"step 40\n", b"step 40\nmine\n")])
    assert bench.read("phases/one.md") == expected_text
    assert bench.space.list_applied_fixes() == ()


def test_unverified_fix_that_was_edited_stays_applied(bench):
    changes = modify_step(bench), bench.modify("phases/two.md", b"new phase\n")
    die_in_apply(bench, *changes, edits=[("phases/one.md", b"step twenty\n", b"mine\nstep twenty\n")])
    text = bench.read("phases/one.md")
    assert b"mine\nstep twenty\n" in text
    assert bench.read("phases/two.md") == b"new phase\n", "a fix is undone in all files or in none"
    assert bench.space.list_applied_fixes() == ("FIX-001",)
    assert bench.rollback().left == {"FIX-001": ("phases/one.md",)}
    with pytest.raises(Refused, match=r"phases/one\.md"):
        bench.rollback("FIX-001")
    (bench.skill / "phases/one.md").write_bytes(text.replace(b"mine\n", b""))
    assert bench.rollback().fixes == ("FIX-001",)
    assert bench.read("phases/one.md").count(b"step 20\n") == 1
    assert bench.read("phases/two.md") == b"old phase\n"
    assert bench.space.list_applied_fixes() == ()


def test_unverified_fix_that_the_user_undid_is_not_applied(bench):
    change = modify_step(bench)
    die_in_apply(
        bench, change, edits=[("phases/one.md", b"step twenty\n", b"step 20\n"), ("phases/one.md", b"p 5", b"q")]
    )
    assert b"step 20\n" in bench.read("phases/one.md")
    assert bench.space.list_applied_fixes() == ()


def test_unverified_mode_is_restored_in_an_edited_file(bench):
    (bench.skill / "run.sh").chmod(0o644)
    change = replace(bench.modify("run.sh", bench.read("run.sh")), mode=0o755)
    die_in_apply(bench, change, edits=[("run.sh", b"tide", b"ebb")])
    assert bench.snapshot()["run.sh"] == (0o644, b"#!/bin/sh\necho ebb\n")
    assert bench.space.list_applied_fixes() == ()


def test_message_names_files_in_which_an_unverified_fix_stays(bench):
    space = bench.space
    with space.hold("run-1"):
        space.apply("FIX-001", [modify_step(bench)])
        (bench.skill / "phases/one.md").write_bytes(bench.read("phases/one.md").replace(b"step 19\n", b"mine\n"))
        (recovery,) = space._recover(lambda _: frozenset())
    assert "the fix was not undone, because of later edits in phases/one.md" in recovery.sentence
    assert "rolled back" not in recovery.sentence


def test_unverified_fix_keeps_its_new_file_if_its_link_was_edited(bench):
    changes = (
        bench.create("rules.md", b"Count all birds.\n"),
        bench.modify("phases/two.md", b"Read [this](rules.md).\n"),
    )
    die_in_apply(
        bench, *changes, edits=[("phases/two.md", b".\n", b".\nAsk first.\n"), ("phases/two.md", b"Re", b"See, re")]
    )
    assert bench.read("rules.md") == b"Count all birds.\n"
    assert b"rules.md" in bench.read("phases/two.md")
    assert bench.space.list_applied_fixes() == ("FIX-001",)


def test_unverified_fix_that_stays_excludes_files_not_yet_written(bench):
    space, changes = bench.space, (modify_step(bench), bench.modify("run.sh", b"new\n"))
    original = bench.read("run.sh")
    with space.hold("run-1"):
        space.apply("FIX-001", changes)
        (bench.skill / "run.sh").write_bytes(original)
        (bench.skill / "phases/one.md").write_bytes(bench.read("phases/one.md").replace(b"step 19\n", b"mine\n"))
    assert bench.space.list_applied_files() == {"phases/one.md"}


def test_fix_applied_again_to_a_restored_file_is_rolled_back_once(bench):
    original = bench.read("phases/one.md")
    die_in_apply(bench, modify_step(bench), edits=[("phases/one.md", b"step 19\n", b"mine\n")])
    (bench.skill / "phases/one.md").write_bytes(original)
    bench.apply_fix("FIX-001", modify_step(bench))
    assert bench.space.list_applied_fixes() == ("FIX-001",)
    (bench.skill / "phases/one.md").write_bytes(bench.read("phases/one.md") + b"mine\n")
    assert bench.rollback("FIX-001").fixes == ("FIX-001",)
    assert bench.read("phases/one.md") == original + b"mine\n"
