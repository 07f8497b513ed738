"""Test clients that connect at once, cancel or disconnect: nothing is lost, and stdout has only protocol messages."""

import asyncio
import json
import os
import signal
import subprocess
import sys
import time
from functools import partial

import anyio
import pytest
from mcp import types
from mcp.shared.exceptions import MCPError

from orchestrator.model.question_queue import QuestionQueue
from orchestrator.run.workspace import registry
from tests.fakes import add_large_references
from tests.judges import add_finding
from tests.orchestrator.servers.mcp.conftest import PROGRAM, get_main_file, make_empty_answer
from tests.orchestrator.servers.mcp.talks import (
    answer_questions,
    answer_until_run_waits,
    count_claimed,
    get_runs_folder,
)
from tests.scripted_api import build_smallest_answer

pytestmark = pytest.mark.slow
CLIENT_INFO = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "raw", "version": "1"}}
INITIALIZE_MESSAGES = (
    {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": CLIENT_INFO},
    {"jsonrpc": "2.0", "method": "notifications/initialized"},
)


@pytest.fixture(autouse=True)
def skill_read_in_parts(project):
    """Enlarge the skill, so that it is read in parts and a run has several questions."""
    add_large_references(project / "plover")


def make_call(number, tool, /, **arguments):
    return {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": {"name": tool, "arguments": arguments}}


def start_server(project):
    return subprocess.Popen(
        [sys.executable, "-c", PROGRAM, "mcp"], cwd=project, env=dict(os.environ), text=True,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip


def send(process, *messages):
    for message in messages:
        process.stdin.write(json.dumps(message) + "\n")
    process.stdin.flush()


def test_concurrent_agents_get_different_questions(run_with_server):
    async def work(session):
        status = await session.call("diagnose", skill="plover")
        count = status["open_questions"]
        questions = await asyncio.gather(*(session.call("question", run=status["run"]) for _ in range(count)))
        assert len({question["id"] for question in questions}) == count
        assert (await session.call("question", run=status["run"]))["id"] == ""
        answer_calls = [
            session.call("answer", run=status["run"], id=question["id"], answer=make_empty_answer())
            for question in questions * 2
        ]
        assert all(question["taken"] for question in await asyncio.gather(*answer_calls))
        assert (await session.call("fixes", run=status["run"]))["waits_for"] != "go_on"

    run_with_server(work)


def test_two_answers_to_one_question_leave_one(run_with_server, project):
    async def work(session):
        status = await session.call("diagnose", skill="plover")
        run, id = status["run"], status["questions"][0]["id"]
        finding = add_finding("Count each bird once", severity="low")
        values = [{**make_empty_answer(), "added": [{**finding, "problem": f"It is {n}."}]} for n in range(6)]
        results = await asyncio.gather(*(session.call_raw("answer", run=run, id=id, answer=value) for value in values))
        assert sum(not result.is_error for result in results) == 1
        assert all("another answer" in result.content[0].text for result in results if result.is_error)
        assert id not in [question.id for question in QuestionQueue(get_runs_folder(project) / run).list_open()]

    run_with_server(work)


def test_next_client_continues_after_a_disconnect(run_with_server, project):
    with start_server(project) as process:
        send(process, *INITIALIZE_MESSAGES, make_call(2, "diagnose", skill="plover"))
        while not list(get_runs_folder(project).glob("*/state.json")):
            assert process.poll() is None
            time.sleep(0.01)
        process.stdin.close()
        assert process.wait(60) == 0

    async def work(session):
        run = (await session.call("status"))["run"]
        status = await session.call("fixes", run=run)
        assert status["waits_for"] == "questions"
        assert await answer_questions(session, run)
        assert (await answer_until_run_waits(session, run))["waits_for"] in ("finding_selection", "nothing")

    run_with_server(work)


def test_server_restart_between_answers_loses_none(run_with_server, project):
    async def begin(session):
        status = await session.call("diagnose", skill="plover")
        id = status["questions"][0]["id"]
        await session.call("answer", run=status["run"], id=id, answer=make_empty_answer())
        return status

    status = run_with_server(begin, as_process=True)

    async def go_on(session):
        status_after = await session.call("diagnose", run=status["run"])
        assert status_after["open_questions"] == status["open_questions"] - 1

    run_with_server(go_on)


def test_killed_server_loses_no_answer(run_with_server, project):
    with start_server(project) as process:

        def call(request):
            send(process, request)
            while (message := json.loads(process.stdout.readline())).get("id") != request["id"]:
                pass
            return message["result"]["structuredContent"]

        send(process, *INITIALIZE_MESSAGES)
        status = call(make_call(2, "diagnose", skill="plover"))
        first_id, second_id, *other_ids = [item["id"] for item in status["questions"]]
        for number, id in enumerate((first_id, second_id), 3):
            token = QuestionQueue(get_runs_folder(project) / status["run"]).claim(id).token
            request = make_call(number, "answer", run=status["run"], id=id, token=token, answer=make_empty_answer())
            assert call(request)["taken"]
        send(process, make_call(7, "fixes", run=status["run"]))
        process.kill()
        assert process.wait(60) == -signal.SIGKILL

    async def work(session):
        status_after = await session.call("diagnose", run=status["run"])
        assert status_after["run"] == status["run"]
        assert [item["id"] for item in status_after["questions"]] == other_ids
        assert (await answer_until_run_waits(session, status["run"]))["waits_for"] in ("finding_selection", "nothing")

    run_with_server(work)


def test_cancelled_call_stops_run_that_can_be_resumed(run_with_server):
    async def work(session):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(partial(session.call, "diagnose", skill="plover"))
            for _ in range(200):
                result = await session.call_raw("status")
                if not result.is_error:
                    break
                await anyio.sleep(0.05)
            tasks.cancel_scope.cancel()
        run = result.structured_content["run"]
        for _ in range(200):
            result = await session.call_raw("fixes", run=run)
            if not result.is_error and result.structured_content["waits_for"] == "questions":
                break
            await anyio.sleep(0.05)
        assert result.structured_content["open_questions"] > 1

    run_with_server(work)


def test_second_client_on_a_run_sees_who_locks_the_skill(run_with_server, project):
    async def work(session):
        status = await session.call("diagnose", skill="plover")
        run, id = status["run"], status["questions"][0]["id"]
        with registry.lock(project / "plover"):
            result = await session.call_refused("fixes", run=run, give_up=True)
            assert "is changing this skill; wait until it ends" in result
            assert (await session.call("status"))["open_questions"] == status["open_questions"], "nothing was given up"
            assert (await session.call("answer", run=run, id=id, answer=make_empty_answer()))["taken"]
        assert (await session.call("fixes", run=run))["open_questions"] == status["open_questions"] - 1

    run_with_server(work)


def test_stdout_is_protocol_only_for_any_input(project):
    with start_server(project) as process:
        send(process, *INITIALIZE_MESSAGES, make_call(2, "diagnose", skill="plover"))
        nested_value = '{"jsonrpc": "2.0", "id": "deep", "method": "tools/call", "params": %s}' % (
            "[" * 300 + "]" * 300
        )
        deeper = nested_value.replace("[", "[" * 500).replace("]", "]" * 500)
        process.stdin.write(
            f'no json at all\n\n[]\n{{"jsonrpc": "2.0", "id": 6}}\n{{"id": "\\ud800"}}\n{nested_value}\n{deeper}\n'
        )
        send(process, make_call(3, "status", run="../x"), make_call(4, "nonsense"), make_call(5, "answer", run="x"))
        ids, messages = {1, 2, 3, 4, 5}, []
        while ids:
            messages.append(json.loads(process.stdout.readline()))
            ids.discard(messages[-1].get("id"))
        process.stdin.close()
        messages += map(json.loads, process.stdout.read().splitlines())
        assert process.wait(60) == 0
        assert all(item["jsonrpc"] == "2.0" for item in messages)
        errors_with_id = [
            (item["id"], item["error"]["code"]) for item in messages if item.get("id") not in (1, 2, 3, 4, 5, None)
        ]
        assert errors_with_id == [(6, types.INVALID_REQUEST), ("deep", types.PARSE_ERROR)]
        codes_without_id = [item["error"]["code"] for item in messages if "error" in item and item["id"] is None]
        expected = [types.PARSE_ERROR, types.INVALID_REQUEST, types.PARSE_ERROR, types.PARSE_ERROR]
        assert codes_without_id == expected, "an empty line is not a message"


NESTED = "[" * 300 + "]" * 300


@pytest.mark.slow
@pytest.mark.parametrize(
    ("asked_method", "result"), [("sampling", f'{{"a": {NESTED}}}'), ("sampling", "{}"), ("elicitation", "{}")]
)
def test_invalid_reply_counts_as_refusal(project, monkeypatch, asked_method, result):
    monkeypatch.setenv("ANTHROPIC_API_KEY", "dummy")
    monkeypatch.setenv("ANTHROPIC_BASE_URL", "http://127.0.0.1:9")
    initialize_message = {**INITIALIZE_MESSAGES[0], "params": {**CLIENT_INFO, "capabilities": {asked_method: {}}}}
    with start_server(project) as process:
        send(process, initialize_message, INITIALIZE_MESSAGES[1], make_call(2, "diagnose", skill="plover"))
        message, prompts = {}, []
        while message.get("id") != 2 or "result" not in message:
            message = json.loads(process.stdout.readline())
            if "method" in message and "id" in message:
                prompts.append(message["method"])
                process.stdin.write(f'{{"jsonrpc": "2.0", "id": {message["id"]}, "result": {result}}}\n')
                process.stdin.flush()
        assert prompts == [{"sampling": "sampling/createMessage", "elicitation": "elicitation/create"}[asked_method]]
        assert message["result"]["structuredContent"]["open_questions"] > 1
        process.stdin.close()
        assert process.wait(60) == 0


def make_sampling_reply(value, template="Here you are:\n```json\n%s\n```\nThat is {all}."):
    content = types.TextContent(type="text", text=template % (value if isinstance(value, str) else json.dumps(value)))
    return types.CreateMessageResult(role="assistant", content=content, model="a-model", stop_reason="endTurn")


@pytest.mark.parametrize("mode", ["legacy", "auto"])
def test_sampling_client_is_asked_and_answers_are_checked(run_with_server, mode):
    prompts = []

    async def model(context, params):
        prompt = params.messages[0].content.text
        prompts.append(prompt)
        invalid_answer = '{"verdicts": [{"id": "ISS-777"}]}' if len(prompts) == 1 else None
        if invalid_answer:
            return make_sampling_reply(json.loads(invalid_answer))
        schema = json.loads(prompt.partition("that matches this schema, and nothing else:\n")[2].partition("\n")[0])
        return make_sampling_reply(build_smallest_answer(prompt, schema))

    async def work(session):
        return await session.call("diagnose", skill="plover")

    status = run_with_server(work, mode=mode, sampling_callback=model)
    assert status["waits_for"] in ("finding_selection", "nothing")
    assert status["judge"] == "a-model"
    (repeated_prompt,) = [prompt for prompt in prompts if "was rejected" in prompt]
    assert "'verdict' is a required property" in repeated_prompt, "the repeated question does not name the error"
    assert len(prompts) >= 5


@pytest.mark.parametrize("mode", ["legacy", "auto"])
def test_invalid_answers_are_asked_twice_per_run(run_with_server, mode):
    prompts = []

    async def model(context, params):
        prompts.append(params.messages[0].content.text)
        return make_sampling_reply("I {cannot} say.", "%s")

    async def work(session):
        status = await session.call("diagnose", skill="plover")
        assert len(prompts) == 2 * status["open_questions"] == 2 * len(status["questions"])
        assert sum("was rejected: the answer is not JSON" in prompt for prompt in prompts) == len(prompts) / 2
        await session.call("fixes", run=status["run"])
        assert len(prompts) == 2 * status["open_questions"], "a question was asked again in the next call"
        assert await count_claimed(session) == 0

    run_with_server(work, mode=mode, sampling_callback=model)


def test_refusing_2026_client_is_not_asked_again(run_with_server):
    """Its library fails the refused call; later calls continue without sampling."""
    prompts = []

    async def refuse(context, params):
        prompts.append(params)
        return types.ErrorData(code=-1, message="the user says no")

    async def work(session):
        with pytest.raises(MCPError):
            await session.call_raw("diagnose", skill="plover")
        run, count = (await session.call("status"))["run"], len(prompts)
        assert (await session.call("fixes", run=run))["waits_for"] == "questions"
        assert (await answer_until_run_waits(session, run))["waits_for"] in ("finding_selection", "nothing")
        assert len(prompts) == count

    run_with_server(work, mode="auto", sampling_callback=refuse)
    assert prompts


def test_cancelled_sampling_leaves_no_question_claimed(run_with_server):
    async def never_answer(context, params):
        scopes[0].cancel()
        await anyio.sleep_forever()

    async def work(session):
        with anyio.CancelScope() as scope:
            scopes.append(scope)
            await session.call("diagnose", skill="plover")
        for _ in range(200):
            status = await session.call("status")
            if status["open_questions"] == len(status["questions"]):
                return status
            await anyio.sleep(0.05)
        return status

    scopes = []
    status = run_with_server(work, sampling_callback=never_answer)
    assert status["waits_for"] == "questions"
    assert status["open_questions"] == len(status["questions"])


def test_refused_sampling_leaves_questions_to_the_tools(run_with_server):
    prompts = []

    async def refuse(context, params):
        prompts.append(params)
        return types.ErrorData(code=-1, message="the user says no")

    async def work(session):
        status = await session.call("diagnose", skill="plover")
        assert status["waits_for"] == "questions"
        assert status["open_questions"] == len(status["questions"]) > 1
        assert (await session.call("fixes", run=status["run"]))["waits_for"] == "questions"
        assert len(prompts) == 1, "a client that refused was asked again"
        handed_out_ids = [(await session.call("question", run=status["run"]))["id"] for _ in status["questions"]]
        assert set(handed_out_ids) == {item["id"] for item in status["questions"]}, "a question was not handed out"
        await session.call("fixes", run=status["run"], lost=handed_out_ids)
        assert (await answer_until_run_waits(session, status["run"]))["waits_for"] in ("finding_selection", "nothing")

    run_with_server(work, sampling_callback=refuse)
    assert prompts


def test_deep_yaml_does_not_crash_the_server(run_with_server, project):
    nested_value = "[" * 30_000 + "]" * 30_000
    get_main_file(project).write_text(f"---\nname: plover\ndescription: {nested_value}\n---\n\nCount each bird once.\n")

    async def work(session):
        status = await session.call("diagnose", skill="plover")
        while status["waits_for"] == "questions":
            status = await session.call("fixes", run=status["run"], give_up=True)
        assert "nested deeper than 50 levels" in status["show"]

    run_with_server(work, as_process=True)
