"""Taking a change out of a text that changed since."""

from hypothesis import given
from hypothesis import strategies as st

from orchestrator.run.workspace.hunks import find_overlapping, revert_change

LINES = st.lists(st.sampled_from([b"a\n", b"b\r\n", b"c\n", b"\n", b"d"]), max_size=12).map(b"".join)
NUMBERED = [b"%d\n" % n for n in range(60)]


@given(old=LINES, new=LINES)
def test_from_its_own_result_a_change_comes_out_whole_or_not_at_all(old, new):
    assert revert_change(old, new, new) in (old, None)


def doubled(lines, number):
    """Add a line after the line `number`."""
    target = b"%d\n" % number
    return b"".join(line + b"mine\n" if line == target else line for line in lines)


@given(at=st.integers(0, 40), other=st.integers(0, 59), deleted=st.integers(0, 3), added=st.integers(0, 3))
def test_two_distant_changes_are_independent(at, other, deleted, added):
    """The first replaces `deleted` lines at `at` by `added` new ones, the second doubles a line that is far away."""
    start, end = at, at + deleted
    if start - 4 <= other <= end + 4:
        return
    first = [*NUMBERED[:start], *[b"new\n"] * added, *NUMBERED[end:]]
    old, new = b"".join(NUMBERED), b"".join(first)
    text, wanted = doubled(first, other), doubled(NUMBERED, other)
    assert revert_change(old, new, text) == wanted
    assert find_overlapping(old, new, [("FIX-002", new, text)]) == []


def test_without_context_there_is_no_place_to_put_lines_back():
    assert revert_change(b"all\n", b"", b"other\n") is None


def test_a_missing_last_newline_is_kept():
    old, new = b"".join(NUMBERED) + b"end", b"".join(NUMBERED[1:]) + b"end"
    assert revert_change(old, new, new.replace(b"40\n", b"forty\n")) == old.replace(b"40\n", b"forty\n")


def test_hunks_whose_order_changed_do_not_come_out():
    old = b"".join(NUMBERED)
    new = old.replace(b"\n10\n", b"\nten\n").replace(b"\n40\n", b"\nforty\n")
    lines = new.splitlines(keepends=True)
    assert revert_change(old, new, b"".join(lines[30:] + lines[:30])) is None


def test_a_place_is_followed_when_lines_are_put_before_it():
    old = b"".join(NUMBERED)
    new = old.replace(b"\n40\n", b"\nforty\n")
    lower, edited = b"top\n" * 30 + new, b"top\n" * 30 + new.replace(b"forty", b"FORTY")
    elsewhere = lower.replace(b"\n10\n", b"\nten\n")
    assert find_overlapping(old, new, [("FIX-002", new, lower), ("FIX-003", lower, edited)]) == ["FIX-003"]
    assert find_overlapping(old, new, [("FIX-002", new, lower), ("FIX-003", lower, elsewhere)]) == []
    assert find_overlapping(old, new, [("FIX-003", lower, edited)]) == ["FIX-003"]
    assert find_overlapping(old, new, [("FIX-003", lower, elsewhere)]) == []
