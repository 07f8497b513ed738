"""Test that a second reading refutes a finding only with a quote from the skill."""

import pytest

from actions.review.scan_notes import list_rejected_issues
from actions.scoring.issues import count_by_severity, make_issues
from actions.scoring.quality import compute_score
from actions.scoring.scan import scan
from schemas.vocabulary import Family, IssueStatus, Ruling, Severity
from tests.fakes import install_catalogue, make_case, make_model_pattern, make_pattern
from tests.judges import (
    ScriptedJudge,
    add_finding,
    confirm_finding,
    consult,
    make_reading,
    refute_finding,
    reject_as_duplicate,
    reject_finding,
)

BODY = (
    "The keeper feeds each bird at noon.\n\nThe ferry leaves at dawn.\n\nThe town pays the ferry.\n\nA FIXABLE wades.\n"
)
FEEDING_QUOTE, FERRY_QUOTE, PAYING_QUOTE = (
    "The keeper feeds each bird",
    "The ferry leaves at dawn",
    "The town pays the ferry",
)


@pytest.fixture(autouse=True)
def catalogue(monkeypatch):
    install_catalogue(
        monkeypatch,
        [
            make_pattern("CTX-001", "FIXABLE", family=Family.CONTEXT),
            make_model_pattern("CTX-005", "TERN"),
            make_model_pattern("MEM-001", "GULL", family=Family.MEMORY),
        ],
        [],
    )


def consult_twice(answer, *added, first=(), proven=()):
    """Return the issues by id after a second reading of added findings, by default two of at least medium severity."""
    additions = added or (add_finding(FEEDING_QUOTE, pattern="CTX-005"), add_finding(FERRY_QUOTE, pattern="CTX-005"))
    judge = ScriptedJudge({"reading": make_reading(*first, added=additions), "refutation": answer})
    result = consult(tuple(proven), make_case(BODY), judge)
    return {issue.id: issue for issue in result.issues}, result, judge


def make_refutation(*verdicts):
    return make_reading(*verdicts)


CONFIRMATION = {**confirm_finding("ISS-002", "No line provides for it."), "severity": "high"}


def test_refuted_finding_does_not_count_and_shows_its_quote():
    issues, result, _ = consult_twice(
        make_refutation(refute_finding("ISS-001", PAYING_QUOTE, reason="The town pays."), CONFIRMATION)
    )
    refuted_issue = issues["ISS-001"]
    assert (refuted_issue.status, refuted_issue.verdict.word) == (IssueStatus.REJECTED, Ruling.REFUTED)
    assert refuted_issue.verdict.why == "The town pays. [SKILL.md:12: The town pays the ferry]"
    assert issues["ISS-002"].verdict.word is Ruling.CONFIRMED
    assert (count_by_severity(result.issues).high, compute_score(result.issues)) == (1, 92)
    assert list_rejected_issues(result.issues) == [refuted_issue]
    assert result.notes == ()
    assert result.cost.queries == 2


def test_medium_additions_are_refuted_in_one_question():
    added = [
        add_finding(FEEDING_QUOTE, pattern="CTX-005"), add_finding(FERRY_QUOTE, severity="low"), add_finding(PAYING_QUOTE, pattern="MEM-001", severity="medium"),
    ]  # fmt: skip
    judge = ScriptedJudge({"reading": make_reading(added=added)})
    consult((), make_case(BODY), judge)
    (question,) = [q for q in judge.questions if q.name == "refutation"]
    assert (question.ids, question.known) == (("ISS-001", "ISS-003"), ("ISS-002",))
    assert "- CTX-005 TERN" in question.prompt
    assert "- MEM-001 GULL" in question.prompt
    assert "quoted: The town pays the ferry" in question.prompt


def test_second_reading_that_cannot_tell_leaves_the_finding():
    unsure = {"id": "ISS-001", "verdict": "cannot_tell", "severity": "high", "reason": "Only the tide table says it."}
    issues, result, _ = consult_twice(make_refutation(unsure, CONFIRMATION))
    assert (issues["ISS-001"].status, issues["ISS-001"].verdict) == (IssueStatus.OPEN, None)
    assert result.notes == (
        "the second reading cannot tell whether ISS-001 is true: Only the tide table says it.",
    )  # fmt: skip


def test_low_additions_are_not_refuted():
    _, result, judge = consult_twice("never asked", add_finding(FEEDING_QUOTE, severity="low"))
    assert not [q for q in judge.questions if q.name == "refutation"]
    assert result.notes == ()


