"""Test the selection of fixes: all, the safe ones, none, or those that the user names."""

import pytest
from msgspec.structs import replace

from actions.steps.continue_with import continue_with
from actions.steps.outcome import AskSelection, Selected
from actions.steps.propose_fixes import act as propose
from actions.steps.select_fixes import act, find_selectable, preview_fix, select
from schemas.options import Options
from schemas.vocabulary import FixStatus
from tests.fakes import install_word_catalogue, make_case, make_diagnosed_state, make_tools

BODY = "A RISKY.\n\nA FIXABLE.\n"
CASE = make_case(BODY)


@pytest.fixture
def state(monkeypatch):
    install_word_catalogue(monkeypatch)
    start = make_diagnosed_state(CASE)
    return propose(start, CASE, make_tools()).state


def select_by_option(state, apply):
    return act(replace(state, options=Options(apply=apply)), CASE, make_tools())


@pytest.mark.parametrize(("apply", "ids"), [("all", ("FIX-002", "FIX-001")), ("safe", ("FIX-002",)), ("none", ())])
def test_option_selects_the_fixes(state, apply, ids):
    outcome = select_by_option(state, apply)
    assert outcome.effect is None
    assert outcome.state.pending_fixes == ids
    assert outcome.state.rounds[-1].selected
    unselected_ids = {f.id for f in outcome.state.proposed_fixes if f.status is FixStatus.PROPOSED}
    assert unselected_ids == {"FIX-001", "FIX-002"} - set(ids)


def test_ask_offers_every_proposed_fix(state):
    outcome = select_by_option(state, "ask")
    question = outcome.effect
    assert isinstance(question, AskSelection)
    assert question.fixes == find_selectable(state)
    assert [issue.id for issue in question.issues] == [id for fix in question.fixes for id in fix.issue_ids]
    assert outcome.state.pending_fixes == (), "nothing is selected before the user answers"
    outcome_after = continue_with(Selected(("FIX-002",)), outcome, CASE, make_tools())
    assert (outcome_after.effect, outcome_after.state.pending_fixes) == (None, ("FIX-002",))


def test_ask_without_fixes_has_no_question(state):
    assert select_by_option(replace(state, proposed_fixes=()), "ask").effect is None


def test_unselected_fix_is_not_offered_again(state):
    outcome = select_by_option(replace(state, iteration_count=2), "ask")
    assert outcome.effect is None
    assert outcome.state.pending_fixes == ()
    old, new = state.proposed_fixes
    second_round = replace(state, iteration_count=2, proposed_fixes=(old, replace(new, iteration=2)))
    question = select_by_option(second_round, "ask").effect
    assert [fix.id for fix in question.fixes] == [new.id]


def test_preview_shows_a_fix_after_another(monkeypatch):
    install_word_catalogue(monkeypatch)
    case = make_case("A FIXABLE and a RISKY.\n\nOne more FIXABLE.\n")
    start = make_diagnosed_state(case)
    state_with_question = replace(propose(start, case, make_tools()).state, options=Options(apply="ask"))
    question = act(state_with_question, case, make_tools()).effect
    first_fix, second_fix, _ = question.fixes
    _, case_after_first = preview_fix(question.state, first_fix, question.case)
    (change,) = preview_fix(question.state, second_fix, case_after_first)[0].changes
    assert "-A fixable and a RISKY.\n+A fixable and a risky.\n" in change.diff
    assert preview_fix(question.state, first_fix, case_after_first) is None, "the fix is already applied"


def test_select_takes_only_proposed_fixes(state):
    fixes = tuple(replace(f, status=FixStatus.REFUSED) for f in state.proposed_fixes)
    assert select(replace(state, proposed_fixes=fixes), ["FIX-001", "FIX-999"]).pending_fixes == ()
