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
    printed = tune("patterns", id)
    assert printed.code == 0
    assert "CTX-001" in printed.out
    assert "Fix it." in printed.out


def test_catalogue_json_is_an_object_for_one_entry(tune):
    one = tune("patterns", "AGT-001", "--format", "json").json
    assert (one["id"], one["strategies"], one["severity"]) == ("AGT-001", ["correct_fixable"], "high")
    assert len(tune("patterns", "--format", "json").json) == 5
    assert tune("strategies", "correct_fixable", "--format", "json").json["risk"] == "low"


def test_catalogue_lists_drafted_strategies(tune):
    (line,) = (line for line in tune("strategies").out.splitlines() if line.startswith("bound_loop "))
    assert "  by a model  " in line
    assert "A model drafts this fix." in tune("strategies", "bound_loop").out
    one = tune("strategies", "bound_loop", "--format", "json").json
    assert (one["risk"], one["mends"], one["before"]) == ("medium", [], {})


@pytest.mark.parametrize("columns", [60, 80, 160])
@pytest.mark.parametrize("command", ["patterns", "strategies"])
def test_catalogue_list_wraps_at_a_narrow_terminal(tune, narrow, monkeypatch, command, columns):
    install_catalogue(monkeypatch, [make_pattern("DOC-CON-002", "FIXABLE " * 12), make_pattern("AGT-001", "RISKY")], [])
    piped, shown = tune(command).out, narrow(columns, command)
    assert max(map(len, shown)) <= columns
    assert " ".join(shown).split() == piped.split(), "nothing is lost"
    ids = [line.split()[0] for line in piped.splitlines()]
    assert [line.split()[0] for line in shown if line[:1] != " "] == ids, "what follows is indented"


def test_catalogue_page_at_a_terminal_cuts_long_examples(tune, narrow, monkeypatch):
    one = make_model_pattern("CTX-002", "A tern among gulls")
    one.BAD = ("# Shore\n\n" + "Count the gulls on the shore once more, from the north to the south.\n" * 99,)
    install_catalogue(monkeypatch, [one], [])
    shown = narrow(50, "patterns", "CTX-002")
    assert shown.index("Bad:") < shown.index("**It is**") < shown.index("**Instead.** Fix it.") == len(shown) - 1
    assert "… 90 lines more …" in shown
    assert max(len(line) for line in shown if not line.startswith("Count")) <= 50
    assert max(map(len, shown)) == 68, "the lines of an example stay whole"
    page = tune("patterns", "CTX-002", "--format", "markdown").out
    assert page.index("**It is**") < page.index("Bad:")


@pytest.mark.parametrize("command", ["patterns", "strategies"])
def test_catalogue_markdown_is_one_page(tune, command):
    printed = tune(command, "--format", "markdown")
    assert printed.code == 0
    assert printed.out.count("\n#") >= 3


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
def test_catalogue_unknown_name_is_one_line(tune, command, name, hint):
    printed = tune(command, name)
    assert printed.code == 2
    (line,) = printed.err.strip().splitlines()
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
    whole = make_pattern("SPEC-001", "FIXABLE")
    whole.PATTERN = replace(whole.PATTERN, asked=False)
    install_catalogue(monkeypatch, [whole, make_pattern("CTX-001", "RISKY"), make_model_pattern("CTX-002", "TERN")], [])
    grades = {"CTX-001": ["proven", "read"], "CTX-002": ["read"], "SPEC-001": ["proven"]}
    assert {row["id"]: row["grades"] for row in tune("patterns", "--format", "json").json} == grades
    for line, known in zip(tune("patterns").out.splitlines(), grades.values(), strict=True):
        assert f" high      {' or '.join(known)}  " in line
    assert "Family context_explosion, severity high, read.\n" in tune("patterns", "CTX-002").out


def test_pattern_page_lists_clauses(tune, monkeypatch):
    one = make_model_pattern("CTX-002", "TERN")
    one.__doc__ = "Terns.\n\nIt is:\n- a tern\n- a gull\n\nIt is not: a `fixable`.\n\nWhy it is bad: x\n\nInstead: y\n"
    install_catalogue(monkeypatch, [one], [])
    out = tune("patterns", "CTX-002").out
    assert "**It is**\n\n- A tern\n- A gull\n\n**It is not**\n\n- A `fixable`.\n\n**Why it is bad.** X\n" in out
    assert "Low when" not in out
    row = tune("patterns", "CTX-002", "--format", "json").json
    assert (row["it_is"], row["it_is_not"], row["low_when"]) == (["A tern", "A gull"], ["A `fixable`."], [])
