"""Test that a second reading refutes a finding only with a quote from the skill."""

import pytest

from actions.review.scan_notes import list_rejected
from actions.scoring.issues import count_by_severity
from actions.scoring.quality import compute_score
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
FED, FERRY, PAID = "The keeper feeds each bird", "The ferry leaves at dawn", "The town pays the ferry"


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


def looked(second, *added, first=(), proven=()):
    """Return the issues by id after a second reading of added findings, by default two of at least medium severity."""
    said = added or (add_finding(FED, pattern="CTX-005"), add_finding(FERRY, pattern="CTX-005"))
    judge = ScriptedJudge({"reading": make_reading(*first, added=said), "refutation": second})
    done = consult(tuple(proven), make_case(BODY), judge)
    return {issue.id: issue for issue in done.issues}, done, judge


def answers(*verdicts):
    return make_reading(*verdicts)


CONFIRMED = {**confirm_finding("ISS-002", "No line provides for it."), "severity": "high"}


def test_refuted_finding_does_not_count_and_shows_its_quote():
    found, done, _ = looked(answers(refute_finding("ISS-001", PAID, reason="The town pays."), CONFIRMED))
    refuted = found["ISS-001"]
    assert (refuted.status, refuted.verdict.word) == (IssueStatus.REJECTED, Ruling.REFUTED)
    assert refuted.verdict.why == "The town pays. [SKILL.md:12: The town pays the ferry]"
    assert found["ISS-002"].verdict.word is Ruling.CONFIRMED
    assert (count_by_severity(done.issues).high, compute_score(done.issues)) == (1, 92)
    assert list_rejected(done.issues) == [refuted]
    assert done.notes == ()
    assert done.cost.queries == 2


def test_medium_additions_are_refuted_in_one_question():
    added = [
        add_finding(FED, pattern="CTX-005"), add_finding(FERRY, severity="low"), add_finding(PAID, pattern="MEM-001", severity="medium"),
    ]  # fmt: skip
    judge = ScriptedJudge({"reading": make_reading(added=added)})
    consult((), make_case(BODY), judge)
    (question,) = [q for q in judge.asked if q.name == "refutation"]
    assert (question.ids, question.known) == (("ISS-001", "ISS-003"), ("ISS-002",))
    assert "- CTX-005 TERN" in question.prompt
    assert "- MEM-001 GULL" in question.prompt
    assert "quoted: The town pays the ferry" in question.prompt


def test_second_reading_that_cannot_tell_leaves_the_finding():
    unsure = {"id": "ISS-001", "verdict": "cannot_tell", "severity": "high", "reason": "Only the tide table says it."}
    found, done, _ = looked(answers(unsure, CONFIRMED))
    assert (found["ISS-001"].status, found["ISS-001"].verdict) == (IssueStatus.OPEN, None)
    assert done.notes == (
        "the second reading cannot tell whether ISS-001 is true: Only the tide table says it.",
    )  # fmt: skip


def test_low_additions_are_not_refuted():
    _, done, judge = looked("never asked", add_finding(FED, severity="low"))
    assert not [q for q in judge.asked if q.name == "refutation"]
    assert done.notes == ()


@pytest.mark.parametrize(
    ("verdict", "why"),
    [
        (refute_finding("ISS-001", "The king pays the ferry"), "rejection whose quote is not in its file"),
        (refute_finding("ISS-001", PAID, file="../../etc/passwd"), "quote of a file that does not exist"),
        (refute_finding("ISS-001"), "rejection whose quote is not in its file"),
        (refute_finding("ISS-777", PAID), "verdict on an id that was not asked about"),
        (refute_finding("ISS-001", duplicate_of="ISS-777"), "duplicate of an unknown finding"),
        (refute_finding("ISS-001", duplicate_of="ISS-001"), "duplicate of an unknown finding"),
    ],
)
def test_invalid_refutation_is_rejected(verdict, why):
    found, done, _ = looked(answers(verdict, CONFIRMED))
    assert {issue.status for issue in found.values()} == {IssueStatus.OPEN}
    assert found["ISS-001"].verdict is None
    assert found["ISS-002"].verdict.word is Ruling.CONFIRMED
    assert done.notes == (
        f"a scripted judge on the second reading, rejected: 1 × {why}",
        "read only once, because the second reading gave no verdict: ISS-001",
    )


