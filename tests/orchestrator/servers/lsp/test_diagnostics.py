"""Test the limits of the diagnostics of one unit."""

from types import SimpleNamespace

from msgspec.structs import replace
from pygls.workspace import PositionCodec

from orchestrator.servers.lsp.diagnostics import MAX_DIAGNOSTICS, list_diagnostics, list_notes
from orchestrator.servers.lsp.positions import Text
from schemas.issues import Place
from tests.schemas.samples import make_issue


def make_snapshot(*issues):
    text = Text("word\n" * 3000, PositionCodec())
    return SimpleNamespace(
        issues=list(issues),
        row=SimpleNamespace(issues=issues, notes=("a note",)),
        has=lambda path: True,
        text=lambda path: text,
        uri=lambda path: f"file:///{path}",
    )


def make_issue_at_lines(number, count):
    places = tuple(Place("SKILL.md", n, n, None, f"quote {n}", f"f{number}-{n}") for n in range(1, count + 1))
    return replace(make_issue(number), locations=places, related_issues=())


def test_diagnostics_of_many_places_are_limited():
    snapshot = make_snapshot(make_issue_at_lines(1, 900), make_issue_at_lines(2, 900), make_issue_at_lines(3, 5))
    (diagnostics,) = list_diagnostics(snapshot, related=True).values()
    assert len(diagnostics) == MAX_DIAGNOSTICS
    assert {len(diagnostic.related_information) for diagnostic in diagnostics} == {10}
    assert [diagnostic.location.range.start.line for diagnostic in diagnostics[0].related_information] == [
        *range(1, 11)
    ]
    assert list_notes(snapshot) == (
        "a note",
        "805 more places of findings not shown; `tune-skill diagnose --format full` lists all",
    )


def test_diagnostics_name_few_findings_with_the_same_cause():
    other_issues = [make_issue_at_lines(n, 1) for n in range(2, 50)]
    first = replace(make_issue_at_lines(1, 2), related_issues=tuple(issue.id for issue in other_issues))
    (diagnostics,) = list_diagnostics(make_snapshot(first, *other_issues), related=True).values()
    assert len(diagnostics[0].related_information) == 1 + 10
    assert list_notes(make_snapshot(first)) == ("a note",)
