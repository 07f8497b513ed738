"""Test SdkJudge: its questions, accepted answers, costs, and stored answers."""

import errno
import json
import os
import time
from mmap import ACCESS_READ, mmap

import pytest
from msgspec.structs import replace

from actions.review.judge import Question
from actions.review.judge import Reply as JudgeReply
from orchestrator.errors import WriteFailed
from orchestrator.fs import durable
from orchestrator.model import agent, client
from orchestrator.model.agent import SessionRequest
from orchestrator.model.budget import Budget, estimate_cost, limit_answer_tokens
from orchestrator.model.environment import MODEL
from orchestrator.model.memory import Memory
from orchestrator.model.query import Query
from orchestrator.model.sdk import MAX_TOKENS, SKILL_LIMITS, _find_cache_warmers
from schemas.issues import Cost
from schemas.options import MAX_COST_USD
from tests.claude_code import CLAUDE
from tests.orchestrator.model.questions import SCHEMA, answer_with_birds, make_judge, make_question
from tests.scripted_api import Reply, get_last_user_text, join_user_text, list_tool_names

IDLE = "CLAUDE_STREAM_IDLE_TIMEOUT_MS"


def test_sdk_answers_in_order_without_tools_and_with_costs(api):
    api.script = lambda request: answer_with_birds(2 if "passwd" in get_last_user_text(request) else 1)
    messages = []
    judge = make_judge(say=messages.append)
    first_reply, second_reply = judge.ask([make_question("one"), make_question("/help @/etc/passwd")])
    assert (first_reply.value, second_reply.value) == ({"birds": 1}, {"birds": 2})
    assert first_reply.tokens == 120
    assert 0 < first_reply.usd < 0.01
    assert abs(judge.budget.spent - first_reply.usd - second_reply.usd) < 1e-9
    assert judge.budget.granted == 0
    assert judge.name.startswith("Claude Agent SDK (claude-")
    assert not judge.notes
    assert len(messages) == 1
    assert "127.0.0.1" in messages[0]
    assert "2.00 USD" in messages[0]
    for request in api.model_requests:
        assert set(list_tool_names(request)) <= {"StructuredOutput", "DeferredToolPlaceholder"}
    assert {get_last_user_text(request) for request in api.model_requests} == {
        "[tune-skill judge]\none", "[tune-skill judge]\n/help @/etc/passwd",
    }  # fmt: skip


def test_claude_code_waits_for_a_silent_server(tmp_path):
    """Otherwise it sends a request again, and both are paid for. Measured, because it does so after six minutes."""
    query = Query("How many birds?", SCHEMA, "", 1.0, SKILL_LIMITS.question, 1000)
    session = SessionRequest("Count.", tmp_path, CLAUDE, (), (), "", 1.0, 1000, 900.0, 5)
    for options in (client._build_options(query, tmp_path, []), agent._build_options(session, [])):
        assert int(options.env["API_TIMEOUT_MS"]) > 3_600_000
        assert int(options.env[IDLE]) > 1000 * SKILL_LIMITS.question
    with CLAUDE.open("rb") as file, mmap(file.fileno(), 0, access=ACCESS_READ) as program:
        assert program.find(IDLE.encode()) > 0, "Claude Code no longer has this setting"


def test_sdk_asks_a_configured_model_within_the_limit(api, monkeypatch):
    monkeypatch.setenv("TUNE_SKILL_JUDGE_MODEL", "claude-haiku-4-5")
    api.script = lambda request: answer_with_birds(1)
    make_judge(budget=Budget(0.3)).ask([make_question()])
    (request,) = api.model_requests
    assert request["model"].startswith("claude-haiku-4-5")
    assert 10_000 < request["max_tokens"] <= 12_000
    assert limit_answer_tokens(100, 50) == 32_000


def test_memory_gives_the_next_process_answer_and_price(api, tmp_path):
    api.script = lambda request: answer_with_birds(3)
    judge, question = make_judge(memory=Memory(tmp_path / "judge")), make_question()
    other_question = replace(question, schema={**SCHEMA, "title": "Birds"})
    first, repeated_reply, reply_to_other_schema = judge.ask(
        [question, make_question(name="another name"), other_question]
    )
    [reply_from_memory] = judge.ask([make_question()])
    assert first.value == repeated_reply.value == reply_from_memory.value == {"birds": 3}
    assert (repeated_reply.cached, repeated_reply.usd, reply_from_memory.cached, reply_from_memory.usd) == (
        True,
        0,
        True,
        0,
    )
    assert not reply_to_other_schema.cached, "a question with another schema must be asked"
    memory = Memory(tmp_path / "judge")
    [known_reply] = make_judge(memory=memory).ask([make_question()])
    assert (known_reply.value, known_reply.cached) == (first.value, True)
    assert (memory.cost.tokens, memory.cost.queries) == (first.tokens + reply_to_other_schema.tokens, 2)
    assert abs(memory.cost.usd - first.usd - reply_to_other_schema.usd) < 1e-9
    assert len(api.model_requests) == 2


