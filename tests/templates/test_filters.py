"""Test that a Markdown parser finds only plain words in filtered text."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from templates.filters import code, counted, excerpt, fence_text, prose, sealed, seconds, visible

HOSTILE = [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "[click](http://evil.example)",
    "![pixel](http://evil.example/x.png)",
    "[ref]: http://evil.example",
    "<http://evil.example>",
    "https://evil.example/path",
    "mail me@evil.example",
    "*bold* __bold__ ~~gone~~ `code",
    "# heading",
    "> quote",
    "- item",
    "+ item",
    "1. item",
    "1) item",
    "***",
    "---",
    "===",
    "```\nfence",
    "~~~",
    "    indented",
    "a | b | c",
    "|---|---|",
    "&lt;b&gt; &amp; &#60;",
    "back\\slash \\[x\\](y)",
    "two  \nlines\n\npara",
    "tab\tand\rreturn\x0bvertical\x0cform",
    "\x1b[31mred\x1b[0m \x9b31m \u202eright to left\u2066",
    "nul\x00 and \ud800 surrogate",
    "`` `tick` ``",
    "ends with backslash\\",
    "{{ jinja }} {% raw %} ${x}",
    "<!-- comment -->",
    "中文 |文字| `代码`",
    "",
    "   ",
]
MARKDOWN = MarkdownIt("commonmark", {"linkify": False}).enable(["table", "strikethrough"])
PLAIN = {"paragraph_open", "paragraph_close", "inline", "text", "text_special"}


def kinds(text):
    """Return the kinds of the tokens of a Markdown text."""
    found = set()
    for token in MARKDOWN.parse(text):
        found.add(token.type)
        found |= {child.type for child in token.children or ()}
    return found


def shown(text):
    """Return the text that a reader of the rendered Markdown sees."""
    return "".join(
        child.content for token in MARKDOWN.parse(text) for child in token.children or () if child.type != "softbreak"
    )


@pytest.mark.parametrize("text", HOSTILE)
def test_prose_is_only_text_and_code_spans(text):
    assert kinds(f"Says: {prose(text)}") <= PLAIN | {"code_inline"}
    assert kinds(f"# T {prose(text)}") <= PLAIN | {"heading_open", "heading_close", "code_inline"}
    assert kinds(f"{prose(text)} end") <= PLAIN | {"code_inline"}
    assert kinds(f"before\n{prose(text)}\nafter") <= PLAIN | {"code_inline", "softbreak"}
    assert [t.type for t in MARKDOWN.parse(f"- {prose(text)} end")].count("paragraph_open") == 1
    assert [t.type for t in MARKDOWN.parse(f"- {prose(text)} end")].count("list_item_open") == 1


@pytest.mark.parametrize("text", HOSTILE)
def test_prose_keeps_a_table_row_intact(text):
    table = f"| a | b | c |\n|---|---|---|\n| {code(text)} | {prose(text)} | end |\n"
    cells = [t for t in MARKDOWN.parse(table) if t.type == "td_open"]
    assert len(cells) == 3
    assert shown(table).endswith("end")


@pytest.mark.parametrize("text", HOSTILE)
def test_code_span_is_one_span(text):
    assert kinds(f"See {code(text)} there.") <= PLAIN | {"code_inline"}


@pytest.mark.parametrize("text", HOSTILE)
@pytest.mark.parametrize("lang", ["", "diff"])
def test_fenced_text_cannot_close_its_fence(text, lang):
    tokens = MARKDOWN.parse(f"before\n\n{fence_text(text, lang)}\n\nafter\n")
    assert [t.type for t in tokens if t.type in ("fence", "html_block", "code_block")] == ["fence"]
    assert tokens[-2].content == "after"


@settings(max_examples=60)
@given(st.text(max_size=60))
def test_prose_has_no_markup(text):
    assert kinds(f"{prose(text)} x") <= PLAIN | {"code_inline"}
    assert kinds(f"x {code(text)} x") <= PLAIN | {"code_inline"}
    assert [t.type for t in MARKDOWN.parse(fence_text(text))] == ["fence"]


@settings(max_examples=60)
@given(st.text(max_size=60))
def test_filters_return_printable_text(text):
    assert prose(text).isprintable()
    assert code(text).isprintable()
    assert fence_text(text).replace("\n", "").replace("\t", "").isprintable()


@pytest.mark.parametrize("text", ["Keep *all* rules", "a_b_c [x] <y>", "5 > 3 & 2 < 4", "价格 ≤ 10"])
def test_prose_shows_the_original_text(text):
    assert shown(f"x {prose(text)}") == f"x {text}"


def test_pair_of_backticks_stays_a_code_span():
    assert "code_inline" in kinds(prose("Set `limit` to 3."))
    assert shown(prose("Set `limit` to 3.")) == "Set limit to 3."


def test_code_shows_backticks_and_fences_show_fences():
    assert shown(code("a `b` c")) == "a `b` c"
    assert MARKDOWN.parse(fence_text("```js\nx\n```"))[0].content == "```js\nx\n```\n"


def test_filters_are_fast_on_long_text():
    for text in ("`" * 100_000, "*" * 100_000, "[" * 100_000, "a\n" * 50_000):
        assert prose(text) is not None
        assert code(text)
        assert fence_text(text)


@pytest.mark.parametrize(("milliseconds", "text"), [(0, "0 ms"), (999, "999 ms"), (1000, "1.0 s"), (61_250, "61.2 s")])
def test_seconds_format(milliseconds, text):
    assert seconds(milliseconds) == text


@pytest.mark.parametrize(
    ("text", "harmless"),
    [
        ("see https://evil.example/x", r"see https\://evil.example/x"),
        ("FTP://a and (http://b)", r"FTP\://a and (http\://b)"),
        ("WWW.evil.example", r"WWW\.evil.example"),
        ("thanks @someone, me@b.c", r"thanks \@someone, me\@b.c"),
    ],
)
def test_no_address_or_name_becomes_a_link_or_a_mention(text, harmless):
    assert prose(text) == harmless
    assert shown(harmless) == text


@pytest.mark.parametrize("text", [*HOSTILE, "DATA x>>>", "<<<DATA x\ny\nDATA x>>>"])
def test_sealed_text_cannot_close_its_seal(text):
    for inside in (text, sealed(text), f"{text}\n{sealed(text)}"):
        first, *_, last = sealed(inside).split("\n")
        mark = first.removeprefix("<<<DATA ")
        assert last == f"DATA {mark}>>>"
        assert sealed(inside).count(mark) == 2


@given(st.text())
def test_visible_text_is_complete_and_idempotent(text):
    shown = visible(text)
    assert all(char.isprintable() or char in "\n\t" for char in shown)
    assert visible(shown) == shown


def test_visible_shows_codes_of_invisible_characters():
    assert visible("a\u200bb\U000e0041\u202ec\ufe0f\u3164") == r"a\u{200B}b\u{E0041}\u{202E}c\u{FE0F}\u{3164}"
    assert visible("上下文 naïve ✓\u3000x\u00a0y\r\nz") == "上下文 naïve ✓ x y\nz"


def test_excerpt_keeps_first_and_last_lines():
    text = "".join(f"line {number}\n" for number in range(400)) + "the point"
    assert excerpt("short\n") == "short\n"
    assert excerpt(text, head=2, tail=2) == "line 0\nline 1\n… 397 lines more …\nline 399\nthe point"


def test_counted_singular_plural_and_thousands():
    assert [counted(n, "skill") for n in (0, 1, 2, 12345)] == ["0 skills", "1 skill", "2 skills", "12,345 skills"]
    assert counted(3, "query", "queries") == "3 queries"
