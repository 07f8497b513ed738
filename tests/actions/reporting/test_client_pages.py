"""Test the pages that an MCP client shows. They are short, answer the complaint first and explain refuted findings."""

import re

from msgspec.structs import replace

from actions.fixes.records import describe_replacement
from actions.reporting.client_pages import make_findings_page, make_fixes_page, make_outcome_page
from actions.reporting.finding_rows import explain_open_issue
from actions.scoring.quality import choose_gate
from schemas.issues import ReadBy, SeverityCounts, Verdict
from schemas.records import Review
from schemas.vocabulary import FixStatus, Gate, IssueSource, IssueStatus, Ruling, Severity
from tests.schemas.samples import make_fix, make_issue, make_rich_state

COMPLAINT = "it forgets the rules"


def make_open_issue(number, severity=Severity.MEDIUM, *, explains=False):
    read_by = ReadBy("a reader", "x", explains_complaint=explains)
    return make_issue(
        number, source=IssueSource.MODEL, severity=severity, status=IssueStatus.OPEN, verdict=None, read_by=read_by
    )


def make_state(*issues, **fields):
    return replace(make_rich_state(), issues=issues, user_issue_description=COMPLAINT, **fields)


def test_finding_that_explains_the_complaint_comes_first():
    page = make_findings_page(
        make_state(make_open_issue(1, Severity.HIGH), make_open_issue(2, Severity.LOW, explains=True))
    )
    assert page.text.index("ISS-002") < page.text.index("Other findings:") < page.text.index("ISS-001")
    labels = [choice.label for choice in page.dialog.choices]
    assert labels == ["Those that explain my complaint (1)", "All (2)", "None"], (
        "a choice is not offered twice under different labels"
    )
    assert [choice.ids for choice in page.dialog.choices] == [("ISS-002",), ("ISS-002", "ISS-001"), ()]


def test_refuted_finding_is_listed_last_with_a_shortened_reason():
    reason = "The next step ends it. " * 20
    refuted_issue = make_issue(
        1, source=IssueSource.MODEL, status=IssueStatus.REJECTED, verdict=Verdict(Ruling.REFUTED, reason, "a reader")
    )
    text = make_findings_page(make_state(refuted_issue, make_open_issue(2))).text
    assert text.index("ISS-002") < text.index("Refuted by a second reading") < text.index("ISS-001")
    assert reason not in text
    assert "No finding explains your complaint." in text


def test_refuted_finding_shows_its_description_and_full_reason():
    reason = "The next step draws it from the failed approaches. " * 4
    verdict = Verdict(Ruling.REFUTED, reason, "a reader", quote="a.md:67: - Failed")
    refuted_issue = make_issue(1, source=IssueSource.MODEL, status=IssueStatus.REJECTED, verdict=verdict)
    duplicate_issue = replace(refuted_issue, id="ISS-003", verdict=replace(verdict, duplicate_of="ISS-002", quote=""))
    text = make_findings_page(make_state(refuted_issue, make_open_issue(2), duplicate_issue)).text
    line, other_line = (
        next(line for line in text.splitlines() if line.startswith(f"- {id}")) for id in ("ISS-001", "ISS-003")
    )
    assert line.endswith(f"{refuted_issue.description.strip()} Refuted: {reason.strip()}")
    assert other_line.endswith("Refuted: the same fault as ISS-002")


def test_counts_of_findings_are_explained():
    many_issues = [
        make_open_issue(n, Severity.LOW if n > 20 else Severity.HIGH, explains=n == 25) for n in range(1, 31)
    ]
    page = make_findings_page(make_state(*many_issues))
    assert "30 findings (the first 24 are listed)" in page.text
    assert [choice.label for choice in page.dialog.choices[-2:]] == ["All listed (24)", "None"]
    choice = page.dialog.choices[1]
    assert choice.description == "All of medium severity or worse, and those that explain your complaint."
    start = replace(make_rich_state().rounds[0], counts=SeverityCounts(high=4))
    issues = [replace(make_open_issue(1), status=IssueStatus.RESOLVED), make_open_issue(2)]
    text = make_outcome_page(make_state(*issues, rounds=(start,)), "/p/report.md").text
    assert "4 findings before, 1 fixed, 1 left, 2 covered by another or rejected." in text
    text = make_outcome_page(make_state(*issues, *many_issues[2:7], rounds=(start,)), "/p/report.md").text
    assert "4 findings before, 1 fixed, 6 left, 3 of them new." in text