@pytest.mark.parametrize(
    ("verdict", "why"),
    [
        (refute_finding("ISS-001", "The king pays the ferry"), "rejection whose quote is not in its file"),
        (refute_finding("ISS-001", PAYING_QUOTE, file="../../etc/passwd"), "quote of a file that does not exist"),
        (refute_finding("ISS-001"), "rejection whose quote is not in its file"),
        (refute_finding("ISS-777", PAYING_QUOTE), "verdict on an id that was not asked about"),
        (refute_finding("ISS-001", duplicate_of="ISS-777"), "duplicate of an unknown finding"),
        (refute_finding("ISS-001", duplicate_of="ISS-001"), "duplicate of an unknown finding"),
    ],
)
def test_invalid_refutation_is_rejected(verdict, why):
    issues, result, _ = consult_twice(make_refutation(verdict, CONFIRMATION))
    assert {issue.status for issue in issues.values()} == {IssueStatus.OPEN}
    assert issues["ISS-001"].verdict is None
    assert issues["ISS-002"].verdict.word is Ruling.CONFIRMED
    assert result.notes == (
        f"a scripted judge on the second reading, rejected: 1 × {why}",
        "not confirmed, because the second reading gave no verdict: ISS-001",
    )


def test_refutation_cannot_add_findings():
    issues, result, _ = consult_twice(
        make_reading(confirm_finding("ISS-001"), CONFIRMATION, added=[add_finding(PAYING_QUOTE)])
    )
    assert len(issues) == 2
    assert result.notes == ("a scripted judge on the second reading, rejected: 1 × addition that was not asked for",)


def test_contradicting_refutations_are_rejected():
    issues, result, _ = consult_twice(
        make_refutation(refute_finding("ISS-001", PAYING_QUOTE), confirm_finding("ISS-001"), CONFIRMATION)
    )
    assert (issues["ISS-001"].status, issues["ISS-001"].verdict) == (IssueStatus.OPEN, None)
    assert "1 × two opposite verdicts on one finding, which stays as it is" in result.notes[0]


@pytest.mark.parametrize("answer", ["the server hung up", {"verdicts": [{"id": "ISS-001"}]}, {"verdicts": 5}])
def test_missing_refutation_keeps_the_findings_and_is_noted(answer):
    issues, result, _ = consult_twice(answer)
    assert {issue.status for issue in issues.values()} == {IssueStatus.OPEN}
    assert result.notes[-1] == "not confirmed, because the second reading gave no verdict: ISS-001, ISS-002"
    assert result.notes[0].startswith("a scripted judge did not answer (refutation): ")


def test_duplicates_are_rejected_unless_they_are_circular():
    issues, _, _ = consult_twice(
        make_refutation(refute_finding("ISS-002", duplicate_of="ISS-001"), {**CONFIRMATION, "id": "ISS-001"})
    )
    assert issues["ISS-002"].status is IssueStatus.REJECTED
    assert issues["ISS-002"].verdict.why == "Look here. (the same as ISS-001)"
    issues, result, _ = consult_twice(
        make_refutation(
            refute_finding("ISS-002", duplicate_of="ISS-001"), refute_finding("ISS-001", duplicate_of="ISS-002")
        )
    )
    assert {issue.status for issue in issues.values()} == {IssueStatus.OPEN}
    assert "2 × duplicate of a finding that is itself called a duplicate" in result.notes[0]


def test_refutation_can_lower_a_severity_but_not_raise_it():
    milder = {**CONFIRMATION, "severity": "low"}
    worse = {**CONFIRMATION, "id": "ISS-001", "severity": "critical"}
    issues, _, _ = consult_twice(make_refutation(milder, worse))
    assert (issues["ISS-001"].severity, issues["ISS-002"].severity) == (Severity.HIGH, Severity.LOW)


def test_duplicate_is_rejected_if_read_and_disputed_if_proven():
    known_issues, _, _ = consult_twice("no second look")
    judge = ScriptedJudge({"reading": make_reading(reject_as_duplicate("ISS-002", "ISS-001"))})
    issues_after = {i.id: i for i in consult(tuple(known_issues.values()), make_case(BODY), judge).issues}
    assert issues_after["ISS-002"].status is IssueStatus.REJECTED
    assert issues_after["ISS-002"].verdict.duplicate_of == "ISS-001"


def test_confirmation_lowers_a_read_severity_not_a_proven_one():
    case = make_case(BODY)
    (proven_issue,) = make_issues(scan(case))
    known_issues, _, _ = consult_twice("no second look", proven=(proven_issue,))
    mild = [{**confirm_finding(id), "severity": "low"} for id in ("ISS-001", "ISS-002")]
    judge = ScriptedJudge({"reading": make_reading(*mild)})
    issues_after = {i.id: i for i in consult(tuple(known_issues.values()), case, judge).issues}
    assert (issues_after["ISS-001"].grade, issues_after["ISS-001"].severity) == ("proven", Severity.HIGH)
    assert (issues_after["ISS-002"].grade, issues_after["ISS-002"].severity) == ("read", Severity.LOW)
    assert issues_after["ISS-001"].verdict.severity is Severity.LOW


def test_addition_can_be_rejected_in_a_later_round():
    known_issues, _, _ = consult_twice(make_refutation(CONFIRMATION, {**CONFIRMATION, "id": "ISS-001"}))
    judge = ScriptedJudge({"reading": make_reading(reject_finding("ISS-001", PAYING_QUOTE))})
    issues_after = {i.id: i for i in consult(tuple(known_issues.values()), make_case(BODY), judge).issues}
    assert issues_after["ISS-001"].status is IssueStatus.REJECTED
