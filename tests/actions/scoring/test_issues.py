"""Test issues: stable ids, priorities, and one issue for several findings of the same fault."""

from types import SimpleNamespace

import pytest
from msgspec.structs import replace

from actions.patterns.page import get_page, list_clauses
from actions.scoring.issues import count_by_severity, make_issues, rank_issues, update_issues
from actions.scoring.scan import scan
from schemas.issues import SeverityCounts
from schemas.vocabulary import Family, IssueSource, IssueStatus
from tests.fakes import install_catalogue, install_word_catalogue, make_case, make_pattern


@pytest.fixture(autouse=True)
def catalogue(monkeypatch):
    install_word_catalogue(monkeypatch)


def find_issues(body, known=(), **files):
    return make_issues(scan(make_case(body, **files)), known)


def test_issue_has_place_message_and_cause():
    (issue,) = find_issues("One FIXABLE.\n")
    assert (issue.id, issue.pattern, issue.type, issue.priority) == ("ISS-001", "AGT-001", Family.AGENT, 1)
    assert (issue.location.file, issue.location.line_start, issue.location.line_end) == ("SKILL.md", 8, 8)
    assert issue.evidence == ("One FIXABLE.",)
    assert (issue.impact, issue.suggested_fix) == ("It does harm.", "correct_fixable")


def test_issue_of_a_phase_names_it_and_may_be_custom():
    (issue,) = find_issues("[One](phases/one.md)\n", phases__one="A NOFIX.\n")
    assert issue.location.phase == "phases/one.md"
    assert issue.suggested_fix == "custom"


def test_issue_id_stays_with_its_fingerprint():
    first = find_issues("One FIXABLE.\n\nA RISKY.\n")
    ids = {i.pattern: i.id for i in first}
    ids_by_pattern = {i.pattern: i.id for i in find_issues("A NOFIX.\n\nA RISKY.\n", first)}
    assert ids_by_pattern["CTX-001"] == ids["CTX-001"]
    assert ids_by_pattern["DF-001"] == "ISS-003"


def test_issue_priority_follows_severity_and_sessions(monkeypatch):
    install_catalogue(
        monkeypatch,
        [
            make_pattern("CTX-001", "one", impact=("blocks", "loses")),
            make_pattern("CTX-002", "two", impact=("loses",)),
            make_pattern("CTX-003", "three", impact=("loses",)),
        ],
        [],
    )
    issues_with_sessions = [
        replace(i, sessions=2 * (i.pattern == "CTX-003")) for i in find_issues("two\n\nthree\n\none\n")
    ]
    assert {i.pattern: i.priority for i in rank_issues(issues_with_sessions)} == {
        "CTX-001": 1,
        "CTX-003": 2,
        "CTX-002": 3,
    }


def test_issues_of_one_cause_on_one_line_are_one(monkeypatch):
    install_catalogue(
        monkeypatch,
        [
            make_pattern("CTX-001", "grows", impact=("loses",), cause="history"),
            make_pattern("APV-004", "grows", impact=("blocks", "loses"), cause="history", family=Family.AUTHORING),
            make_pattern("TKN-004", "grows", impact=("loses",)),
        ],
        [],
    )
    issues = {i.pattern: i for i in find_issues("It grows.\n\nElsewhere it grows.\n") if i.location.line_start == 8}
    worst, duplicate = issues["APV-004"], issues["CTX-001"]
    assert worst.related_issues == (duplicate.id,)
    assert (duplicate.status, duplicate.suppressed_by) == (IssueStatus.SUPPRESSED, worst.id)
    assert issues["TKN-004"].status is IssueStatus.OPEN, "a finding with another cause stays open"


def test_read_issue_is_not_a_duplicate_of_another_on_its_line(monkeypatch):
    patterns = [make_pattern(id, "grows", cause="history") for id in ("CTX-001", "CTX-002")]
    install_catalogue(monkeypatch, patterns, [])
    read_issues = [replace(issue, source=IssueSource.MODEL) for issue in find_issues("It grows.\n")]
    assert [issue.status for issue in rank_issues(map(_reopen, read_issues))] == [IssueStatus.OPEN] * 2


def _reopen(issue):
    return replace(issue, status=IssueStatus.OPEN, suppressed_by=None)


def test_duplicate_opens_when_the_worse_issue_is_gone(monkeypatch):
    install_catalogue(
        monkeypatch,
        [
            make_pattern("CTX-001", "grows", impact=("loses",), cause="history"),
            make_pattern("APV-004", "GROWS", impact=("blocks", "loses"), cause="history"),
        ],
        [],
    )
    old = find_issues("It GROWS and grows.\n")
    new = update_issues(old, [i for i in old if i.pattern == "CTX-001"], {"CTX-001", "APV-004"})
    assert {i.pattern: i.status for i in new} == {"CTX-001": IssueStatus.OPEN, "APV-004": IssueStatus.RESOLVED}
    assert all(i.related_issues == () for i in new)


def test_update_issues_resolves_only_for_checked_patterns():
    old = find_issues("One FIXABLE.\n\nA RISKY.\n")
    new = update_issues(old, (), {"AGT-001"})
    assert {i.pattern: i.status for i in new} == {"AGT-001": IssueStatus.RESOLVED, "CTX-001": IssueStatus.OPEN}
    assert count_by_severity(new) == SeverityCounts(high=1)


def test_resolved_issue_reopens_under_its_id():
    old = find_issues("One FIXABLE.\n")
    resolved_issues = update_issues(old, (), {"AGT-001"})
    reopened_issues = update_issues(resolved_issues, find_issues("One FIXABLE.\n", resolved_issues), {"AGT-001"})
    assert [(i.id, i.status) for i in reopened_issues] == [("ISS-001", IssueStatus.OPEN)]


def test_suppressed_issue_is_listed_and_not_counted():
    (issue,) = find_issues("<!-- tune-skill: ignore AGT-001 so be it -->\nOne FIXABLE.\n")
    assert (issue.status, issue.suppressed_by) == (IssueStatus.SUPPRESSED, "comment in SKILL.md:8")
    assert count_by_severity([issue]) == SeverityCounts()


def test_page_has_its_parts():
    assert get_page(make_pattern("CTX-001", "word"))["Instead"] == "Fix it."
    assert get_page(make_pattern("CTX-001", "word"))["title"] == "word"


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


def test_page_keeps_clauses_apart_and_prose_in_one_line():
    page = get_page(SimpleNamespace(__doc__=CLAUSES))
    assert list_clauses(page) == [
        ("It is", ["A list in `state.json` that every round adds to", "A log that is read back - whole"]),
        ("It is not", ["A list with a bound."]),
        ("Low when", ["The loop has", "At most three rounds"]),
    ]
    assert page["Why it is bad"] == "The prompt - and the bill - grow."


def test_page_part_left_out_has_no_clauses():
    page = get_page(make_pattern("CTX-001", "word"))
    assert page["Low when"] == ""
    assert [label for label, _ in list_clauses(page)] == ["It is", "It is not"]


def test_new_fault_does_not_take_the_id_of_a_fixed_one():
    old = find_issues("One FIXABLE.\n")
    resolved_issues = update_issues(old, (), {"AGT-001"})
    (new,) = find_issues("Another FIXABLE.\n", resolved_issues)
    assert (old[0].description, new.id) == (new.description, "ISS-002")
