"""Test that a judge's answers count only with a valid quote, and that no finding disappears silently."""

import pytest

from actions.review.judge import Reply
from actions.review.scan_notes import describe_rejections
from actions.review.verdicts import is_disputed
from actions.scoring.issues import count_by_severity, make_issues
from actions.scoring.quality import compute_score
from actions.scoring.scan import scan
from schemas.vocabulary import Family, IssueStatus, Ruling, Severity
from tests.actions.review.keeper import BODY, QUOTE, consult_with_answer, make_large_case
from tests.fakes import make_case
from tests.judges import ScriptedJudge, add_finding, confirm_finding, consult, make_reading, reject_finding

pytestmark = pytest.mark.usefixtures("catalogue")


def test_confirmation_is_recorded_and_changes_nothing_else():
    issues_by_pattern, result, _ = consult_with_answer(
        make_reading(confirm_finding("ISS-001"), confirm_finding("ISS-002"), confirm_finding("ISS-003"))
    )
    assert {id: i.verdict.word for id, i in issues_by_pattern.items()} == dict.fromkeys(
        issues_by_pattern, Ruling.CONFIRMED
    )
    assert {i.how_known for i in issues_by_pattern.values()} == {"proven"}
    assert {i.verdict.by for i in issues_by_pattern.values()} == {"a scripted judge"}
    assert (result.cost.queries, result.cost.tokens, result.cost.usd) == (1, 500, 0.002)
    assert result.notes == ()


def test_rejection_deducts_nothing_and_keeps_its_reason():
    reading = make_reading(reject_finding("ISS-001", QUOTE, reason="It  is\nfed."))
    issues_by_pattern, result, _ = consult_with_answer(
        reading, QUOTE + " at noon.\n", read=[add_finding(QUOTE, pattern="CTX-005")]
    )
    assert issues_by_pattern["CTX-005"].status is IssueStatus.REJECTED
    assert issues_by_pattern["CTX-005"].verdict.reason == "It is fed."
    assert (count_by_severity(result.issues).high, compute_score(result.issues)) == (0, 100)
    assert (
        describe_rejections(result.issues)
        == "a scripted judge rejects ISS-001; if these findings counted, the score would be 92 and the quality gate pass"
    )


@pytest.mark.parametrize("quote", ["The keeper feeds each fish", "", "bird", "12| ", "..."])
def test_rejection_without_a_quote_is_rejected(quote):
    issues_by_pattern, result, _ = consult_with_answer(make_reading(reject_finding("ISS-002", quote)))
    assert (issues_by_pattern["CTX-002"].status, issues_by_pattern["CTX-002"].verdict) == (IssueStatus.OPEN, None)
    assert result.notes == ("a scripted judge on the reading, rejected: 1 × rejection whose quote is not in its file",)


def test_proven_finding_cannot_be_rejected():
    issues_by_pattern, result, _ = consult_with_answer(
        make_reading(reject_finding("ISS-001", "The keeper feeds each bird"))
    )
    assert issues_by_pattern["CTX-001"].status is IssueStatus.OPEN
    assert is_disputed(issues_by_pattern["CTX-001"])
    assert count_by_severity(result.issues).high == 3
    assert describe_rejections(result.issues) == ""


def test_proven_spec_findings_are_sent_to_the_judge():
    issues_by_pattern, _, judge = consult_with_answer(make_reading(), "A black LOSSY.\n", ("docs",))
    assert issues_by_pattern["SPEC-005"].status is IssueStatus.OPEN
    assert "ISS-001 SPEC-005 proven high SKILL.md:8 " in judge.prompt("reading")


def test_opposite_verdicts_change_nothing():
    issues_by_pattern, result, _ = consult_with_answer(
        make_reading(confirm_finding("ISS-002"), reject_finding("ISS-002", "The keeper feeds each bird"))
    )
    assert (issues_by_pattern["CTX-002"].status, issues_by_pattern["CTX-002"].verdict) == (IssueStatus.OPEN, None)
    assert result.notes == (
        "a scripted judge on the reading, rejected: 1 × two opposite verdicts on one finding, which stays as it is",
    )


def test_verdicts_for_unknown_findings_are_dropped_and_counted():
    issues_by_pattern, result, _ = consult_with_answer(
        make_reading(confirm_finding("ISS-777"), reject_finding("ISS-778", "The keeper feeds each bird"))
    )
    assert all(issue.verdict is None for issue in issues_by_pattern.values())
    assert result.notes == ("a scripted judge on the reading, rejected: 2 × verdict on an id that was not asked about",)


