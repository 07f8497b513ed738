"""Test rollbacks after the rollback of another fix, without edits of the user in the same file."""

import pytest

from orchestrator.errors import Refused

FILE = "phases/two.md"
ORIGINAL = b"# Gulls\n\n## Collect\n\nSee the giude.\n\n## Draw the mpa\n\nDraw it.\n"


@pytest.fixture
def bench_with_fixes(bench):
    """A bench with two fixes beside each other; the second is in a heading, and the rollback of the first changes that."""
    (bench.skill / FILE).write_bytes(ORIGINAL)
    bench.apply_edit("FIX-001", FILE, b"giude", b"guide")
    bench.apply_edit("FIX-002", FILE, b"mpa", b"map")
    return bench


@pytest.mark.parametrize("last", [("FIX-002",), ()], ids=["named", "all"])
@pytest.mark.parametrize("first", ["FIX-001", "FIX-002"])
def test_rollback_of_one_fix_prevents_no_other_one(bench_with_fixes, first, last):
    bench_with_fixes.rollback(first)
    other = "FIX-002" if first == "FIX-001" else "FIX-001"
    assert bench_with_fixes.rollback(*last and (other,)).fixes == (other,)
    assert bench_with_fixes.read(FILE) == ORIGINAL


def test_rollback_of_all_fixes_restores_the_bytes_after_the_rollback_of_one(bench_with_fixes):
    bench_with_fixes.apply_edit("FIX-003", FILE, b"Draw it.", b"Draw it now.")
    bench_with_fixes.rollback("FIX-001")
    assert bench_with_fixes.rollback().fixes == ("FIX-002", "FIX-003")
    assert bench_with_fixes.read(FILE) == ORIGINAL


def test_rollback_restores_all_files_of_a_fix_or_none(bench_with_fixes):
    """No one edited the first file of FIX-003, but its second file keeps it applied."""
    new_text = bench_with_fixes.read("run.sh").replace(b"tide", b"ebb")
    bench_with_fixes.apply_fix(
        "FIX-003",
        bench_with_fixes.modify(FILE, bench_with_fixes.read(FILE).replace(b"Draw it.", b"Draw it now.")),
        bench_with_fixes.modify("run.sh", new_text),
    )
    (bench_with_fixes.skill / "run.sh").write_bytes(new_text.replace(b"ebb", b"flood"))
    assert bench_with_fixes.rollback().left["FIX-003"] == ("run.sh",)
    assert b"Draw it now." in bench_with_fixes.read(FILE)


def test_rollback_removes_a_folder_that_another_fix_created(bench):
    before = bench.snapshot()
    bench.apply_fix("FIX-001", bench.create("birds/gull.md", b"Gull.\n"))
    bench.apply_fix("FIX-002", bench.create("birds/tern.md", b"Tern.\n"))
    bench.rollback("FIX-001")
    bench.rollback("FIX-002")
    assert bench.snapshot() == before


def test_fix_in_a_renamed_file_of_another_fix_is_not_rolled_back(bench):
    bench.apply_fix("FIX-001", bench.create("guide.md", b"# Guide\n\nSee teh map.\n"))
    bench.apply_edit("FIX-002", "guide.md", b"teh", b"the")
    (bench.skill / "guide.md").rename(bench.skill / "moved.md")
    with pytest.raises(Refused):
        bench.rollback("FIX-002")
    (bench.skill / "moved.md").rename(bench.skill / "guide.md")
    assert bench.rollback("FIX-002").fixes == ("FIX-002",)
    assert b"teh map" in bench.read("guide.md")


def test_rollback_of_all_restores_the_bytes_from_after_an_edit_between_older_fixes(bench_with_fixes):
    bench_with_fixes.rollback()
    (bench_with_fixes.skill / FILE).write_bytes(ORIGINAL + b"\nMine.\n")
    bench_with_fixes.apply_edit("FIX-003", FILE, b"giude", b"guide")
    bench_with_fixes.apply_edit("FIX-004", FILE, b"mpa", b"map")
    bench_with_fixes.apply_edit("FIX-005", FILE, b"Draw it.", b"Draw it now.")
    bench_with_fixes.rollback("FIX-003")
    assert bench_with_fixes.rollback().fixes == ("FIX-004", "FIX-005")
    assert bench_with_fixes.read(FILE) == ORIGINAL + b"\nMine.\n"