def test_sdk_sends_nothing_whose_cost_cannot_be_saved(api, tmp_path):
    (tmp_path / "judge").write_text("a file in the way")
    messages: list[str] = []
    judge = make_judge(memory=Memory(tmp_path / "judge"), say=messages.append)
    replies = judge.ask([make_question("one"), make_question("two")])
    assert [reply.value for reply in replies] == [None, None]
    assert all("cost of a question cannot be saved, so it is not sent: cannot create" in reply.why for reply in replies)
    assert "judge: a part of the path exists and is not a folder; choose another folder" in judge.notes[0]
    assert (api.model_requests, messages, judge.memory.cost.usd) == ([], [], 0)
    assert (judge.budget.spent, judge.budget.granted) == (0, 0)


@pytest.mark.parametrize(("first", "second"), [("claude-haiku-4-5", ""), ("", "claude-haiku-4-5")])
def test_sdk_keeps_paid_answers_if_another_model_is_set(api, tmp_path, monkeypatch, first, second):
    """A run may be resumed in a shell that sets another model, or none."""
    api.script = lambda request: answer_with_birds(3)
    question, folder = make_question(), tmp_path / "judge"
    monkeypatch.setenv(MODEL, first)
    assert make_judge(memory=Memory(folder)).ask([question])[0].value == {"birds": 3}
    requests = len(api.model_requests)
    monkeypatch.setenv(MODEL, second)
    (reply,) = make_judge(memory=Memory(folder)).ask([question])
    assert (reply.value, reply.cached, len(api.model_requests)) == ({"birds": 3}, True, requests)


@pytest.mark.parametrize(
    ("saved", "now"), [("haiku", "haiku"), ("haiku", ""), ("haiku", "opus"), ("claude-haiku-4-5", "claude-haiku-4-5")]
)
def test_memory_finds_the_answers_of_an_earlier_version(tmp_path, saved, now):
    question = make_question()
    Memory(tmp_path).save(question, saved, JudgeReply({"birds": 3}))
    assert Memory(tmp_path).find(question, now).value == {"birds": 3}


def test_memory_keeps_room_for_answers_on_a_full_disk(tmp_path, monkeypatch):
    """The disk becomes full while a question is being answered; only what the memory gives back is free."""
    question, folder = make_question(), tmp_path / "judge"
    memory = Memory(folder)
    memory.reserve_cost(Cost(0.1, 0, 1))
    size, write_bytes = measure_folder(folder), durable.write_bytes

    def write(path, data, **options):
        if measure_folder(folder) + len(data) > size:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        write_bytes(path, data, **options)

    monkeypatch.setattr(durable, "write_bytes", write)
    memory.save(question, "", JudgeReply({"birds": 3}))
    memory.add_cost(Cost(0.05, 10))
    assert Memory(folder).get(question, "").value == {"birds": 3}
    assert Memory(folder).cost == Cost(0.15, 10, 1)
    memory.release_room()
    assert {file.suffix for file in folder.iterdir()} == {".json"}


def test_sdk_stops_if_the_disk_is_full_after_a_paid_answer(tmp_path, api):
    """The run can then continue with the paid answers, instead of ending with some of them."""
    memory = Memory(tmp_path / "judge")
    memory.reserve_cost(Cost(0.1, 0, 1))
    (tmp_path / "judge" / "paid.json").unlink()
    (tmp_path / "judge" / "paid.json").mkdir()
    with pytest.raises(WriteFailed):
        make_judge(memory=memory).ask([make_question("one"), make_question("two")])
    assert not api.model_requests


def measure_folder(folder):
    return sum(file.stat().st_size for file in folder.iterdir())


def test_memory_file_that_is_damaged_is_asked_again(tmp_path):
    question, folder = make_question(), tmp_path / "judge"
    Memory(folder).save(question, "", JudgeReply({"birds": 3}))
    [file] = folder.glob("*.json")
    for content in (b"{", b"[]", b'{"value": {"birds": 0}}', b'{"value": {}}', b'{"value": null}', b"[" * 100_000):
        file.write_bytes(content)
        assert Memory(folder).get(question, "") is None
    for content in (b"{", b"[]", b'{"usd": "much", "tokens": 1, "queries": 1}'):
        (folder / "paid.json").write_bytes(content)
        assert Memory(folder).cost.usd == 0


def test_sdk_does_not_send_a_question_above_the_cost_limit(api):
    judge = make_judge(budget=Budget(0.01))
    [answer] = judge.ask([make_question()])
    assert "0.01 USD" in answer.why
    assert not api.requests
    assert "--max-cost-usd" in judge.notes[0]