def test_refutation_cannot_add_findings():
    found, done, _ = looked(make_reading(confirm_finding("ISS-001"), CONFIRMED, added=[add_finding(PAID)]))
    assert len(found) == 2
    assert done.notes == ("a scripted judge on the second reading, rejected: 1 × addition although none was asked for",)


def test_contradicting_refutations_are_rejected():
    found, done, _ = looked(answers(refute_finding("ISS-001", PAID), confirm_finding("ISS-001"), CONFIRMED))
    assert (found["ISS-001"].status, found["ISS-001"].verdict) == (IssueStatus.OPEN, None)
    assert "1 × two opposite verdicts on one finding, which stays as it is" in done.notes[0]


@pytest.mark.parametrize("second", ["the server hung up", {"verdicts": [{"id": "ISS-001"}]}, {"verdicts": 5}])
def test_missing_refutation_keeps_the_findings_and_is_noted(second):
    found, done, _ = looked(second)
    assert {issue.status for issue in found.values()} == {IssueStatus.OPEN}
    assert done.notes[-1] == "read only once, because the second reading gave no verdict: ISS-001, ISS-002"
    assert done.notes[0].startswith("a scripted judge did not answer (refutation): ")


def test_duplicates_are_rejected_but_not_in_a_circle():
    found, _, _ = looked(answers(refute_finding("ISS-002", duplicate_of="ISS-001"), {**CONFIRMED, "id": "ISS-001"}))
    assert found["ISS-002"].status is IssueStatus.REJECTED
    assert found["ISS-002"].verdict.why == "Look here. (the same as ISS-001)"
    found, done, _ = looked(
        answers(refute_finding("ISS-002", duplicate_of="ISS-001"), refute_finding("ISS-001", duplicate_of="ISS-002"))
    )
    assert {issue.status for issue in found.values()} == {IssueStatus.OPEN}
    assert "2 × duplicate of a finding that is itself called a duplicate" in done.notes[0]


def test_refutation_can_lower_a_severity_but_not_raise_it():
    milder = {**CONFIRMED, "severity": "low"}
    worse = {**CONFIRMED, "id": "ISS-001", "severity": "critical"}
    found, _, _ = looked(answers(milder, worse))
    assert (found["ISS-001"].severity, found["ISS-002"].severity) == (Severity.HIGH, Severity.LOW)


def test_duplicate_is_rejected_if_read_and_disputed_if_proven():
    known, _, _ = looked("no second look")
    judge = ScriptedJudge({"reading": make_reading(reject_as_duplicate("ISS-002", "ISS-001"))})
    done = {i.id: i for i in consult(tuple(known.values()), make_case(BODY), judge).issues}
    assert done["ISS-002"].status is IssueStatus.REJECTED
    assert done["ISS-002"].verdict.duplicate_of == "ISS-001"


def test_confirmation_lowers_a_read_severity_not_a_proven_one():
    from actions.scoring.issues import make_issues
    from actions.scoring.scan import scan

    case = make_case(BODY)
    (issue_of_word,) = make_issues(scan(case))
    known, _, _ = looked("no second look", proven=(issue_of_word,))
    mild = [{**confirm_finding(id), "severity": "low"} for id in ("ISS-001", "ISS-002")]
    judge = ScriptedJudge({"reading": make_reading(*mild)})
    done = {i.id: i for i in consult(tuple(known.values()), case, judge).issues}
    assert (done["ISS-001"].grade, done["ISS-001"].severity) == ("proven", Severity.HIGH)
    assert (done["ISS-002"].grade, done["ISS-002"].severity) == ("read", Severity.LOW)
    assert done["ISS-001"].verdict.severity is Severity.LOW


def test_addition_can_be_rejected_in_a_later_round():
    known, _, _ = looked(answers(CONFIRMED, {**CONFIRMED, "id": "ISS-001"}))
    judge = ScriptedJudge({"reading": make_reading(reject_finding("ISS-001", PAID))})
    done = {i.id: i for i in consult(tuple(known.values()), make_case(BODY), judge).issues}
    assert done["ISS-001"].status is IssueStatus.REJECTED
