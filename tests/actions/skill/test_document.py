"""Test the parsed Markdown file, also against a second parser for code and headings."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from actions.skill.document import parse_document

TEXT = """---
name: x
---
# A `b` [l](x.md#q)

Some **bold** text and [z][ref]
 on two lines.

> A quote

| Bad | b |
|---|---|
| 1 | `2` |

- [ ] one
  - two
    ```js
    Task({a: 1})
    ```
3. three

   with a paragraph

<!-- a comment -->

## Pitfalls

Never mind.

```
open
"""
ORACLE = MarkdownIt("commonmark", {"html": True}).enable("table")


def test_document_lines_include_frontmatter():
    doc = parse_document(TEXT)
    assert [(f.start, f.end, f.lang, f.closed) for f in doc.fences] == [(17, 19, "js", True), (30, 31, "", False)]
    assert [(s.title, s.level, s.start, s.end) for s in doc.sections[1:]] == [
        ("A b l", 1, 4, 31),
        ("Pitfalls", 2, 26, 31),
    ]
    assert doc.lines_inside(doc.fences[0]) == ("    Task({a: 1})",)
    assert [(c.start, c.end) for c in doc.comments] == [(24, 24)]


def test_document_parts_have_no_markup():
    doc = parse_document(TEXT)
    assert [(link.line, link.url, link.text) for link in doc.links] == [(4, "x.md#q", "l")]
    assert [(span.line, span.text) for span in doc.spans] == [(4, "b"), (13, "2")]
    assert [(row.line, row.cells, row.is_head) for row in doc.rows] == [
        (11, ("Bad", "b"), True),
        (13, ("1", "2"), False),
    ]
    assert ("paragraph", 6, 7, "Some bold text and [z][ref] on two lines.") in [
        (b.kind, b.start, b.end, b.text) for b in doc.blocks
    ]
    assert [(b.start, b.text) for b in doc.blocks if b.kind == "item"] == [(15, "one"), (16, "two")]
    assert doc.quotes == {9}


def test_document_prose_excludes_fences_and_comments():
    lines = {number for number, _ in parse_document(TEXT).prose}
    assert lines.isdisjoint({17, 18, 19, 24, 30, 31})
    assert {4, 6, 7, 9, 13, 20, 28} <= lines


@pytest.mark.parametrize(
    "text",
    [
        "## ❌ Bad\n\nx\n",
        "### Before\n\nx\n",
        "**Don't:**\n\n```js\nx\n```\n",
        "```js\n// Bad: slow\nx\n```\n",
        "| Smell | Why |\n|---|---|\n| x | y |\n",
        "## Anti-patterns\n\n### One\n\nx\n",
    ],
)
def test_document_recognizes_counterexamples(text):
    doc = parse_document(text)
    (line,) = [n for n, text in enumerate(doc.lines, 1) if text.strip() == "x" or text.startswith("| x")]
    assert doc.is_counterexample(line)


@pytest.mark.parametrize(
    "text",
    [
        "## Good\n\nx\n",
        "## Before you begin\n\nx\n",
        "Do this instead of the bad way:\n\n```js\nx\n```\n",
        "```js\n// Bad\ny\n// Good\nx\n```\n",
        "```yaml\n# Do not sort these.\nx\n```\n",
    ],
)
def test_document_keeps_good_samples(text):
    doc = parse_document(text)
    (line,) = [n for n, text in enumerate(doc.lines, 1) if text.strip() == "x"]
    assert not doc.is_counterexample(line)


LINES = st.sampled_from(
    [
        "# a",
        "## b `c`",
        "text",
        "- item",
        "  more",
        "```js",
        "```",
        "~~~",
        "    code",
        "> quote",
        "",
        "| a | b |",
        "|---|---|",
        "1. one",
        "<!-- c",
        "-->",
        "***",
    ]
)


@given(st.lists(LINES, max_size=25))
@settings(max_examples=200, suppress_health_check=[HealthCheck.too_slow])
def test_document_agrees_with_another_parser(lines):
    text = "\n".join(lines) + "\n"
    doc, tokens = parse_document(text), ORACLE.parse(text)
    if doc.body_start == 1:
        fences = [(token.map[0] + 1, token.info.strip()) for token in tokens if token.type == "fence"]
        assert [(fence.start, fence.lang) for fence in doc.fences] == fences
        heads = [token.map[0] + 1 for token in tokens if token.type == "heading_open"]
        assert [section.start for section in doc.sections[1:]] == heads


@given(st.text(max_size=300))
@settings(max_examples=200)
def test_document_parses_any_text(text):
    doc = parse_document(text)
    places = [n for block in doc.blocks for n in (block.start, block.end)]
    assert all(1 <= n <= max(1, len(doc.lines)) for n in places)
    assert all(fence.start <= fence.end <= max(1, len(doc.lines)) for fence in doc.fences)
    assert len(doc.sections) >= 1


def test_document_reads_spans_named_like_marks():
    doc = parse_document("Use `Strong` and **`Emphasis`** or *both*.\n")
    assert [span.text for span in doc.spans] == ["Strong", "Emphasis"]
    assert doc.blocks[0].text == "Use Strong and Emphasis or both."


def test_row_of_a_table_is_a_sentence_and_each_cell_has_the_head_of_its_column():
    doc = parse_document("Write them.\n\n| Bird | Count |\n|---|---|\n| Owl | `a.md` | more |\n| Gull | `a.md` |\n")
    assert doc.sentence(6) == "| Gull | `a.md` |"
    assert doc.cells(6) == [("Bird", "Gull"), ("Count", "a.md")]
    assert doc.cells(3) == [("", "Bird"), ("", "Count")]
    assert doc.cells(1) == ()
