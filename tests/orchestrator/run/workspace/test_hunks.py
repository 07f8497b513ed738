"""Test the reversal of one change in a text that changed since."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.run.workspace.hunks import find_overlapping, revert_change, revert_unedited_lines
from tests.growth import grows_at_most, measure_seconds
from tests.orchestrator.run.workspace.conftest import BIRDS, name_line

LINES = st.lists(st.sampled_from([b"a\n", b"b\r\n", b"c\n", b"\n", b"d"]), max_size=12).map(b"".join)
NAMED = [name_line(n).encode() for n in range(60)]


@given(old=LINES, new=LINES)
def test_revert_change_restores_the_old_text_or_returns_none(old, new):
    assert revert_change(old, new, new) in (old, None)


def add_line_after(lines, number):
    """Add a line after the line `number`."""
    target = NAMED[number]
    return b"".join(line + b"mine\n" if line == target else line for line in lines)


@given(start=st.integers(0, 40), distant_line=st.integers(0, 59), deleted=st.integers(0, 3), added=st.integers(0, 3))
def test_revert_change_keeps_a_distant_change(start, distant_line, deleted, added):
    """The change replaces `deleted` lines from `start` on by `added` new ones. The edit adds a line far away from it."""
    end = start + deleted
    if start - 4 <= distant_line <= end + 4:
        return
    first = [*NAMED[:start], *[b"new\n"] * added, *NAMED[end:]]
    old, new = b"".join(NAMED), b"".join(first)
    text, expected = add_line_after(first, distant_line), add_line_after(NAMED, distant_line)
    assert revert_change(old, new, text) == expected
    assert find_overlapping(old, new, [("FIX-002", new, text)]) == []


def test_revert_change_without_context_returns_none():
    assert revert_change(b"all\n", b"", b"other\n") is None


def test_revert_change_keeps_a_missing_last_newline():
    old, new = b"".join(NAMED) + b"end", b"".join(NAMED[1:]) + b"end"
    assert revert_change(old, new, new.replace(NAMED[40], b"forty\n")) == old.replace(NAMED[40], b"forty\n")


@pytest.mark.parametrize(
    ("old", "new", "text"),
    [
        ("a\nb\nc\nd\n", "a\nb\nc\n", "mine\na\nb\nc\nd\n"),
        ("a\nb\nc\nd\n", "a\nb\nc\n", "a\nb\nc\nmine\n  d"),
        ("a\nb\nc\nd\n", "b\nc\nd\n", "a\nb\nc\nd\nmine\n"),
        ("a\nb\nc\nd\n", "a\nb\n", "mine\na\nb\nd\n"),
        ("a\nb\nc\nd\n", "a\nb\nd\n", "c\na\nb\nd\n"),
        ("a\nb\nc\nd\n", "a\nB\nc\n", "mine\na\nB\nc\nd\n"),
        ("a\nb\nc\n\n", "a\nb\nc\n", "mine\na\nb\nc\n\n"),
        ("\na\nb\nc\n", "a\nb\nc\n", "\na\nb\nc\nmine\n"),
        ("a\nb\nc\nd\n", "d\na\nb\nc\n", "mine\nd\na\nb\nc\nd\n"),
        ("a\nx\nb\nc\nx\n", "a\nx\nb\nc\n", "a\nx\nb\nc\nx\nmine\n"),
    ],
)
def test_revert_change_adds_no_line_that_the_user_restored(old, new, text):
    assert revert_change(old.encode(), new.encode(), text.encode()) is None


def test_revert_change_at_the_end_keeps_appended_lines():
    old, new = b"a\nb\nc\nd\n", b"a\nb\nc\n"
    assert revert_change(old, new, new + b"mine\n") == old + b"mine\n"


@pytest.mark.parametrize(
    ("old", "new"), [("a\nb\nend", "a\nb\n"), ("a\nb\nend", "a\nb\nEND\n"), ("a\nb\nend", "a\nb\nend\n")]
)
def test_reversals_join_no_line_to_a_last_line_without_newline(old, new):
    text = new + "mine\n"
    assert revert_change(old.encode(), new.encode(), text.encode()) is None
    assert revert_unedited_lines(old.encode(), new.encode(), text.encode()) == (text.encode(), new.encode())


def test_revert_change_follows_reordered_hunks():
    old = b"".join(NAMED)
    new = old.replace(NAMED[10], b"ten\n").replace(NAMED[40], b"forty\n")
    lines = new.splitlines(keepends=True)
    assert revert_change(old, new, b"".join(lines[30:] + lines[:30])) == b"".join(NAMED[30:] + NAMED[:30])


def test_find_overlapping_follows_moved_lines():
    old = b"".join(NAMED)
    new = old.replace(NAMED[40], b"forty\n")
    moved_text, edited_text = b"top\n" * 30 + new, b"top\n" * 30 + new.replace(b"forty", b"FORTY")
    elsewhere = moved_text.replace(NAMED[10], b"ten\n")
    assert find_overlapping(old, new, [("FIX-002", new, moved_text), ("FIX-003", moved_text, edited_text)]) == [
        "FIX-003"
    ]
    assert find_overlapping(old, new, [("FIX-002", new, moved_text), ("FIX-003", moved_text, elsewhere)]) == []
    assert find_overlapping(old, new, [("FIX-003", moved_text, edited_text)]) == ["FIX-003"]
    assert find_overlapping(old, new, [("FIX-003", moved_text, elsewhere)]) == []


@pytest.mark.parametrize("step", [2, 8])
def test_thousands_of_hunks_are_reverted_in_linear_time(step):
    def measure(count):
        lines = [name_line(n) for n in range(count)]
        changed = [line if n % step else f"new {line}" for n, line in enumerate(lines)]
        old, new = ("".join(text_lines).encode() for text_lines in (lines, changed))
        text = new + b"mine\n" * 4
        assert revert_change(old, new, new) == old
        return measure_seconds(lambda: (revert_change(old, new, text), find_overlapping(old, new, [("A", new, text)])))

    assert grows_at_most(measure, 2_000, 4_000, factor=2.4)


@pytest.mark.parametrize(
    ("old", "new", "text", "reverted"),
    [
        ("a\nb\nc\n", "A\nB\nC\n", "A\nmine\nC\n", "a\nmine\nc\n"),
        ("a\nb\nc\n", "A\nB\nC\n", "mine\nA\nB\nC\nmine\n", "mine\na\nb\nc\nmine\n"),
        ("a\nb\nc\nd\n", "a\nd\n", "a\nd\nmine\n", "a\nb\nc\nd\nmine\n"),
        ("a\nb\nc\nd\n", "a\nd\n", "a\nmine\nd\n", "a\nmine\nd\n"),
        ("a\nb\n", "a\nx\ny\nb\n", "a\nx\ny\nb\nmine\n", "a\nb\nmine\n"),
        ("a\nb\n", "a\nx\ny\nb\n", "a\nx\nmine\nb\n", "a\nx\nmine\nb\n"),
        ("a\n", "A\n", "", ""),
        ("a\nb\nc\nd\n", "a\nd\n", "b\na\nd\n", "b\na\nd\n"),
        ("a\nb\nc\nd", "d\na\nb\nc\n", "mine\nd\na\nb\nc\n", "mine\nd\na\nb\nc\n"),
        ("a\nb\nc\nd\n", "d\na\nb\nc\n", "d\na\nb\nc\nmine\n", "d\na\nb\nc\nmine\n"),
        ("a\nb\nc\nd\n", "A\nb\nc\n", "A\nb\nc\nd\nmine\n", "a\nb\nc\nd\nmine\n"),
    ],
)
def test_revert_unedited_lines_keeps_edited_ones(old, new, text, reverted):
    assert revert_unedited_lines(old.encode(), new.encode(), text.encode())[0].decode() == reverted


@given(st.lists(st.sampled_from("abcd")), st.lists(st.sampled_from("abXY")), st.integers(0, 9))
def test_revert_unedited_lines_loses_no_line_of_the_user(old, new, start):
    """A line that only the user has stays, wherever it is inserted; without it the old text comes back."""
    before, after = ("".join(f"{line}\n" for line in lines).encode() for lines in (old, new))
    start = min(start, len(new))
    text = "".join(f"{line}\n" for line in (*new[:start], "mine", *new[start:])).encode()
    reverted, remaining = revert_unedited_lines(before, after, text)
    assert reverted.count(b"mine\n") == 1
    reverted_again, remaining_again = revert_unedited_lines(before, remaining, remaining)
    assert (reverted_again, remaining_again) == (before, before), "the remaining changes were not reverted"


def build_sections(numbers, *, sections_with_extra_entry=()):
    """Return sections of the same form; those in `sections_with_extra_entry` have one more entry."""
    sections = [
        f"## Bird {n}\n\nAll {BIRDS[n].decode()} are grey.\n\n- [The index](index.md)\n"
        + (f"- [The {n}]({n}.md)\n" if n in sections_with_extra_entry else "")
        + "- [The log](log.md)\n\n"
        for n in numbers
    ]
    return "# Birds\n\n" + "".join(sections)


@pytest.mark.parametrize(
    "numbers",
    [
        [0, 1, 2, 7, 4, 5, 6, 3, 8],
        [0, 1, 2, 4, 5, 6, 7, 3, 8],
        [0, 1, 2, 9, 3, 4, 5, 6, 7, 8],
        [0, 1, 2, 4, 5, 6, 7, 8],
    ],
    ids=["exchanged", "moved", "added", "deleted"],
)
def test_reversals_follow_sections_of_one_form(numbers):
    old, new = build_sections(range(9), sections_with_extra_entry=range(9)).encode(), build_sections(range(9)).encode()
    text = build_sections(numbers)
    unique_numbers = {n for n in range(9) if numbers.count(n) == 1}
    assert revert_unedited_lines(old, new, text.encode())[0].decode() == build_sections(
        numbers, sections_with_extra_entry=unique_numbers
    )
    is_complete = len(unique_numbers) == 9
    expected = build_sections(numbers, sections_with_extra_entry=unique_numbers).encode() if is_complete else None
    assert revert_change(old, new, text.encode()) == expected


def test_revert_unedited_lines_leaves_a_reworded_section():
    old, new = build_sections(range(9), sections_with_extra_entry=range(9)), build_sections(range(9))
    text = new.replace("All godwits are grey", "All godwits are blue")
    others = build_sections(range(9), sections_with_extra_entry={*range(9)} - {3})
    expected = others.replace("All godwits are grey", "All godwits are blue")
    assert revert_unedited_lines(old.encode(), new.encode(), text.encode()) == (expected.encode(), others.encode())


@pytest.mark.parametrize(
    ("old", "new", "text"),
    [
        ("t\n\nold\n\nend\n", "t\n\nnew\n\nend\n", "t\n\nnew\n\nmine\n\nnew\n\nend\n"),
        ("t\no1\np1\no2\np2\nend\n", "t\nnew\np1\nnew\np2\nend\n", "t\nnew\np2\nend\n"),
        ("o1\np1\no2\np2\no3\np3\n", "new\np1\nnew\np2\nnew\np3\n", "new\np3\nnew\np2\nnew\np1\n"),
        ("t\nsee\nx\ndead\ny\n", "t\nsee\nx\ny\n", "t\nsee\nx\ny\nmine\nsee\nx\ny\n"),
    ],
    ids=["copied above", "deleted", "exchanged", "same form above"],
)
def test_revert_unedited_lines_does_not_guess_among_equal_lines(old, new, text):
    assert revert_unedited_lines(old.encode(), new.encode(), text.encode()) == (text.encode(), new.encode())


def test_revert_unedited_lines_of_equal_lines_in_other_places():
    old, new = ("".join(f"a{n}\n{line}\nb{n}\n" for n in range(5)) for line in ("old", "new"))
    text, expected = (
        text_of_side.replace("a3\nnew", "a3\nmine").replace("a3\nold", "a3\nmine") for text_of_side in (new, old)
    )
    assert revert_unedited_lines(old.encode(), new.encode(), text.encode())[0].decode() == expected


def build_phases(*phases):
    """Return a file of phases of one form: (name, first line, option) each."""
    form = "## {}\n\n{}\n\nCollect the counts:\n\n```bash\ncount {}\n```\n\nShow the file.\n\n"
    return "".join(form.format(*phase) for phase in phases).encode()


@pytest.mark.parametrize(
    ("old", "new", "text"),
    [
        (
            [("Morning", "Ask.", "--bad"), ("Evening", "Wait.", "--good")],
            [("Morning", "Ask.", "--good"), ("Evening", "Wait.", "--good")],
            [("Evening", "Wait.", "--good")],
        ),
        (
            [("Morning", "Ask.", "--bad"), ("Evening", "Wait.", "--other")],
            [("Morning", "Ask.", "--good"), ("Evening", "Wait.", "--other")],
            [("Evening", "Wait.", "--good"), ("Morning", "Ask.", "--mine")],
        ),
    ],
)
def test_revert_change_changes_no_other_section(old, new, text):
    assert revert_change(build_phases(*old), build_phases(*new), build_phases(*text)) is None


@pytest.mark.parametrize("edited", ["Part 0", "Part 7"])
def test_revert_change_of_a_repeated_context_after_a_distant_edit(edited):
    parts = [
        f"## Part {n}\n\nCount all {bird.decode()}:\n\n```\ncount\n```\n\nDone.\n\n" for n, bird in enumerate(BIRDS)
    ]
    old = "".join(parts)
    new = old.replace("godwits:\n\n```\n", "godwits:\n\n```bash\n").replace(
        "lapwings:\n\n```\ncount\n", "lapwings:\n\n```\n"
    )
    text, expected = (
        text_of_side.replace(f"## {edited}\n", f"## {edited}\n\nmine\n").encode() for text_of_side in (new, old)
    )
    assert revert_change(old.encode(), new.encode(), text) == expected


def test_revert_change_of_a_repeated_row_grows_its_context():
    """No heading distinguishes the rows; the nearest rows that differ do."""
    rows = [f"| {name_line(n).strip()} |\n" if n % 10 == 0 else "| - |\n" for n in range(80)]
    new = rows[:45] + rows[46:]
    text = ["mine\n", *new]
    old, fixed_text = "".join(rows).encode(), "".join(new).encode()
    assert revert_change(old, fixed_text, "".join(text).encode()) == b"mine\n" + old
    edited = "".join([*text[:41], "| mine |\n", *text[42:]])
    assert revert_change(old, fixed_text, edited.encode()) is None
    assert revert_change(old, fixed_text, "".join([*text[:42], *text[43:]]).encode()) is None


@pytest.mark.parametrize("start", [2, 7])
def test_reversals_refuse_a_place_that_the_user_copied(start):
    """The copy may be above or below the original."""
    old, new = (f"top\na\nb\n{line}\nc\nd\nend\n" for line in ("old", "new"))
    lines = new.splitlines(keepends=True)
    text = "".join(lines[:start] + lines[2:] + lines[start:]).encode()
    assert revert_change(old.encode(), new.encode(), text) is None
    assert revert_unedited_lines(old.encode(), new.encode(), text) == (text, new.encode())


def test_revert_change_adds_no_line_restored_in_its_section():
    old = "".join(f"## Part {n}\n\nrun\ndone\nend\n" for n in range(3))
    new = old.replace("done", "fixed", 1)
    text = new.replace("fixed\nend\n", "fixed\nend\ndone\n")
    assert revert_change(old.encode(), new.encode(), text.encode()) is None


def test_revert_unedited_lines_adds_no_repeated_restored_line():
    old, new = ("a\n```\nb\n\nc\n" + line + "d\n" for line in ("```\n", "~~~\n"))
    text = new.replace("~~~\n", "```\n~~~\n").encode()
    assert revert_unedited_lines(old.encode(), new.encode(), text) == (text, new.encode())


@pytest.mark.parametrize("lines", [["x\n"], ["a\n", "b\n", "\n"], [f"{n}\n" for n in range(300)]])
def test_reversals_of_repeated_lines_take_linear_time(lines):
    def measure(count):
        all_lines = (lines * count)[:count]
        old, new = (
            "".join(line for n, line in enumerate(all_lines) if n % 40 not in deleted_lines)
            for deleted_lines in ((), (20,))
        )
        text = f"mine\n{new}".encode()
        return measure_seconds(
            lambda: (
                revert_change(old.encode(), new.encode(), text),
                revert_unedited_lines(old.encode(), new.encode(), text),
            )
        )

    assert grows_at_most(measure, 2_000, 4_000, factor=2.6)


def build_parts(*bodies):
    """Return sections, named by their numbers, with these lines."""
    return "".join(f"## Part {n}\n{body}" for n, body in enumerate(bodies))


@pytest.mark.parametrize(
    ("old_part", "new_part"), [("## Part 2\n", "row\n## Part 2\n"), ("## Part 3\n", "## Part 3\nrow\n")]
)
def test_revert_change_adds_no_line_restored_across_a_heading(old_part, new_part):
    """The farther line that is equal moves out of sight, so that counting the nearest lines is not enough."""
    old, new = (build_parts("row\na\n", "b\nc\n", f"{line}\nd\n", "e\nf\ng\nrow\n") for line in ("row", "fixed"))
    assert revert_change(old.encode(), new.encode(), new.replace(old_part, new_part).encode()) is None


def test_reversals_ignore_a_copy_of_a_section_without_heading():
    """Neither heading is in both texts, but the lines tell the copy of another section from the original."""
    old, new = (build_parts("a\ncount\nshow\ndone\n", f"own\n{line}done\n", "b\nend\n") for line in ("", "show\n"))
    copy = "## Copy\na\ncount\nshow\ndone\n"
    text, expected = (
        text_of_side.replace("## Part 1\n", "").replace("## Part 0\n", f"{copy}## Part 0\n", 1).encode()
        for text_of_side in (new, old)
    )
    assert revert_change(old.encode(), new.encode(), text) in (None, expected)
    assert revert_unedited_lines(old.encode(), new.encode(), text)[0] in (text, expected)


def test_revert_unedited_lines_does_not_rely_on_a_blank_line():
    """The user moved another item below the heading, and a blank line followed it, as it does the fixed line."""
    old = "# T\n\nfirst\n- item\n\nsecond\n## Five\n\nsee\n## Six\n\nsee\n"
    new = old.replace("## Six\n", "- item\n")
    text = "# T\n\nfirst\n## Five\n\n- item\n\nsecond\n"
    assert revert_unedited_lines(old.encode(), new.encode(), text.encode()) == (text.encode(), new.encode())


def test_reversals_do_not_move_a_removed_title_below_the_start():
    """The blank line that was below the title is gone; another one is the only one without a heading now."""
    new, text = "\n## A\nown\n\n## B\n\nend\n", "own\n\n## B\n\nend\n"
    old = f"# Title\n{new}"
    assert revert_change(old.encode(), new.encode(), text.encode()) is None
    assert revert_unedited_lines(old.encode(), new.encode(), text.encode()) == (text.encode(), new.encode())


def test_revert_unedited_lines_compares_both_neighbours():
    old = "## A\nitem\nsee\ncount\nrow\n## Use\nitem\nsee\ncount\nrow\n## Use\nitem\nsee\nown\nrow\n"
    new = old.replace("## Use\nitem\nsee\ncount\n", "## Use\nitem\nsee\n").replace("see\nown\n", "see\n")
    text = "see\ncount\nrow\n## Use\n## A\nitem\nitem\nsee\nrow\n## Use\nitem\nsee\nrow\n"
    assert revert_unedited_lines(old.encode(), new.encode(), text.encode()) == (text.encode(), new.encode())


def test_reversals_find_a_place_below_lines_added_at_the_top():
    """Each line above the place repeats below it, so that none of them is unique."""
    old, new = (f"a\nb\n{line}\nc\n" + "a\nb\nx\nd\n" * 3 + "end\n" for line in ("old", "x"))
    text, expected = f"mine\n\n{new}".encode(), f"mine\n\n{old}".encode()
    assert revert_change(old.encode(), new.encode(), text) == expected
    assert revert_unedited_lines(old.encode(), new.encode(), text) == (expected, old.encode())
    swapped_text = f"end\n{new}".encode()
    assert revert_change(old.encode(), new.encode(), swapped_text) is None, "the line above is no added one"


def test_reversals_follow_a_new_heading_above_a_text_without_one():
    old, new = (f"a\nb\n{line}\nc\nd\n" for line in ("old", "new"))
    assert revert_change(old.encode(), new.encode(), f"# Mine\n\n{new}".encode()) == f"# Mine\n\n{old}".encode()


@pytest.mark.parametrize(
    ("section", "end"),
    [(["\n"] * 4, []), (["## Same\n", "\n", "Run:\n", "```\n"], []), (["a\n"] * 4, ["b\n"])],
    ids=["equal lines", "equal sections", "one unique line"],
)
def test_revert_change_of_equal_lines_takes_linear_time(section, end):
    """Their runs are as long as the text, but few lengths are tried."""

    def measure(sections):
        lines = section * sections + end
        old, new = ("".join(lines[:-9] + line + lines[-8:] + ["a\n"] * 9).encode() for line in (lines[-9:-8], []))
        return measure_seconds(lambda: revert_change(old, new, b"mine\n" + new))

    assert grows_at_most(measure, 2_500, 5_000, factor=2.6)
