"""Test score and gate: which issues count and how much, and the thresholds."""

import pytest

from actions.scoring.quality import choose_gate, compute_score, count_tokens, measure
from schemas.issues import SeverityCounts, Tokens
from schemas.vocabulary import Gate, Grade, IssueSource, IssueStatus, Severity
from tests.fakes import make_case
from tests.schemas.samples import make_issue


def make_issues_of(*severities, **fields):
    values = {"status": IssueStatus.OPEN, "source": IssueSource.PARSER, **fields}
    return [
        make_issue(n, severity=severity, **{"pattern": f"CTX-{n:03d}", **values})
        for n, severity in enumerate(severities, 1)
    ]


@pytest.mark.parametrize(
    ("severity", "points"),
    [(Severity.CRITICAL, 75), (Severity.HIGH, 92), (Severity.MEDIUM, 95), (Severity.LOW, 99)],
)
def test_score_deducts_points_by_severity(severity, points):
    assert compute_score(make_issues_of(severity)) == points


def test_score_deducts_three_issues_per_pattern():
    issues = make_issues_of(*[Severity.LOW] * 3, Severity.HIGH, Severity.HIGH, pattern="CTX-001")
    assert compute_score(issues) == 100 - 8 - 8 - 1


def test_score_never_falls_below_zero():
    assert compute_score(make_issues_of(*[Severity.CRITICAL] * 9)) == 0


@pytest.mark.parametrize(
    "fields",
    [{"source": IssueSource.SESSION}, *({"status": severity} for severity in IssueStatus if severity != "open")],
)
def test_score_ignores_closed_and_session_issues(fields):
    assert measure(make_issues_of(Severity.CRITICAL, **fields)) == (SeverityCounts(), 100, Gate.PASS)


@pytest.mark.parametrize("grade", list(Grade))
def test_score_deducts_the_same_for_read_and_proven(grade):
    assert measure(make_issues_of(Severity.CRITICAL, grade=grade)) == (SeverityCounts(critical=1), 75, Gate.FAIL)


@pytest.mark.parametrize(
    ("counts", "points", "expected"),
    [
        (SeverityCounts(0, 2, 9, 9), 80, Gate.PASS),
        (SeverityCounts(0, 2, 0, 0), 79, Gate.REVIEW),
        (SeverityCounts(0, 3, 0, 0), 95, Gate.REVIEW),
        (SeverityCounts(0, 5, 0, 0), 60, Gate.REVIEW),
        (SeverityCounts(0, 5, 0, 0), 59, Gate.FAIL),
        (SeverityCounts(0, 6, 0, 0), 90, Gate.FAIL),
        (SeverityCounts(1, 0, 0, 0), 100, Gate.FAIL),
    ],
)
def test_gate_has_these_thresholds(counts, points, expected):
    assert choose_gate(counts, points) is expected


def test_tokens_are_counted_by_load_stage():
    case = make_case("x" * 397 + "\n", references__more="y" * 80 + "\n")
    tokens = count_tokens(case.skill)
    assert isinstance(tokens, Tokens)
    assert tokens.body > 100 > tokens.on_demand > 15
    assert tokens.listing > 5


def test_gate_does_not_pass_if_a_check_failed():
    assert measure([])[2] is Gate.PASS
    assert measure([], unknown=True)[2] is Gate.REVIEW
