"""Test the rollback of one merged fix, named by its id, in files that were edited since."""

import pytest

from orchestrator.errors import Refused

PARTS = {"FIX-001": [["phases/one.md"], ["phases/one.md"], ["phases/two.md"]]}


def roll_back(bench, *fixes):
    space = bench.space
    with space.hold("run-1"):
        done = space.rollback(fixes or None, PARTS)
        space.close()
    return done


@pytest.fixture
def merged(bench):
    old = bench.text("phases/one.md")
    new = old.replace(b"step 10\n", b"step ten\n").replace(b"step 30\n", b"step thirty\n")
    bench.keep("FIX-001", bench.modify("phases/one.md", new), bench.modify("phases/two.md", b"new phase\n"))
    return bench


def replace_in_one(bench, old, new):
    text = bench.text("phases/one.md")
    assert old in text
    (bench.skill / "phases/one.md").write_bytes(text.replace(old, new))


def test_a_named_merged_fix_is_rolled_back_if_only_lines_around_it_were_edited(merged):
    replace_in_one(merged, b"step 11\n", b"mine\n")
    assert roll_back(merged, "FIX-001").left == {}
    text = merged.text("phases/one.md")
    assert b"step 10\nmine\n" in text
    assert b"step 30\n" in text
    assert merged.text("phases/two.md") == b"old phase\n"
    assert merged.space.applied_fixes() == ()


def test_a_named_merged_fix_with_an_edited_line_is_not_changed(merged):
    replace_in_one(merged, b"step ten\n", b"mine\n")
    before = merged.snapshot()
    with pytest.raises(Refused, match=r"phases/one\.md .*changed afterwards"):
        roll_back(merged, "FIX-001")
    assert merged.snapshot() == before
    assert roll_back(merged).left == {"FIX-001": ("phases/one.md",)}
    assert b"step 30\n" in merged.text("phases/one.md")
