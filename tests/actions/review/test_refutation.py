"""Test that a second reading refutes a finding only with a quote from the skill."""

import pytest

from actions.review.scan_notes import list_rejected
from actions.scoring.issues import count_by_severity
from actions.scoring.quality import compute_score
from schemas.vocabulary import Family, IssueStatus, Ruling, Severity
from tests.fakes import a_case, a_pattern, a_read_pattern, install
from tests.judges import ScriptedJudge, add, confirm, consult, duplicate, refute, reject, says

BODY = (
    "The keeper feeds each bird at noon.\n\nThe ferry leaves at dawn.\n\nThe town pays the ferry.\n\nA CRANE wades.\n"
)
FED, FERRY, PAID = "The keeper feeds each bird", "The ferry leaves at dawn", "The town pays the ferry"


@pytest.fixture(autouse=True)
def catalogue(monkeypatch):
    install(
        monkeypatch,
        [
            a_pattern("CTX-001", "CRANE", family=Family.CONTEXT),
            a_read_pattern("CTX-005", "TERN"),
            a_read_pattern("MEM-001", "GULL", family=Family.MEMORY),
        ],
        [],
    )


def looked(second, *added, first=(), proven=()):
    """Return the issues by id after a second reading of added findings, by default two of at least medium severity."""
    said = added or (add(FED, pattern="CTX-005"), add(FERRY, pattern="CTX-005"))
    judge = ScriptedJudge({"reading": says(*first, added=said), "refutation": second})
    done = consult(tuple(proven), a_case(BODY), judge)
    return {issue.id: issue for issue in done.issues}, done, judge


def answers(*verdicts):
    return says(*verdicts)


CONFIRMED = {**confirm("ISS-002", "No line provides for it."), "severity": "high"}


def test_refuted_finding_does_not_count_and_shows_its_quote():
    found, done, _ = looked(answers(refute("ISS-001", PAID, reason="The town pays."), CONFIRMED))
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
        add(FED, pattern="CTX-005"), add(FERRY, severity="low"), add(PAID, pattern="MEM-001", severity="medium"),
    ]  # fmt: skip
    judge = ScriptedJudge({"reading": says(added=added)})
    consult((), a_case(BODY), judge)
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
    _, done, judge = looked("never asked", add(FED, severity="low"))
    assert not [q for q in judge.asked if q.name == "refutation"]
    assert done.notes == ()


@pytest.mark.parametrize(
    ("verdict", "why"),
    [
        (refute("ISS-001", "The king pays the ferry"), "rejection whose quote is not in its file"),
        (refute("ISS-001", PAID, file="../../etc/passwd"), "quote of a file that does not exist"),
        (refute("ISS-001"), "rejection whose quote is not in its file"),
        (refute("ISS-777", PAID), "verdict on an id that was not asked about"),
        (refute("ISS-001", duplicate_of="ISS-777"), "duplicate of an unknown finding"),
        (refute("ISS-001", duplicate_of="ISS-001"), "duplicate of an unknown finding"),
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
    found, done, _ = looked(says(confirm("ISS-001"), CONFIRMED, added=[add(PAID)]))
    assert len(found) == 2
    assert done.notes == ("a scripted judge on the second reading, rejected: 1 × addition although none was asked for",)


def test_contradicting_refutations_are_rejected():
    found, done, _ = looked(answers(refute("ISS-001", PAID), confirm("ISS-001"), CONFIRMED))
    assert (found["ISS-001"].status, found["ISS-001"].verdict) == (IssueStatus.OPEN, None)
    assert "1 × two opposite verdicts on one finding, which stays as it is" in done.notes[0]


@pytest.mark.parametrize("second", ["the server hung up", {"verdicts": [{"id": "ISS-001"}]}, {"verdicts": 5}])
def test_missing_refutation_keeps_the_findings_and_is_noted(second):
    found, done, _ = looked(second)
    assert {issue.status for issue in found.values()} == {IssueStatus.OPEN}
    assert done.notes[-1] == "read only once, because the second reading gave no verdict: ISS-001, ISS-002"
    assert done.notes[0].startswith("a scripted judge did not answer (refutation): ")


def test_duplicates_are_rejected_but_not_in_a_circle():
    found, _, _ = looked(answers(refute("ISS-002", duplicate_of="ISS-001"), {**CONFIRMED, "id": "ISS-001"}))
    assert found["ISS-002"].status is IssueStatus.REJECTED
    assert found["ISS-002"].verdict.why == "Look here. (the same as ISS-001)"
    found, done, _ = looked(
        answers(refute("ISS-002", duplicate_of="ISS-001"), refute("ISS-001", duplicate_of="ISS-002"))
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
    judge = ScriptedJudge({"reading": says(duplicate("ISS-002", "ISS-001"))})
    done = {i.id: i for i in consult(tuple(known.values()), a_case(BODY), judge).issues}
    assert done["ISS-002"].status is IssueStatus.REJECTED
    assert done["ISS-002"].verdict.duplicate_of == "ISS-001"


def test_confirmation_lowers_a_read_severity_not_a_proven_one():
    from actions.scoring.issues import make_issues
    from actions.scoring.scan import scan

    case = a_case(BODY)
    (crane,) = make_issues(scan(case))
    known, _, _ = looked("no second look", proven=(crane,))
    mild = [{**confirm(id), "severity": "low"} for id in ("ISS-001", "ISS-002")]
    judge = ScriptedJudge({"reading": says(*mild)})
    done = {i.id: i for i in consult(tuple(known.values()), case, judge).issues}
    assert (done["ISS-001"].grade, done["ISS-001"].severity) == ("proven", Severity.HIGH)
    assert (done["ISS-002"].grade, done["ISS-002"].severity) == ("read", Severity.LOW)
    assert done["ISS-001"].verdict.severity is Severity.LOW


def test_addition_can_be_rejected_in_a_later_round():
    known, _, _ = looked(answers(CONFIRMED, {**CONFIRMED, "id": "ISS-001"}))
    judge = ScriptedJudge({"reading": says(reject("ISS-001", PAID))})
    done = {i.id: i for i in consult(tuple(known.values()), a_case(BODY), judge).issues}
    assert done["ISS-001"].status is IssueStatus.REJECTED