def test_addition_is_placed_at_its_quote():
    issues_by_pattern, _, _ = consult_with_answer(
        make_reading(added=[add_finding("14|  The keeper\n feeds   each bird at noon.", harm="They  starve.")])
    )
    issue = issues_by_pattern["custom"]
    assert (issue.id, issue.type, issue.source, issue.grade, issue.severity) == (
        "ISS-004", Family.CUSTOM, "sdk", "read", Severity.HIGH
    )  # fmt: skip
    assert (issue.how_known, issue.read_by.reason) == ("read by a scripted judge", "They starve.")
    assert (issue.location.line_start, issue.location.line_end) == (14, 14)
    assert issue.evidence == ("The keeper feeds each bird at noon.",)
    assert (issue.root_cause, issue.impact) == ("No line says who pays the ferry.", "They starve.")


def test_addition_over_several_lines_has_first_and_last_line():
    issues_by_pattern, _, _ = consult_with_answer(make_reading(added=[add_finding("grey RISKY waits. A small WREN")]))
    assert (issues_by_pattern["custom"].location.line_start, issues_by_pattern["custom"].location.line_end) == (10, 12)


@pytest.mark.parametrize(
    ("addition", "reason"),
    [
        (add_finding("The ferry leaves at dawn."), "addition whose quote is not in its file, or too short"),
        (add_finding("The keeper feeds each bird", file="phases/01.md"), "quote of a file that does not exist"),
        (add_finding("The keeper feeds each bird", file="../../etc/passwd"), "quote of a file that does not exist"),
        (
            add_finding("The keeper feeds each bird", pattern="AGT-001"),
            "addition with a pattern that was not asked about",
        ),
    ],
)
def test_invalid_addition_is_rejected_and_counted(addition, reason):
    issues_by_pattern, result, _ = consult_with_answer(make_reading(added=[addition]))
    assert all(issue.source == "parser" for issue in issues_by_pattern.values())
    assert result.notes == (f"a scripted judge on the reading, rejected: 1 × {reason}",)


def test_two_faults_of_a_pattern_at_one_line_are_both_added():
    """Two things that a line omits have no other location, so both count; a repetition of the same words does not."""
    first = add_finding(QUOTE, pattern="CTX-004", problem="Nothing says what the birds eat.")
    second = add_finding(QUOTE, pattern="CTX-004", problem="Who feeds them on Sundays is open.")
    _, result, _ = consult_with_answer(make_reading(added=[first, second, {**second, "harm": "They starve."}]))
    descriptions = [issue.description for issue in result.issues if issue.source == "sdk"]
    assert descriptions == [first["problem"], second["problem"]]
    assert result.notes == ("a scripted judge on the reading, rejected: 1 × finding that repeats another",)


def test_short_quote_counts_if_it_is_a_whole_line():
    """A wrong settings key may be one short line; such a short part of a line could occur anywhere."""
    body = BODY + '```json\n{\n  "hook": {\n  }\n}\n```\n'
    _, result, _ = consult_with_answer(
        make_reading(
            added=[add_finding('"hook": {'), add_finding('"hook"', problem="It is not quoted."), add_finding("}")]
        ),
        body,
    )
    (added_issue,) = [issue for issue in result.issues if issue.source == "sdk"]
    assert added_issue.location.line_start == make_case(body).skill.main.doc.lines.index('  "hook": {') + 1
    assert result.notes == (
        "a scripted judge on the reading, rejected: 2 × addition whose quote is not in its file, or too short",
    )


def test_known_finding_is_not_added_again():
    _, result, _ = consult_with_answer(make_reading(added=[add_finding("A grey RISKY waits.", pattern="CTX-002"), add_finding("keeper feeds each bird"),
                                        add_finding("The keeper feeds each bird")]))  # fmt: skip
    assert [i.source for i in result.issues].count("sdk") == 1


def test_addition_has_the_severity_of_its_reader():
    issues_by_pattern, _, _ = consult_with_answer(
        make_reading(added=[add_finding("The keeper feeds each bird", pattern="CTX-004", severity="high")])
    )
    assert issues_by_pattern["CTX-004"].severity is Severity.HIGH


