"""Test `patterns` and `strategies`: the catalogue as a list, a page, JSON and Markdown."""

import pytest
from msgspec.structs import replace

from schemas.vocabulary import Family
from tests.fakes import install_catalogue, make_model_pattern, make_pattern


def test_catalogue_lists_every_entry(tune):
    assert [line.split()[0] for line in tune("patterns").out.splitlines() if line[:1].isupper()] == [
        "AGT-001", "CTX-001", "DF-001", "MEM-001", "TKN-001",
    ]  # fmt: skip
    assert all(
        name in tune("strategies").out for name in ("correct_fixable", "correct_risky", "drop_lossy", "hide_unread")
    )


@pytest.mark.parametrize("id", ["CTX-001", "ctx-001"])
def test_catalogue_page_has_all_parts(tune, id):
    result = tune("patterns", id)
    assert result.code == 0
    assert "CTX-001" in result.out
    assert "Fix it." in result.out


def test_catalogue_json_is_an_object_for_one_entry(tune):
    pattern = tune("patterns", "AGT-001", "--format", "json").json
    assert (pattern["id"], pattern["strategies"], pattern["severity"]) == ("AGT-001", ["correct_fixable"], "high")
    assert len(tune("patterns", "--format", "json").json) == 5
    assert tune("strategies", "correct_fixable", "--format", "json").json["risk"] == "low"


def test_catalogue_lists_drafted_strategies(tune):
    (line,) = (line for line in tune("strategies").out.splitlines() if line.startswith("bound_loop "))
    assert "  by a model  " in line
    assert "A model drafts this fix." in tune("strategies", "bound_loop").out
    strategy = tune("strategies", "bound_loop", "--format", "json").json
    assert (strategy["risk"], strategy["mends"], strategy["before"]) == ("medium", [], {})


@pytest.mark.parametrize("columns", [60, 80, 160])
@pytest.mark.parametrize("command", ["patterns", "strategies"])
def test_catalogue_list_wraps_at_a_narrow_terminal(tune, run_in_terminal, monkeypatch, command, columns):
    install_catalogue(monkeypatch, [make_pattern("DOC-CON-002", "FIXABLE " * 12), make_pattern("AGT-001", "RISKY")], [])
    piped_output, lines = tune(command).out, run_in_terminal(columns, command)
    assert max(map(len, lines)) <= columns
    assert " ".join(lines).split() == piped_output.split(), "wrapping changed the words"
    ids = [line.split()[0] for line in piped_output.splitlines()]
    assert [line.split()[0] for line in lines if line[:1] != " "] == ids, "a continuation line is not indented"


def test_catalogue_page_at_a_terminal_cuts_long_examples(tune, run_in_terminal, monkeypatch):
    pattern = make_model_pattern("CTX-002", "A tern among gulls")
    pattern.BAD = ("# Shore\n\n" + "Count the gulls on the shore once more, from the north to the south.\n" * 99,)
    install_catalogue(monkeypatch, [pattern], [])
    lines = run_in_terminal(50, "patterns", "CTX-002")
    assert lines.index("Bad:") < lines.index("**It is**") < lines.index("**Instead.** Fix it.") == len(lines) - 1
    assert "… 90 lines more …" in lines
    assert max(len(line) for line in lines if not line.startswith("Count")) <= 50
    assert max(map(len, lines)) == 68, "a line of an example was wrapped"
    page = tune("patterns", "CTX-002", "--format", "markdown").out
    assert page.index("**It is**") < page.index("Bad:")


@pytest.mark.parametrize("command", ["patterns", "strategies"])
def test_catalogue_markdown_is_one_page(tune, command):
    result = tune(command, "--format", "markdown")
    assert result.code == 0
    assert result.out.count("\n#") >= 3


@pytest.mark.parametrize(
    ("command", "name", "hint"),
    [
        ("patterns", "CXT-001", "; did you mean CTX-001?"),
        ("strategies", "magic", "; `tune-skill strategies` lists them"),
        (
            "patterns",
            "\x1b[31m",
            "; families are context, memory, dataflow, agent, docs, token_consumption; `tune-skill patterns` lists all",
        ),
    ],
)
def test_catalogue_of_an_unknown_name_prints_one_line(tune, command, name, hint):
    result = tune(command, name)
    assert result.code == 2
    (line,) = result.err.strip().splitlines()
    assert line.isprintable()
    assert line.endswith(hint)


def test_patterns_accepts_prefix_or_family(tune, monkeypatch):
    install_catalogue(
        monkeypatch,
        [
            make_pattern("AGT-001", "FIXABLE"),
            make_pattern("AGT-002", "RISKY"),
            make_pattern("CTX-001", "TERN", family=Family.CONTEXT),
        ],
        [],
    )
    assert [line[:7] for line in tune("patterns", "agt").out.splitlines()] == ["AGT-001", "AGT-002"]
    assert [line[:7] for line in tune("patterns", "agent").out.splitlines()] == ["AGT-001", "AGT-002"]


def test_patterns_show_proven_or_read(tune, monkeypatch):
    unasked_pattern = make_pattern("SPEC-001", "FIXABLE")
    unasked_pattern.PATTERN = replace(unasked_pattern.PATTERN, asks_model=False)
    install_catalogue(
        monkeypatch, [unasked_pattern, make_pattern("CTX-001", "RISKY"), make_model_pattern("CTX-002", "TERN")], []
    )
    grades = {"CTX-001": ["proven", "read"], "CTX-002": ["read"], "SPEC-001": ["proven"]}
    assert {row["id"]: row["grades"] for row in tune("patterns", "--format", "json").json} == grades
    for line, grades_of_pattern in zip(tune("patterns").out.splitlines(), grades.values(), strict=True):
        assert f" high      {' or '.join(grades_of_pattern)}  " in line
    assert "Family context_explosion, severity high, read.\n" in tune("patterns", "CTX-002").out


def test_pattern_page_lists_clauses(tune, monkeypatch):
    pattern = make_model_pattern("CTX-002", "TERN")
    pattern.__doc__ = (
        "Terns.\n\nIt is:\n- a tern\n- a gull\n\nIt is not: a `fixable`.\n\nWhy it is bad: x\n\nInstead: y\n"
    )
    install_catalogue(monkeypatch, [pattern], [])
    out = tune("patterns", "CTX-002").out
    assert "**It is**\n\n- A tern\n- A gull\n\n**It is not**\n\n- A `fixable`.\n\n**Why it is bad.** X\n" in out
    assert "Low when" not in out
    row = tune("patterns", "CTX-002", "--format", "json").json
    assert (row["it_is"], row["it_is_not"], row["low_when"]) == (["A tern", "A gull"], ["A `fixable`."], [])
