"""SdkJudge: what it asks, what it takes for an answer, what it costs."""

from actions.judge import Question
from orchestrator.judge import Budget
from orchestrator.judge.sdk import Limits, SdkJudge
from tests.scripted_api import Reply, last_said, tool, tools_of

SCHEMA = {"type": "object", "properties": {"birds": {"type": "integer", "minimum": 1}}, "required": ["birds"],
          "additionalProperties": False}  # fmt: skip


def a_question(name: str = "q", words: str = "How many birds?") -> Question:
    return Question(name, f"[tune-skill judge]\n{words}", SCHEMA)


def a_judge(**given) -> SdkJudge:
    return SdkJudge(limits=Limits(20, 40), **given)


def test_questions_are_answered_in_their_order_with_their_cost(api):
    api.script = lambda request: tool("StructuredOutput", birds=2 if "two" in last_said(request) else 1)
    heard = []
    judge = a_judge(say=heard.append)
    one, two = judge.ask([a_question("a", "one"), a_question("b", "two")])
    assert (one.value, two.value) == ({"birds": 1}, {"birds": 2})
    assert one.tokens == 120
    assert 0 < one.usd < 0.01
    assert abs(judge.budget.spent - one.usd - two.usd) < 1e-9
    assert judge.budget.granted == 0
    assert judge.name.startswith("Claude Agent SDK (claude-")
    assert len(heard) == 1
    assert "127.0.0.1" in heard[0]
    assert "0.50 USD" in heard[0]
    assert not judge.notes


def test_the_model_is_offered_no_tool_and_gets_the_prompt_as_it_is(api):
    api.script = lambda request: tool("StructuredOutput", birds=1)
    a_judge().ask([a_question(words="/help @/etc/passwd")])
    [request] = api.asked
    assert set(tools_of(request)) <= {"StructuredOutput", "DeferredToolPlaceholder"}
    assert last_said(request) == "[tune-skill judge]\n/help @/etc/passwd"


def test_what_does_not_meet_the_schema_is_no_answer_and_is_paid_for(api):
    api.script = lambda request: tool("StructuredOutput", birds="many")
    [answer] = a_judge().ask([a_question()])
    assert answer.value is None
    assert "schema" in answer.why
    assert answer.usd > 0
    assert len(api.asked) == 5


def test_prose_is_no_answer(api):
    api.script = lambda request: "There are two birds."
    [answer] = a_judge().ask([a_question()])
    assert answer.value is None
    assert "There are two birds." in answer.why


def test_the_same_question_is_asked_once(api):
    api.script = lambda request: tool("StructuredOutput", birds=3)
    judge = a_judge()
    [first], [again] = judge.ask([a_question()]), judge.ask([a_question("another name")])
    assert again.value == first.value
    assert again.cached
    assert again.usd == 0
    assert len(api.asked) == 1


def test_a_wrong_key_ends_the_asking_for_good(api):
    api.script = lambda request: Reply(status=401, error={"type": "authentication_error", "message": "no"})
    judge = a_judge()
    [answer] = judge.ask([a_question()])
    assert answer.value is None
    asked = len(api.asked)
    [further] = judge.ask([a_question("b", "What else?")])
    assert further.why == judge.away
    assert len(api.asked) == asked
    assert "heuristics" in judge.notes[0]


def test_a_question_that_the_ceiling_cannot_pay_is_not_sent(api):
    judge = a_judge(budget=Budget(0.01))
    [answer] = judge.ask([a_question()])
    assert "0.01 USD" in answer.why
    assert not api.requests
    assert "--max-cost-usd" in judge.notes[0]
