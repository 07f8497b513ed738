"""Test what happens to a finding if a fix for another finding changes the words that it quotes."""

import pytest

from actions.fixes.drafting import match_drafts
from schemas.vocabulary import FixStatus, IssueStatus
from tests.actions.fixes.drafts import run
from tests.actions.fixes.test_drafting import taken_back
from tests.judges import add_finding, make_draft, make_reading, make_review
from tests.schemas.samples import an_issue

pytestmark = pytest.mark.usefixtures("catalogue")

LINE = "Keep the pond clean, then close it.\n"
BOTH = make_reading(
    added=[
        add_finding(LINE.strip(), problem="How clean?"),
        add_finding(LINE.strip(), problem="With what is it closed?"),
    ]
)
CLEAN = make_draft(("SKILL.md", "clean", "free of leaves"), rewords=[LINE.strip()])
CLOSE = make_draft(("SKILL.md", "Go home.", "Use the net. Go home."), rewords=["Go home."])


def played(said, **more):
    """Run a fix of ISS-001 that changes the words that ISS-002 quotes; return the state at the end."""
    state, case, judge = run(
        {"reading": BOTH, "draft for ISS-001": CLEAN, "review": said, **more}, f"{LINE}\nGo home.\n"
    )
    return state, case, judge, {issue.id: issue for issue in state.issues}


def test_neighbour_is_no_objection_and_stays_open_at_the_new_words():
    state, case, judge, issues = played(make_review(ISS_001=True, ISS_002=False))
    assert "free of leaves" in case.skill.main.text
    assert [issues[id].status for id in ("ISS-001", "ISS-002")] == [IssueStatus.RESOLVED, IssueStatus.OPEN]
    assert case.skill.main.doc.lines[issues["ISS-002"].location.line_start - 1].startswith("Keep the pond free")
    asked = judge.prompt("review for ISS-001")
    assert "ISS-002" in asked.partition("It does not claim to fix them, and need not:")[2]
    before = case.with_skill(case.skill.with_files({"SKILL.md": case.skill.main.text.replace("free of leaves", "clean").encode()}))  # fmt: skip
    assert {issue.status for issue in taken_back(state, before)} == {IssueStatus.OPEN}


def test_neighbour_that_the_review_calls_fixed_is_resolved():
    _, _, _, issues = played(make_review(ISS_001=True, ISS_002=True))
    assert issues["ISS-002"].status is IssueStatus.RESOLVED


def test_chosen_fix_of_a_neighbour_is_applied_even_if_it_counts_as_fixed():
    state, case, judge, issues = played(make_review(ISS_001=True, ISS_002=True), **{"draft for ISS-002": CLOSE})
    assert [fix.status for fix in state.proposed_fixes] == [FixStatus.APPLIED] * 2
    assert case.skill.main.text.endswith("Keep the pond free of leaves, then close it.\n\nUse the net. Go home.\n")
    assert issues["ISS-002"].status is IssueStatus.RESOLVED
    reviews = [question.name for question in judge.asked if question.name.startswith("review")]
    assert reviews == ["review for ISS-001, ISS-002"], "the edit is the same, so its review still counts"


def test_fix_whose_named_statement_another_fix_changed_is_drafted_again():
    """Its edit would still fit, but it was reviewed as a rewording of text that no longer exists."""
    named = make_draft(("SKILL.md", "Go home.", "Use the net. Go home."), rewords=[LINE.strip()])
    state, case, judge, _ = played(make_review(ISS_001=True, ISS_002=True), **{"draft for ISS-002": named})
    drafts = [question.name for question in judge.asked if question.name.startswith("draft")]
    assert drafts == ["draft for ISS-001, ISS-002", "draft for ISS-002"]
    chosen = "The user has chosen this fix, and another fix has changed its text since."
    assert "+Use the net. Go home." in judge.prompt("draft for ISS-002").partition(chosen)[2]
    assert state.proposed_fixes[1].reason.endswith("FIX-003 replaces it")
    assert case.skill.main.text.count("Use the net.") == 1


def test_each_finding_of_a_group_may_have_its_own_draft():
    one, other = ((an_issue(n), an_issue(n + 1)) for n in (1, 3))
    drafts = [{"faults": [id]} for id in ("ISS-001", "ISS-002", "ISS-004", "ISS-004")]
    found = [
        ([issue.id for issue in issues], draft) for issues, draft in match_drafts([one, other], {"drafts": drafts})
    ]
    assert found == [(["ISS-001"], drafts[0]), (["ISS-002"], drafts[1]), (["ISS-003", "ISS-004"], drafts[2])]
