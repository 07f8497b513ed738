"""Test wrapping: no text is lost, no line is too wide, and a Han character takes two columns."""

from hypothesis import given
from hypothesis import strategies as st

from orchestrator.cli.output.wrap import cut, get_output_width, width, wrap

TEXTS = st.text(st.sampled_from("ab 中文。é\u0301x-`"), max_size=200)


@given(TEXTS, st.integers(4, 60), st.integers(-9, 60))
def test_wrap_fits_and_keeps_every_character(text, limit, first_limit):
    first, *lines = [*wrap(text, limit, first_limit), ""]
    assert width(first) <= max(first_limit, 0)
    assert all(width(line) <= limit for line in lines)
    assert "".join("".join([first, *lines]).split()) == "".join(text.split())


def test_wrap_keeps_inline_code_on_one_line():
    text = (
        "Repair the reference: `../references/label guide.md` is (`references/labels-guide.md`), as `--since tag` says."
    )
    lines = list(wrap(text, 40))
    for code in ("`../references/label guide.md`", "(`references/labels-guide.md`),", "`--since tag`"):
        assert any(code in line for line in lines), lines
    assert len(lines) == 4, "the text takes more lines than needed"


def test_wrap_ignores_colours():
    text = "\x1b[31mred\x1b[0m and blue"
    assert list(wrap(text, 11)) == [text.removesuffix(" blue"), "blue"]
    long = "\x1b[31m" + "x" * 9 + "\x1b[0m"
    assert list(wrap(long, 5)) == ["\x1b[31m" + "x" * 5, "x" * 4 + "\x1b[0m"]


@given(TEXTS, st.integers(4, 60))
def test_cut_fits_the_limit(text, limit):
    short = cut(text, limit)
    assert width(short) <= limit
    assert text.startswith(short.removesuffix("…"))


def test_columns_follow_the_environment_within_bounds(monkeypatch):
    for given_width, expected_width in (("80", 80), ("9999", 120), ("3", 40)):
        monkeypatch.setenv("COLUMNS", given_width)
        assert get_output_width() == expected_width
