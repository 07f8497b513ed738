"""Text in columns: a Han character takes two, nothing is lost, nothing is wider than asked."""

from hypothesis import given, settings
from hypothesis import strategies as st

from orchestrator.cli.output.wrap import columns, cut, width, wrap

TEXTS = st.text(st.sampled_from("ab 中文。é\u0301x-`"), max_size=200)


@settings(deadline=None)
@given(TEXTS, st.integers(4, 60), st.integers(-9, 60))
def test_wrapped_lines_fit_and_hold_every_character(text, limit, room):
    first, *lines = [*wrap(text, limit, room), ""]
    assert width(first) <= max(room, 0)
    assert all(width(line) <= limit for line in lines)
    assert "".join("".join([first, *lines]).split()) == "".join(text.split())


def test_inline_code_that_fits_on_a_line_is_not_broken():
    text = (
        "Repair the reference: `../references/label guide.md` is (`references/labels-guide.md`), as `--since tag` says."
    )
    lines = list(wrap(text, 40))
    for code in ("`../references/label guide.md`", "(`references/labels-guide.md`),", "`--since tag`"):
        assert any(code in line for line in lines), lines
    assert len(lines) == 4, "no more lines than it takes"


def test_colours_take_no_room_and_stay_whole():
    text = "\x1b[31mred\x1b[0m and blue"
    assert list(wrap(text, 11)) == [text.removesuffix(" blue"), "blue"]
    long = "\x1b[31m" + "x" * 9 + "\x1b[0m"
    assert list(wrap(long, 5)) == ["\x1b[31m" + "x" * 5, "x" * 4 + "\x1b[0m"]


@settings(deadline=None)
@given(TEXTS, st.integers(4, 60))
def test_a_cut_text_fits_and_begins_like_the_whole(text, limit):
    short = cut(text, limit)
    assert width(short) <= limit
    assert text.startswith(short.removesuffix("…"))


def test_the_width_follows_the_environment_within_bounds(monkeypatch):
    for given_width, used in (("80", 80), ("9999", 120), ("3", 40)):
        monkeypatch.setenv("COLUMNS", given_width)
        assert columns() == used