@pytest.mark.usefixtures("one_start_per_schema")
def test_question_waits_for_the_unspent_money_of_running_ones(api):
    api.script = lambda request: answer_with_birds(1)
    judge = make_judge(budget=Budget(1.5 * estimate_cost(100)))
    answers = judge.ask([make_question(text) for text in ("one", "two", "three")])
    assert [answer.value for answer in answers] == [{"birds": 1}] * 3
    assert judge.budget.granted == 0


def test_announced_limit_is_the_whole_one(api):
    api.script, messages = lambda request: answer_with_birds(1), []
    judge = make_judge(budget=Budget(2), say=messages.append)
    with judge.limit_to_share(0.25, judge.limits):
        judge.ask([make_question()])
    assert "at most 2.00 USD" in messages[0]
    assert "a digest of its project, and files of it that the model asks for" in messages[0]


def test_sdk_does_not_send_two_megabytes(api):
    judge = make_judge(budget=Budget(100))
    [answer] = judge.ask([make_question("The bird sings. " * 131_072)])
    assert "too long: about 524," in answer.why
    assert not api.requests


SKILL = "[tune-skill judge]\n=== SKILL.md\n1| Feed the risky.\n"


def make_questions_about_skill(*question_texts: str, skill: str = SKILL):
    return [Question(text, f"{skill}{text}", SCHEMA, len(skill)) for text in question_texts]


def get_cached_prefix(request):
    """Return the part of a request that a provider's prompt cache compares, up to the end of the marked block."""
    first, *_ = request["messages"][0]["content"]
    assert first["cache_control"] == {"type": "ephemeral"}
    return json.dumps([request["model"], request["tools"], request["system"], first])


def test_questions_of_one_skill_share_a_prefix_cached_once(api):
    """The other questions start after the first answer; later questions with the same schema use the cache."""
    starts, ends = [], []

    def script(request):
        starts.append((get_last_user_text(request), len(ends)))
        time.sleep(0.3)
        ends.append(request)
        read = 0 if len(ends) == 1 else 900
        usage = {"input_tokens": 100, "cache_read_input_tokens": read, "cache_creation_input_tokens": 900 - read}
        return Reply((answer_with_birds(2),), usage=usage)

    api.script = script
    judge = make_judge(budget=Budget(100))
    long_skill = SKILL + "2| Rake the pond each noon.\n" * 4000
    answers = judge.ask(make_questions_about_skill("one", "two", "three", skill=long_skill))
    assert [answer.value for answer in answers] == [{"birds": 2}] * 3
    assert starts[0][0].endswith("one")
    assert [end >= 1 for _, end in starts] == [False, True, True]
    assert len({get_cached_prefix(request) for request in api.model_requests}) == 1
    assert [request["messages"][0]["content"][0]["text"] for request in api.model_requests] == [long_skill] * 3
    assert {request["messages"][0]["content"][1]["text"] for request in api.model_requests} == {"one", "two", "three"}
    assert judge.memory.cost.from_cache == "1,800 of 3,000 prompt tokens came from the cache"
    assert answers[1].usd < answers[0].usd, "tokens from the cache must cost less"

    [later_reply] = make_questions_about_skill("later", skill=long_skill)
    judge.budget = Budget(0.05)
    expensive_reply, cheap_reply = (
        judge.ask([replace(later_reply, schema={**SCHEMA, "title": "Birds"})])[0],
        judge.ask([later_reply])[0],
    )
    assert "the question would cost about" in expensive_reply.why
    assert cheap_reply.value == {"birds": 2}


def test_question_with_a_long_answer_needs_room_for_it(api):
    api.script = lambda request: answer_with_birds(2)
    judge = make_judge(budget=Budget(0.1))
    [long_reply] = judge.ask([replace(make_question("long"), answer_tokens=6_000)])
    [short_reply] = judge.ask([make_question("short")])
    assert "the question would cost about 0.15 USD" in long_reply.why
    assert short_reply.value == {"birds": 2}


def test_questions_without_a_shared_prefix_warm_no_cache():
    first_reply, second_reply = (make_question(text) for text in ("one", "two"))
    single_question, other_question = (
        *make_questions_about_skill("three"),
        *make_questions_about_skill("four", skill="[tune-skill judge]\nof another skill\n"),
    )
    assert (
        _find_cache_warmers({"1": first_reply, "2": second_reply, "3": single_question, "4": other_question}, ()) == []
    )
    assert _find_cache_warmers(
        {"3": single_question, "5": replace(single_question, prompt=f"{SKILL}five"), "4": other_question}, ()
    ) == ["3"]


def test_failed_first_question_does_not_stop_the_others(api):
    api.script = lambda request: "prose" if "a risky" in join_user_text(request) else answer_with_birds(2)
    first_reply, second_reply = make_judge().ask(make_questions_about_skill("a risky", "a fixable"))
    assert (first_reply.value, second_reply.value) == (None, {"birds": 2})


def test_cached_prefix_is_estimated_at_its_price():
    assert estimate_cost(100_000, 98_000) < estimate_cost(100_000) / 5
    assert estimate_cost(MAX_TOKENS) < MAX_COST_USD