def test_dialog_shows_the_full_description_of_a_fix():
    iteration, description = (
        make_rich_state().iteration_count,
        "Ask for the publication itself, " * 6 + "and say what follows any other.",
    )
    fix = make_fix(1, status=FixStatus.PROPOSED, iteration=iteration, description=description)
    assert (
        description
        in make_fixes_page(make_state(make_open_issue(1), proposed_fixes=(fix,))).dialog.choices[0].description
    )


def test_diff_with_a_fence_cannot_end_its_block():
    fix = make_fix(1, status=FixStatus.PROPOSED, iteration=make_rich_state().iteration_count)
    change = replace(fix.changes[0], diff="--- a/x\n+++ b/x\n@@ -1 +1 @@\n-```\n+````sh\n")
    page = make_fixes_page(replace(make_rich_state(), proposed_fixes=(replace(fix, changes=(change,)),)))
    assert "`````diff\n" in page.text
    assert not page.dialog.several, "one fix needs no checkbox"


def test_fix_that_addresses_the_complaint_comes_first():
    number = make_rich_state().iteration_count
    fixes = [make_fix(n, status=FixStatus.PROPOSED, iteration=number, issue_ids=(f"ISS-{n:03d}",)) for n in (1, 2)]
    page = make_fixes_page(
        make_state(make_open_issue(1), make_open_issue(2, explains=True), proposed_fixes=tuple(fixes))
    )
    assert page.text.index("FIX-002") < page.text.index("FIX-001")
    assert [choice.label for choice in page.dialog.choices] == ["FIX-002", "FIX-001", "None"]


def test_more_than_three_fixes_are_chosen_in_one_question():
    number = make_rich_state().iteration_count
    fixes = tuple(make_fix(n, status=FixStatus.PROPOSED, iteration=number) for n in range(1, 8))
    page = make_fixes_page(replace(make_rich_state(), proposed_fixes=fixes))
    assert [choice.label for choice in page.dialog.choices] in (
        ["All 7", "None"],
        ["All 7", "All but high risk (7)", "None"],
    )
    assert 2 <= len(page.dialog.choices) <= 4
    assert len(page.text) < 7_000


def test_outcome_page_has_40_lines_at_most():
    issues = [make_open_issue(n, explains=n < 9) for n in range(1, 60)]
    fixes = tuple(make_fix(n, status=FixStatus.REFUSED, reason="x" * 900) for n in range(1, 30))
    fixes += tuple(make_fix(n, status=FixStatus.APPLIED) for n in range(30, 60))
    text = make_outcome_page(make_state(*issues, proposed_fixes=fixes), "/p/report.md").text
    assert len(text.splitlines()) <= 40
    assert len(text) < 7_000
    assert "`/p/report.md`; read it with `tune-skill report " in text


def test_outcome_says_what_the_gate_needs_unless_it_passes():
    rounds = (replace(make_rich_state().rounds[0], gate=Gate.FAIL),)
    page_of_failed_gate, page_of_passed_gate = (
        make_outcome_page(make_state(make_open_issue(1), rounds=rounds, quality_gate=gate), "/p/report.md").text
        for gate in (Gate.REVIEW, Gate.PASS)
    )
    match = re.search(
        r"the gate needs (\d+) points, no critical finding and at most two high ones\.", page_of_failed_gate
    )
    points = int(match[1])
    assert choose_gate(SeverityCounts(high=2), points) is Gate.PASS
    for counts, score in (
        (SeverityCounts(high=2), points - 1),
        (SeverityCounts(high=3), 100),
        (SeverityCounts(1), 100),
    ):
        assert choose_gate(counts, score) is not Gate.PASS
    assert "the gate needs" not in page_of_passed_gate


