"""Test what a refused rollback names as the cause and advises."""

import pytest

from orchestrator.errors import Refused


def test_rollback_refuses_and_names_later_fixes_of_same_place(bench):
    bench.apply_edit("FIX-001", "phases/one.md", b"step 10\n", b"step ten\nstep ten and a half\n")
    bench.apply_edit("FIX-002", "phases/one.md", b"step 30\n", b"step thirty\n")
    bench.apply_edit("FIX-003", "phases/one.md", b"step ten\n", b"step 10!\n")
    bench.apply_edit("FIX-004", "phases/one.md", b"step 1\n", b"step 0\nstep 1\n")
    bench.apply_edit("FIX-005", "phases/one.md", b"step ten and a half\n", b"")
    before = bench.snapshot()
    with pytest.raises(Refused) as error_info:
        bench.rollback("FIX-001")
    assert "phases/one.md" in str(error_info.value)
    assert "roll back FIX-003, FIX-005 first;" in str(error_info.value)
    assert bench.snapshot() == before


def test_rollback_does_not_name_chosen_fixes_as_later_ones(bench):
    two_places = bench.read("phases/one.md").replace(b"step 10\n", b"step ten\n").replace(b"step 30\n", b"")
    bench.apply_fix("FIX-001", bench.modify("phases/one.md", two_places))
    bench.apply_edit("FIX-002", "phases/one.md", b"step ten\n", b"step X\n")
    bench.apply_edit("FIX-003", "phases/one.md", b"step 29\n", b"step twenty-nine\n")
    with pytest.raises(Refused, match="roll back FIX-003 first"):
        bench.rollback("FIX-001", "FIX-002")


@pytest.mark.parametrize(
    ("theirs", "mine", "is_advised"),
    [
        (b"Read the guide", b"Now read the guide", False),
        (b"at the bay", b"at each bay", False),
        (b"# Gulls\n", b"# Gulls\n\nMine.\n", True),
    ],
    ids=["a line above", "its own line", "far away"],
)
def test_rollback_in_an_edited_file_names_later_fixes_only_if_that_helps(bench, theirs, mine, is_advised):
    """Both fixes changed one line."""
    text = b"# Gulls\n\nRead the guide of the coast first.\n\nCount gulls at teh bay. Write a reprot.\n\nSend it to the council.\n"
    (bench.skill / "phases/one.md").write_bytes(text)
    bench.apply_edit("FIX-001", "phases/one.md", b"teh", b"the")
    bench.apply_edit("FIX-002", "phases/one.md", b"reprot", b"report")
    (bench.skill / "phases/one.md").write_bytes(bench.read("phases/one.md").replace(theirs, mine))
    with pytest.raises(Refused) as error_info:
        bench.rollback("FIX-001")
    assert ("roll back FIX-002 first" in str(error_info.value)) == is_advised
    if is_advised:
        bench.rollback("FIX-002")
        bench.rollback("FIX-001")
        assert bench.read("phases/one.md") == text.replace(theirs, mine)


def test_rollback_says_that_line_ends_were_changed(bench):
    bench.apply_edit("FIX-001", "phases/one.md", b"step 10\n", b"step ten\n")
    (bench.skill / "phases/one.md").write_bytes(bench.read("phases/one.md").replace(b"\n", b"\r\n"))
    with pytest.raises(Refused, match="its line ends were changed afterwards"):
        bench.rollback("FIX-001")


def test_rollback_says_that_a_created_file_was_edited(bench):
    bench.apply_fix("FIX-001", bench.create("phases/new.md", b"# New\n"))
    (bench.skill / "phases/new.md").write_bytes(b"# New\n\nMine.\n")
    with pytest.raises(Refused, match="it was edited after FIX-001 had created it; delete it yourself"):
        bench.rollback("FIX-001")
