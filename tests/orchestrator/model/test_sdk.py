"""Test SdkJudge: its questions, accepted answers, costs, and stored answers."""

import json
import time

from msgspec.structs import replace

from actions.review.judge import Question
from actions.review.judge import Reply as JudgeReply
from orchestrator.model.budget import Budget, estimate_cost, limit_answer_tokens
from orchestrator.model.memory import Memory
from orchestrator.model.sdk import MAX_TOKENS, _find_cache_warmers
from schemas.options import MAX_COST_USD
from tests.orchestrator.model.questions import SCHEMA, a_judge, a_question, birds
from tests.scripted_api import Reply, last_said, said, tools_of


def test_sdk_answers_in_order_without_tools_and_with_costs(api):
    api.script = lambda request: birds(2 if "passwd" in last_said(request) else 1)
    heard = []
    judge = a_judge(say=heard.append)
    one, two = judge.ask([a_question("one"), a_question("/help @/etc/passwd")])
    assert (one.value, two.value) == ({"birds": 1}, {"birds": 2})
    assert one.tokens == 120
    assert 0 < one.usd < 0.01
    assert abs(judge.budget.spent - one.usd - two.usd) < 1e-9
    assert judge.budget.granted == 0
    assert judge.name.startswith("Claude Agent SDK (claude-")
    assert not judge.notes
    assert len(heard) == 1
    assert "127.0.0.1" in heard[0]
    assert "2.00 USD" in heard[0]
    for request in api.asked:
        assert set(tools_of(request)) <= {"StructuredOutput", "DeferredToolPlaceholder"}
    assert {last_said(request) for request in api.asked} == {
        "[tune-skill judge]\none", "[tune-skill judge]\n/help @/etc/passwd",
    }  # fmt: skip


def test_sdk_asks_a_configured_model_within_the_limit(api, monkeypatch):
    monkeypatch.setenv("TUNE_SKILL_JUDGE_MODEL", "claude-haiku-4-5")
    api.script = lambda request: birds(1)
    a_judge(budget=Budget(0.3)).ask([a_question()])
    (request,) = api.asked
    assert request["model"].startswith("claude-haiku-4-5")
    assert 10_000 < request["max_tokens"] <= 12_000
    assert limit_answer_tokens(100, 50) == 32_000


def test_memory_gives_the_next_process_answer_and_price(api, tmp_path):
    api.script = lambda request: birds(3)
    judge, question = a_judge(memory=Memory(tmp_path / "judge")), a_question()
    other = replace(question, schema={**SCHEMA, "title": "Birds"})
    first, twin, another = judge.ask([question, a_question(name="another name"), other])
    [again] = judge.ask([a_question()])
    assert first.value == twin.value == again.value == {"birds": 3}
    assert (twin.cached, twin.usd, again.cached, again.usd) == (True, 0, True, 0)
    assert not another.cached, "another schema is another question"
    memory = Memory(tmp_path / "judge")
    [known] = a_judge(memory=memory).ask([a_question()])
    assert (known.value, known.cached) == (first.value, True)
    assert (memory.cost.tokens, memory.cost.queries) == (first.tokens + another.tokens, 2)
    assert abs(memory.cost.usd - first.usd - another.usd) < 1e-9
    assert len(api.asked) == 2


def test_sdk_sends_nothing_whose_cost_cannot_be_saved(api, tmp_path):
    (tmp_path / "judge").write_text("a file in the way")
    heard: list[str] = []
    judge = a_judge(memory=Memory(tmp_path / "judge"), say=heard.append)
    replies = judge.ask([a_question("one"), a_question("two")])
    assert [reply.value for reply in replies] == [None, None]
    assert all("cost of a question cannot be saved, so it is not sent: cannot create" in reply.why for reply in replies)
    assert "judge: a part of the path exists and is not a folder; choose another folder" in judge.notes[0]
    assert (api.asked, heard, judge.memory.cost.usd) == ([], [], 0)
    assert (judge.budget.spent, judge.budget.granted) == (0, 0)


def test_memory_file_that_is_damaged_is_asked_again(tmp_path):
    question, folder = a_question(), tmp_path / "judge"
    Memory(folder).save(question, "", JudgeReply({"birds": 3}))
    [file] = folder.glob("*.json")
    for content in (b"{", b"[]", b'{"value": {"birds": 0}}', b'{"value": {}}', b'{"value": null}', b"[" * 100_000):
        file.write_bytes(content)
        assert Memory(folder).get(question, "") is None
    for content in (b"{", b"[]", b'{"usd": "much", "tokens": 1, "queries": 1}'):
        (folder / "paid.json").write_bytes(content)
        assert Memory(folder).cost.usd == 0