def test_redrafted_fix_names_the_fix_that_the_user_chose():
    old = make_fix(
        1, status=FixStatus.REFUSED, reason=f"Another fix changed its text; {describe_replacement('FIX-002')}"
    )
    applied_fix = make_fix(3, status=FixStatus.APPLIED)
    new = make_fix(2, status=FixStatus.PROPOSED)
    state = make_state(make_open_issue(1), proposed_fixes=(old, applied_fix, new), iteration_count=new.iteration)
    text = make_fixes_page(state).text
    assert text.startswith("Applied so far: FIX-003.\n")
    assert text.index("In place of FIX-001, which you chose: another fix changed its text") < text.index(
        "**FIX-002** for"
    )


def test_unchosen_fix_says_how_to_apply_it_later():
    fix = make_fix(1, status=FixStatus.PROPOSED, description="Name who approves.")
    text = make_outcome_page(make_state(make_open_issue(1), proposed_fixes=(fix,)), "/p/report.md").text
    assert (
        "Not chosen: FIX-001 (Name who approves). Say “apply FIX-001” to apply it later, or run `tune-skill apply "
        in text
    )


def test_finding_for_the_author_is_marked_and_not_offered():
    rounds = (replace(make_rich_state().rounds[0], by_hand=("ISS-001",)),)
    state = make_state(make_open_issue(1, explains=True), make_open_issue(2), rounds=rounds)
    page = make_findings_page(state)
    line = next(line for line in page.text.splitlines() if "ISS-001" in line)
    assert "in the frontmatter, which only you change" in line
    assert [choice.ids for choice in page.dialog.choices] == [("ISS-002",), ()]
    assert "Still open: edit that line by hand," in make_outcome_page(state, "/p/report.md").text
    assert explain_open_issue(replace(state, proposed_fixes=()), state.issues[0]).endswith("edit the line by hand")


def test_findings_beyond_the_listed_ones_are_counted_in_one_line():
    fixed_issues = [replace(make_open_issue(n, explains=True), status=IssueStatus.RESOLVED) for n in range(1, 7)]
    open_issues = [make_open_issue(n, explains=True) for n in range(11, 17)]
    texts = [
        make_outcome_page(make_state(*issues), "/p/report.md").text
        for issues in (fixed_issues, open_issues, [*fixed_issues[:3], *open_issues[:3]])
    ]
    for text, expected_text in zip(texts, ("2 more, all fixed", "2 more, all open", "2 more, all fixed"), strict=True):
        assert f"- and {expected_text}\n" in text


def test_finding_without_a_fix_is_listed_by_its_own_id():
    reason = "the model drafted no fix: only the author knows"
    refused_fix = make_fix(5, status=FixStatus.REFUSED, issue_ids=("ISS-017",), changes=(), reason=reason, choice=None)
    text = make_outcome_page(make_state(make_open_issue(17), proposed_fixes=(refused_fix,)), "/p/report.md").text
    assert f"- ISS-017: {reason}" in text
    assert "FIX-005" not in text


def test_outcome_answers_the_complaint_in_plain_sentences():
    fixed_issue = replace(
        make_open_issue(1, explains=True), status=IssueStatus.RESOLVED, description="No step asks the user."
    )
    second_fixed_issue, open_issue = replace(fixed_issue, id="ISS-002"), make_open_issue(3, explains=True)
    review = Review("a reader", True, True, True, True, False, ended=("ISS-002",))
    fix = make_fix(1, status=FixStatus.APPLIED, issue_ids=("ISS-001",), review=review)
    text = make_outcome_page(
        make_state(fixed_issue, second_fixed_issue, open_issue, proposed_fixes=(fix,)), "/p/report.md"
    ).text
    assert f"You said: “{COMPLAINT}”\n3 findings explain it; 2 are fixed:\n" in text
    assert text.index("(ISS-003, ") < text.index("- No step asks the user. (ISS-001, "), (
        "open findings are listed first"
    )
    answers = {id: line for line in text.splitlines() for id in ("ISS-001", "ISS-002", "ISS-003") if f"({id}, " in line}
    sentence_ends = [answers[id].rpartition(") ")[2] for id in ("ISS-001", "ISS-002", "ISS-003")]
    assert sentence_ends == ["Fixed by FIX-001.", "Fixed by FIX-001.", "Still open."]
    assert "No finding explains it." in make_outcome_page(make_state(make_open_issue(1)), "/p").text
