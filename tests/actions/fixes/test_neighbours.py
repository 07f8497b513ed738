"""Test what happens to a finding if a fix for another finding changes the words that it quotes."""

import pytest

from actions.fixes.drafting import match_drafts
from schemas.vocabulary import FixStatus, IssueStatus
from tests.actions.fixes.drafts import run_judged
from tests.actions.fixes.test_drafting import roll_back_all_fixes
from tests.judges import add_finding, make_draft, make_reading, make_review
from tests.schemas.samples import make_issue

pytestmark = pytest.mark.usefixtures("catalogue")

LINE = "Keep the pond clean, then close it.\n"
READING_OF_BOTH = make_reading(
    added=[
        add_finding(LINE.strip(), problem="How clean?"),
        add_finding(LINE.strip(), problem="With what is it closed?"),
    ]
)
DRAFT_FOR_FIRST = make_draft(("SKILL.md", "clean", "free of leaves"), rewords=[LINE.strip()])
DRAFT_FOR_SECOND = make_draft(("SKILL.md", "Go home.", "Use the net. Go home."), rewords=["Go home."])


def run_fix_of_first(review, **more):
    """Run a fix of ISS-001 that changes the words that ISS-002 quotes; return the state at the end."""
    state, case, judge = run_judged(
        {"reading": READING_OF_BOTH, "draft for ISS-001": DRAFT_FOR_FIRST, "review": review, **more},
        f"{LINE}\nGo home.\n",
    )
    return state, case, judge, {issue.id: issue for issue in state.issues}


def test_neighbour_stays_open_at_the_new_words():
    state, case, judge, issues = run_fix_of_first(make_review(ISS_001=True, ISS_002=False))
    assert "free of leaves" in case.skill.main.text
    assert [issues[id].status for id in ("ISS-001", "ISS-002")] == [IssueStatus.RESOLVED, IssueStatus.OPEN]
    assert case.skill.main.doc.lines[issues["ISS-002"].location.line_start - 1].startswith("Keep the pond free")
    review_prompt = judge.prompt("review for ISS-001")
    assert "ISS-002" in review_prompt.partition("It does not claim to fix them, and need not:")[2]
    before = case.with_skill(case.skill.with_files({"SKILL.md": case.skill.main.text.replace("free of leaves", "clean").encode()}))  # fmt: skip
    assert {issue.status for issue in roll_back_all_fixes(state, before)} == {IssueStatus.OPEN}


def test_neighbour_that_the_review_calls_fixed_is_resolved():
    _, _, _, issues = run_fix_of_first(make_review(ISS_001=True, ISS_002=True))
    assert issues["ISS-002"].status is IssueStatus.RESOLVED


def test_chosen_fix_of_an_already_fixed_neighbour_is_applied():
    state, case, judge, issues = run_fix_of_first(
        make_review(ISS_001=True, ISS_002=True), **{"draft for ISS-002": DRAFT_FOR_SECOND}
    )
    assert [fix.status for fix in state.proposed_fixes] == [FixStatus.APPLIED] * 2
    assert case.skill.main.text.endswith("Keep the pond free of leaves, then close it.\n\nUse the net. Go home.\n")
    assert issues["ISS-002"].status is IssueStatus.RESOLVED
    reviews = [question.name for question in judge.questions if question.name.startswith("review")]
    assert reviews == ["review for ISS-001, ISS-002"], "the edit is the same, so its review still counts"


def test_fix_of_a_statement_that_changed_is_drafted_again():
    """Its edit would still fit, but it was reviewed as a rewording of text that no longer exists."""
    draft_that_names_the_line = make_draft(("SKILL.md", "Go home.", "Use the net. Go home."), rewords=[LINE.strip()])
    state, case, judge, _ = run_fix_of_first(
        make_review(ISS_001=True, ISS_002=True), **{"draft for ISS-002": draft_that_names_the_line}
    )
    drafts = [question.name for question in judge.questions if question.name.startswith("draft")]
    assert drafts == ["draft for ISS-001, ISS-002", "draft for ISS-002"]
    expected_note = "The user has chosen this fix, and another fix has changed its text since."
    assert "+Use the net. Go home." in judge.prompt("draft for ISS-002").partition(expected_note)[2]
    assert state.proposed_fixes[1].reason.endswith("FIX-003 replaces it")
    assert case.skill.main.text.count("Use the net.") == 1


def test_each_finding_of_a_group_may_have_its_own_draft():
    first_issue, second_issue = ((make_issue(n), make_issue(n + 1)) for n in (1, 3))
    drafts = [{"faults": [id]} for id in ("ISS-001", "ISS-002", "ISS-004", "ISS-004")]
    matched = [
        ([issue.id for issue in issues], draft)
        for issues, draft in match_drafts([first_issue, second_issue], {"drafts": drafts})
    ]
    assert matched == [(["ISS-001"], drafts[0]), (["ISS-002"], drafts[1]), (["ISS-003", "ISS-004"], drafts[2])]
