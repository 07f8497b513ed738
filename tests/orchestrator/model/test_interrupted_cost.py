"""Test that a query that ends without a result is booked with all that it may cost, through the real Claude Code."""

import asyncio

import pytest

from orchestrator.model.budget import FAMILIES, Budget, estimate_cost
from orchestrator.model.memory import Memory
from orchestrator.model.query import Bill, Query, Usage
from orchestrator.model.sdk import Limits
from schemas.issues import Cost
from tests.orchestrator.model.questions import SCHEMA, make_judge, make_question
from tests.scripted_api import Reply, tool_call

TURN_USD, TURN_TOKENS, LIMIT = 0.08, 12_000, 0.5
"""What a turn of the script costs at the list price of Claude Code's default model, and the limit of a judge."""
LONGEST_USD = 0.8
"""What the longest answer that a question allows costs."""


def hang_after(turns):
    """Return a script that answers this number of turns, each against the schema, and lets the next one hang."""

    def script(request):
        ended = sum(message["role"] == "assistant" for message in request["messages"])
        usage = {"input_tokens": 10_000, "output_tokens": 2_000}
        return Reply((tool_call("StructuredOutput", wrong=1),), usage=usage, delay=0 if ended < turns else 300)

    return script


def interrupt_after(api, folder, turns, limit):
    """Interrupt a question with this limit in the turn after `turns` ended ones; return its judge."""
    api.script = hang_after(turns)
    judge = make_judge(memory=Memory(folder), budget=Budget(limit), is_stopped=lambda: len(api.model_requests) > turns)
    with pytest.raises(asyncio.CancelledError):
        judge.ask([make_question()])
    return judge


@pytest.mark.parametrize("turns", [0, 2])
def test_interrupted_query_is_booked_with_ended_turns_and_the_open_one(api, tmp_path, turns):
    judge, most = interrupt_after(api, tmp_path, turns, 2.0), turns * TURN_USD + LONGEST_USD
    cost = Memory(tmp_path).cost
    assert most <= cost.usd <= most + 0.05
    assert (cost.tokens, cost.queries) == (turns * TURN_TOKENS, 1)
    assert judge.budget.spent == pytest.approx(cost.usd)


def test_interrupted_query_is_booked_with_no_more_than_its_limit(api, tmp_path):
    """Two ended turns and the longest answer of the third would cost 0.64 USD."""
    interrupt_after(api, tmp_path, 2, LIMIT)
    cost = Memory(tmp_path).cost
    assert cost.usd == pytest.approx(LIMIT)
    resumed = make_judge(memory=Memory(tmp_path), budget=Budget(LIMIT, cost.usd))
    assert "USD are left" in resumed.ask([make_question()])[0].why
    assert len(api.model_requests) == 3


def test_process_that_is_killed_in_a_later_turn_has_booked_the_whole_limit(api, tmp_path):
    """Claude Code begins no turn above the limit of the query."""
    booked = []
    api.script = hang_after(1)
    judge = make_judge(memory=Memory(tmp_path), budget=Budget(2.0), is_stopped=lambda: len(api.model_requests) > 1)
    add_cost = judge.memory.add_cost
    judge.memory.add_cost = lambda cost: add_cost(cost) or booked.append(Memory(tmp_path).cost.usd)
    with pytest.raises(asyncio.CancelledError):
        judge.ask([make_question()])
    assert max(booked) == pytest.approx(2.0)
    assert booked[-1] < 1.0


@pytest.mark.slow
def test_query_beyond_its_time_limit_is_booked_with_its_ended_turns(api):
    api.script = hang_after(2)
    judge = make_judge(Limits(8, 20), budget=Budget(LIMIT))
    (reply,) = judge.ask([make_question()])
    assert "no answer within 8 s" in reply.why
    ended = len(api.model_requests) - 1
    assert judge.budget.spent >= ended * TURN_USD + estimate_cost(0)
    assert judge.memory.cost.tokens == ended * TURN_TOKENS > 0


def test_query_that_was_not_sent_costs_nothing(api):
    judge = make_judge(is_stopped=lambda: True)
    with pytest.raises(asyncio.CancelledError):
        judge.ask([make_question()])
    assert (api.model_requests, judge.memory.cost) == ([], Cost())


@pytest.mark.parametrize(
    ("bill", "ended", "is_open", "written"),
    [
        (Bill(sent=True, model="claude-haiku-4-5", usd=0.99, usage=Usage(900, 500)), 1.0, False, 0),
        (Bill(sent=True, model="claude-haiku-4-5", usd=1.2), 1.2, False, 0),
        (Bill(), 0, False, 0),
        (Bill(sent=True), 0, True, 0),
        (Bill(sent=True, model="claude-haiku-4-5"), 1.0, False, 0),
        (Bill(sent=True, model="claude-haiku-4-5", usd=0.3, usage=Usage(900, 500)), 0.3, True, 400),
        (Bill(sent=True, model="claude-haiku-4-5", usd=0.3, is_open=False), 0.3, False, 0),
    ],
)
def test_most_that_a_query_costs(bill, ended, is_open, written):
    """The limit of the query bounds all but the ended turns by Claude Code's own count."""
    query = Query("", SCHEMA, "", usd=1.0, seconds=9, tokens=5_000, bill=bill)
    price = FAMILIES["haiku" if bill.model else "opus"]
    assert query.max_usd == pytest.approx(ended + is_open * price * estimate_cost(written, written=5_000))
