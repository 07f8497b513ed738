"""Selection: all, the safe ones, none, or a question; and a round that proposes nothing new asks nothing."""

from dataclasses import replace

import pytest

from actions.steps.outcome import AskSelection
from actions.steps.propose_fixes import act as propose
from actions.steps.select_fixes import act, offered, selected
from schemas.options import Options
from schemas.vocabulary import FixStatus
from tests.fakes import a_case, birds, in_verify, tools

BODY = "A HERON.\n\nA CRANE.\n"
CASE = a_case(BODY)


@pytest.fixture
def state(monkeypatch):
    birds(monkeypatch)
    start = in_verify(CASE)
    return replace(start, **propose(start, CASE, tools()).changes)


def chosen(state, apply):
    return act(replace(state, options=Options(apply=apply)), CASE, tools())


@pytest.mark.parametrize(("apply", "ids"), [("all", ("FIX-001", "FIX-002")), ("safe", ("FIX-001",)), ("none", ())])
def test_the_option_selects(state, apply, ids):
    outcome = chosen(state, apply)
    assert outcome.effects == ()
    assert outcome.changes["pending_fixes"] == ids
    assert outcome.changes["rounds"][-1].selected
    left = {f.id for f in outcome.changes["proposed_fixes"] if f.status is FixStatus.PROPOSED}
    assert left == {"FIX-001", "FIX-002"} - set(ids)


def test_ask_asks_for_all_that_is_offered(state):
    outcome = chosen(state, "ask")
    (question,) = outcome.effects
    assert isinstance(question, AskSelection)
    assert question.fixes == offered(state)
    assert question.selected(("FIX-002",))["pending_fixes"] == ("FIX-002",)
    assert outcome.changes == {}, "nothing is settled before someone answers"


def test_ask_asks_nothing_where_nothing_is_offered(state):
    assert chosen(replace(state, proposed_fixes=()), "ask").effects == ()


def test_a_round_that_proposes_nothing_new_does_not_ask_again(state):
    outcome = chosen(replace(state, iteration_count=2), "ask")
    assert outcome.effects == ()
    assert outcome.changes["pending_fixes"] == ()


def test_only_proposed_fixes_can_be_selected(state):
    fixes = tuple(replace(f, status=FixStatus.REFUSED) for f in state.proposed_fixes)
    assert selected(replace(state, proposed_fixes=fixes), ["FIX-001", "FIX-999"])["pending_fixes"] == ()
