"""Test the limits of the diagnostics of one unit."""

from types import SimpleNamespace

from msgspec.structs import replace
from pygls.workspace import PositionCodec

from orchestrator.servers.lsp.diagnostics import MAX_DIAGNOSTICS, list_diagnostics, list_notes
from orchestrator.servers.lsp.positions import Text
from schemas.issues import Place
from tests.schemas.samples import an_issue


def a_snapshot(*issues):
    text = Text("word\n" * 3000, PositionCodec())
    return SimpleNamespace(
        issues=list(issues),
        row=SimpleNamespace(issues=issues, notes=("a note",)),
        has=lambda path: True,
        text=lambda path: text,
        uri=lambda path: f"file:///{path}",
    )


def at_lines(number, count):
    places = tuple(Place("SKILL.md", n, n, None, f"quote {n}", f"f{number}-{n}") for n in range(1, count + 1))
    return replace(an_issue(number), locations=places, related_issues=())


def test_diagnostics_of_many_places_are_limited():
    snapshot = a_snapshot(at_lines(1, 900), at_lines(2, 900), at_lines(3, 5))
    (shown,) = list_diagnostics(snapshot, related=True).values()
    assert len(shown) == MAX_DIAGNOSTICS
    assert {len(one.related_information) for one in shown} == {10}
    assert [one.location.range.start.line for one in shown[0].related_information] == [*range(1, 11)]
    assert list_notes(snapshot) == (
        "a note",
        "findings at 805 more places, none worse; `tune-skill diagnose --format full` shows all",
    )


def test_diagnostics_name_few_findings_with_the_same_cause():
    others = [at_lines(n, 1) for n in range(2, 50)]
    first = replace(at_lines(1, 2), related_issues=tuple(one.id for one in others))
    (shown,) = list_diagnostics(a_snapshot(first, *others), related=True).values()
    assert len(shown[0].related_information) == 1 + 10
    assert list_notes(a_snapshot(first)) == ("a note",)
