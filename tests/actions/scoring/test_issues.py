"""Issues: ids that stay, priorities, and several findings of one fault as one issue."""

from dataclasses import replace
from types import SimpleNamespace

import pytest

from actions.patterns.page import get_page, list_clauses
from actions.scoring.issues import count_by_severity, make_issues, rank_issues, update_issues
from actions.scoring.scan import scan
from schemas.issues import SeverityCounts
from schemas.vocabulary import Family, IssueStatus
from tests.fakes import a_case, a_pattern, birds, install


@pytest.fixture(autouse=True)
def catalogue(monkeypatch):
    birds(monkeypatch)


def found(body, known=(), **files):
    return make_issues(scan(a_case(body, **files)), known)


def test_an_issue_tells_where_what_and_why():
    (issue,) = found("One CRANE.\n")
    assert (issue.id, issue.pattern, issue.type, issue.priority) == ("ISS-001", "AGT-001", Family.AGENT, 1)
    assert (issue.location.file, issue.location.line_start, issue.location.line_end) == ("SKILL.md", 8, 8)
    assert issue.evidence == ("One CRANE.",)
    assert (issue.impact, issue.suggested_fix) == ("It does harm.", "calm_crane")


def test_an_issue_of_a_phase_names_the_phase_and_without_strategy_the_fix_is_custom():
    (issue,) = found("[One](phases/one.md)\n", phases__one="A GOOSE.\n")
    assert issue.location.phase == "phases/one.md"
    assert issue.suggested_fix == "custom"


def test_an_id_stays_with_its_fingerprint_and_new_ones_count_on():
    first = found("One CRANE.\n\nA HERON.\n")
    ids = {i.pattern: i.id for i in first}
    later = {i.pattern: i.id for i in found("A GOOSE.\n\nA HERON.\n", first)}
    assert later["CTX-001"] == ids["CTX-001"]
    assert later["DF-001"] == "ISS-003"


def test_priority_counts_from_one_by_severity_and_then_by_how_many_sessions_show_it(monkeypatch):
    install(
        monkeypatch,
        [
            a_pattern("CTX-001", "one", impact=("blocks", "loses")),
            a_pattern("CTX-002", "two", impact=("loses",)),
            a_pattern("CTX-003", "three", impact=("loses",)),
        ],
        [],
    )
    shown = [replace(i, sessions=2 * (i.pattern == "CTX-003")) for i in found("two\n\nthree\n\none\n")]
    assert {i.pattern: i.priority for i in rank_issues(shown)} == {"CTX-001": 1, "CTX-003": 2, "CTX-002": 3}


def test_findings_of_one_cause_on_one_line_are_one_issue_that_names_the_others(monkeypatch):
    install(
        monkeypatch,
        [
            a_pattern("CTX-001", "grows", impact=("loses",), cause="history"),
            a_pattern("APV-004", "grows", impact=("blocks", "loses"), cause="history", family=Family.AUTHORING),
            a_pattern("TKN-004", "grows", impact=("loses",)),
        ],
        [],
    )
    issues = {i.pattern: i for i in found("It grows.\n\nElsewhere it grows.\n") if i.location.line_start == 8}
    worst, twin = issues["APV-004"], issues["CTX-001"]
    assert worst.related_issues == (twin.id,)
    assert (twin.status, twin.suppressed_by) == (IssueStatus.SUPPRESSED, worst.id)
    assert issues["TKN-004"].status is IssueStatus.OPEN, "another cause is another fault"


def test_a_twin_comes_forward_when_the_worse_one_is_gone(monkeypatch):
    install(
        monkeypatch,
        [
            a_pattern("CTX-001", "grows", impact=("loses",), cause="history"),
            a_pattern("APV-004", "GROWS", impact=("blocks", "loses"), cause="history"),
        ],
        [],
    )
    old = found("It GROWS and grows.\n")
    new = update_issues(old, [i for i in old if i.pattern == "CTX-001"], {"CTX-001", "APV-004"})
    assert {i.pattern: i.status for i in new} == {"CTX-001": IssueStatus.OPEN, "APV-004": IssueStatus.RESOLVED}
    assert all(i.related_issues == () for i in new)


def test_only_who_looked_resolves():
    old = found("One CRANE.\n\nA HERON.\n")
    new = update_issues(old, (), {"AGT-001"})
    assert {i.pattern: i.status for i in new} == {"AGT-001": IssueStatus.RESOLVED, "CTX-001": IssueStatus.OPEN}
    assert count_by_severity(new) == SeverityCounts(high=1)


def test_a_resolved_issue_that_comes_back_is_open_under_its_old_id():
    old = found("One CRANE.\n")
    gone = update_issues(old, (), {"AGT-001"})
    back = update_issues(gone, found("One CRANE.\n", gone), {"AGT-001"})
    assert [(i.id, i.status) for i in back] == [("ISS-001", IssueStatus.OPEN)]


def test_a_suppressed_finding_is_listed_and_not_counted():
    (issue,) = found("<!-- tune-skill: ignore AGT-001 so be it -->\nOne CRANE.\n")
    assert (issue.status, issue.suppressed_by) == (IssueStatus.SUPPRESSED, "comment in SKILL.md:8")
    assert count_by_severity([issue]) == SeverityCounts()


def test_a_page_has_its_parts():
    assert get_page(a_pattern("CTX-001", "word"))["Instead"] == "Mend it."
    assert get_page(a_pattern("CTX-001", "word"))["title"] == "word"


CLAUSES = """A list that grows.

It is:
- a list in `state.json` that every round
  adds to
- a log that is read back - whole

It is not: a list with a bound.

Low when:
- the loop has
  - at most three rounds

Why it is bad: The prompt
- and the bill - grow.

Instead: Keep the last ten.
"""


def test_the_clauses_of_a_page_stay_apart_and_its_prose_is_one_line():
    told = get_page(SimpleNamespace(__doc__=CLAUSES))
    assert list_clauses(told) == [
        ("It is", ["A list in `state.json` that every round adds to", "A log that is read back - whole"]),
        ("It is not", ["A list with a bound."]),
        ("Low when", ["The loop has", "At most three rounds"]),
    ]
    assert told["Why it is bad"] == "The prompt - and the bill - grow."


def test_a_part_that_a_page_leaves_out_has_no_clauses():
    told = get_page(a_pattern("CTX-001", "word"))
    assert told["Low when"] == ""
    assert [label for label, _ in list_clauses(told)] == ["It is", "It is not"]


def test_a_new_fault_does_not_take_the_id_of_one_that_was_mended():
    old = found("One CRANE.\n")
    gone = update_issues(old, (), {"AGT-001"})
    (new,) = found("Another CRANE.\n", gone)
    assert (old[0].description, new.id) == (new.description, "ISS-002")
