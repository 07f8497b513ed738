"""SdkJudge: what it asks, what it takes for an answer, what it costs, what it keeps."""

from actions.judging.judge import Answered
from orchestrator.judge import Budget
from orchestrator.judge.memory import Memory
from tests.orchestrator.judge.asking import a_judge, a_question, birds
from tests.scripted_api import last_said, tools_of


def test_questions_are_answered_in_their_order_with_their_cost(api):
    api.script = lambda request: birds(2 if "two" in last_said(request) else 1)
    heard = []
    judge = a_judge(say=heard.append)
    one, two = judge.ask([a_question("one"), a_question("two")])
    assert (one.value, two.value) == ({"birds": 1}, {"birds": 2})
    assert one.tokens == 120
    assert 0 < one.usd < 0.01
    assert abs(judge.budget.spent - one.usd - two.usd) < 1e-9
    assert judge.budget.granted == 0
    assert judge.name.startswith("Claude Agent SDK (claude-")
    assert not judge.notes
    assert len(heard) == 1
    assert "127.0.0.1" in heard[0]
    assert "0.50 USD" in heard[0]


def test_the_model_is_offered_no_tool_and_gets_the_prompt_as_it_is(api):
    api.script = lambda request: birds(1)
    a_judge().ask([a_question("/help @/etc/passwd")])
    [request] = api.asked
    assert set(tools_of(request)) <= {"StructuredOutput", "DeferredToolPlaceholder"}
    assert last_said(request) == "[tune-skill judge]\n/help @/etc/passwd"


def test_an_answer_cannot_grow_beyond_what_is_granted_for_it(api):
    api.script = lambda request: birds(1)
    a_judge(budget=Budget(0.3)).ask([a_question()])
    assert 10_000 < api.asked[0]["max_tokens"] <= 12_000
    a_judge(budget=Budget(50)).ask([a_question()])
    assert api.asked[1]["max_tokens"] == 32_000


def test_a_model_of_ones_own_is_asked(api, monkeypatch):
    monkeypatch.setenv("TUNE_SKILL_JUDGE_MODEL", "claude-haiku-4-5")
    api.script = lambda request: birds(1)
    a_judge().ask([a_question()])
    assert api.asked[0]["model"].startswith("claude-haiku-4-5")


def test_the_same_question_is_asked_once(api):
    api.script = lambda request: birds(3)
    judge = a_judge()
    first, twin = judge.ask([a_question(), a_question(name="another name")])
    [again] = judge.ask([a_question()])
    assert first.value == twin.value == again.value == {"birds": 3}
    assert (twin.cached, twin.usd, again.cached, again.usd) == (True, 0, True, 0)
    assert len(api.asked) == 1


def test_what_was_answered_is_known_to_the_next_process_with_its_price(api, tmp_path):
    api.script = lambda request: birds(3)
    [first] = a_judge(memory=Memory(tmp_path / "judge")).ask([a_question()])
    memory = Memory(tmp_path / "judge")
    [again] = a_judge(memory=memory).ask([a_question()])
    assert (again.value, again.cached) == (first.value, True)
    assert (memory.paid.usd, memory.paid.tokens, memory.paid.queries) == (first.usd, first.tokens, 1)
    assert len(api.asked) == 1


def test_a_damaged_or_foreign_file_in_the_memory_is_another_question(tmp_path):
    question, folder = a_question(), tmp_path / "judge"
    Memory(folder).keep(question, "", Answered({"birds": 3}))
    [file] = folder.glob("*.json")
    for content in (b"{", b"[]", b'{"value": {"birds": 0}}', b'{"value": {}}', b'{"value": null}', b"[" * 100_000):
        file.write_bytes(content)
        assert Memory(folder).get(question, "") is None
    for content in (b"{", b"[]", b'{"usd": "much", "tokens": 1, "queries": 1}'):
        (folder / "paid.json").write_bytes(content)
        assert Memory(folder).paid.usd == 0


def test_another_schema_is_another_question(api):
    api.script = lambda request: birds(3)
    judge, question = a_judge(), a_question()
    judge.ask([question])
    [answer] = judge.ask([type(question)("q", question.prompt, {**question.schema, "title": "Birds"})])
    assert not answer.cached


def test_a_question_that_the_ceiling_cannot_pay_is_not_sent(api):
    judge = a_judge(budget=Budget(0.01))
    [answer] = judge.ask([a_question()])
    assert "0.01 USD" in answer.why
    assert not api.requests
    assert "--max-cost-usd" in judge.notes[0]


def test_two_megabytes_are_not_sent(api):
    judge = a_judge(budget=Budget(100))
    [answer] = judge.ask([a_question("The bird sings. " * 131_072)])
    assert "too long: about 524," in answer.why
    assert not api.requests