def test_two_faults_of_one_line_are_two_findings():
    second_addition = add_finding(QUOTE, problem="At noon the shore is flooded.", harm="The food drifts away.")
    _, result, _ = consult_with_answer(
        make_reading(
            added=[
                add_finding(QUOTE),
                second_addition,
                add_finding(QUOTE, problem="No line says who pays the ferry at all."),
            ]
        )
    )
    added_issues = [i for i in result.issues if i.source == "sdk"]
    assert [i.description for i in added_issues] == [
        "No line says who pays the ferry.",
        "At noon the shore is flooded.",
    ]
    assert len({i.fingerprint for i in added_issues}) == 2


def test_high_findings_are_unlimited_and_low_ones_limited_to_ten():
    lines = "".join(f"The keeper counts shore number {n} twice.\n\n" for n in range(220))
    additions = [
        add_finding(f"counts shore number {n} twice", severity="high" if n < 200 else "low") for n in range(220)
    ]
    _, result, _ = consult_with_answer(make_reading(added=additions), lines)
    assert count_by_severity(result.issues).high == 200
    assert count_by_severity(result.issues).low == 10
    assert (
        "a scripted judge on the reading, rejected: 10 × finding of low severity beyond the first ten" in result.notes
    )


def test_complaint_is_asked_about_and_its_explanation_marked():
    case, addition = make_case(BODY), add_finding(QUOTE, explains_complaint=True, from_knowledge=True)
    judge = ScriptedJudge({"reading": make_reading(added=[addition])})
    (issue,) = consult((), case, judge, complaint="The wrens starve.").issues
    assert "## What bothers its user" in judge.prompt("reading")
    assert (issue.read_by.explains_complaint, issue.read_by.from_knowledge) == (True, True)


def test_proven_finding_can_explain_the_complaint():
    case = make_case(BODY)
    judge = ScriptedJudge({"reading": make_reading({**confirm_finding("ISS-002"), "explains_complaint": True})})
    before = make_issues(scan(case))
    result = consult(before, case, judge, complaint="The herons starve.")
    assert [issue.id for issue in result.issues if issue.explains_complaint] == ["ISS-002"]
    assert "or which explains what the user says above" in judge.prompt("reading")
    consult(before, case, judge)
    assert "or which explains" not in judge.questions[-1].prompt


def test_addition_can_be_suppressed_like_any_finding():
    body = "<!-- tune-skill: ignore CTX-004 it is tame -->\nThe keeper feeds each bird at noon.\n"
    issues_by_pattern, _, _ = consult_with_answer(
        make_reading(added=[add_finding("The keeper feeds each bird", pattern="CTX-004")]), body
    )
    assert issues_by_pattern["CTX-004"].status is IssueStatus.SUPPRESSED


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ("the budget is used up", "the budget is used up"),
        ({"notes": [], "unchecked": [], "verdicts": []}, "'added' is a required property"),
        (make_reading({**confirm_finding("ISS-001"), "extra": 1}), "Additional properties are not allowed"),
        (make_reading(confirm_finding("ISS-001", "x" * 401)), "is too long"),
        (make_reading(added=[add_finding("The keeper feeds each bird")] * 301), "/added: "),
        (
            make_reading(added=[add_finding("The keeper feeds each bird", severity="critical")]),
            "'critical' is not one of",
        ),
    ],
)
def test_invalid_answer_keeps_the_findings_and_is_noted(answer, message):
    issues_by_pattern, result, _ = consult_with_answer(answer)
    assert [i.verdict for i in issues_by_pattern.values()] == [None] * 3
    (note,) = result.notes
    assert note.startswith("a scripted judge did not answer (reading): ")
    assert message in note


def test_reasons_that_differ_only_in_numbers_are_noted_once():
    error_numbers = iter(range(9))
    judge = ScriptedJudge(
        {"reading": lambda question: f"it would cost 0.05 USD, and 0.0{next(error_numbers)} USD are left"}
    )
    result = consult((), make_large_case(), judge)
    assert len(result.notes) == 1
    assert "0.00 USD are left" in result.notes[0]


def test_cached_answer_costs_nothing():
    _, result, _ = consult_with_answer(Reply(make_reading(), usd=1.0, tokens=9, cached=True))
    assert (result.cost.usd, result.cost.tokens, result.cost.queries) == (0, 0, 0)


def test_missing_answer_changes_no_finding():
    case = make_case("Fill the pond.\n" * 30_000)
    result = consult(make_issues(scan(case)), case, ScriptedJudge(), ("context",))
    assert not any("for length" in note for note in result.notes)