def test_sdk_does_not_send_a_question_above_the_cost_limit(api):
    judge = a_judge(budget=Budget(0.01))
    [answer] = judge.ask([a_question()])
    assert "0.01 USD" in answer.why
    assert not api.requests
    assert "--max-cost-usd" in judge.notes[0]


def test_question_waits_for_what_running_ones_do_not_spend(api):
    api.script = lambda request: birds(1)
    judge = a_judge(budget=Budget(1.5 * estimate_cost(100)))
    answers = judge.ask([a_question(words) for words in ("one", "two", "three")])
    assert [answer.value for answer in answers] == [{"birds": 1}] * 3
    assert judge.budget.granted == 0


def test_limit_that_is_announced_is_the_whole_one(api):
    api.script, heard = lambda request: birds(1), []
    judge = a_judge(budget=Budget(2), say=heard.append)
    with judge.limit_to_share(0.25, judge.limits):
        judge.ask([a_question()])
    assert "at most 2.00 USD" in heard[0]


def test_sdk_does_not_send_two_megabytes(api):
    judge = a_judge(budget=Budget(100))
    [answer] = judge.ask([a_question("The bird sings. " * 131_072)])
    assert "too long: about 524," in answer.why
    assert not api.requests


SKILL = "[tune-skill judge]\n=== SKILL.md\n1| Feed the risky.\n"


def about_skill(*asked: str, skill: str = SKILL):
    return [Question(words, f"{skill}{words}", SCHEMA, len(skill)) for words in asked]


def began(request):
    """Return the part of a request that a provider's prompt cache compares, up to the end of the marked block."""
    first, *_ = request["messages"][0]["content"]
    assert first["cache_control"] == {"type": "ephemeral"}
    return json.dumps([request["model"], request["tools"], request["system"], first])


def test_questions_of_one_skill_share_a_prefix_cached_once(api):
    """Others start after the first answer; later ones find the cache warm, unless they have another schema."""
    begun, done = [], []

    def script(request):
        begun.append((last_said(request), len(done)))
        time.sleep(0.3)
        done.append(request)
        read = 0 if len(done) == 1 else 900
        usage = {"input_tokens": 100, "cache_read_input_tokens": read, "cache_creation_input_tokens": 900 - read}
        return Reply((birds(2),), usage=usage)

    api.script = script
    judge = a_judge(budget=Budget(100))
    long = SKILL + "2| Rake the pond each noon.\n" * 4000
    answers = judge.ask(about_skill("one", "two", "three", skill=long))
    assert [answer.value for answer in answers] == [{"birds": 2}] * 3
    assert begun[0][0].endswith("one")
    assert [finished >= 1 for _, finished in begun] == [False, True, True]
    assert len({began(request) for request in api.asked}) == 1
    assert [request["messages"][0]["content"][0]["text"] for request in api.asked] == [long] * 3
    assert {request["messages"][0]["content"][1]["text"] for request in api.asked} == {"one", "two", "three"}
    assert judge.memory.cost.from_cache == "1,800 of 3,000 prompt tokens came from the cache"
    assert answers[1].usd < answers[0].usd, "what is read from the cache costs a tenth"

    [later] = about_skill("later", skill=long)
    judge.budget = Budget(0.05)
    dear, cheap = judge.ask([replace(later, schema={**SCHEMA, "title": "Birds"})])[0], judge.ask([later])[0]
    assert "the question would cost about" in dear.why
    assert cheap.value == {"birds": 2}


def test_question_with_a_long_answer_needs_room_for_it(api):
    api.script = lambda request: birds(2)
    judge = a_judge(budget=Budget(0.1))
    [long] = judge.ask([replace(a_question("long"), written=6_000)])
    [short] = judge.ask([a_question("short")])
    assert "the question would cost about 0.15 USD" in long.why
    assert short.value == {"birds": 2}


def test_questions_without_a_shared_prefix_warm_no_cache():
    one, two = (a_question(words) for words in ("one", "two"))
    alone, other = *about_skill("three"), *about_skill("four", skill="[tune-skill judge]\nof another skill\n")
    assert _find_cache_warmers({"1": one, "2": two, "3": alone, "4": other}, ()) == []
    assert _find_cache_warmers({"3": alone, "5": replace(alone, prompt=f"{SKILL}five"), "4": other}, ()) == ["3"]


def test_failed_first_question_does_not_stop_the_others(api):
    api.script = lambda request: "prose" if "a risky" in said(request) else birds(2)
    one, two = a_judge().ask(about_skill("a risky", "a fixable"))
    assert (one.value, two.value) == (None, {"birds": 2})


def test_cached_prefix_is_estimated_at_its_price():
    assert estimate_cost(100_000, 98_000) < estimate_cost(100_000) / 5
    assert estimate_cost(MAX_TOKENS) < MAX_COST_USD
