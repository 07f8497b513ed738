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
from tests.orchestrator.servers.mcp.conftest import DOOR, nothing, the_skill
from tests.orchestrator.servers.mcp.talks import answered, count_claimed, finished_questions, runs
from tests.scripted_api import least_answer

pytestmark = pytest.mark.slow
ME = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "raw", "version": "1"}}
HELLO = (
    {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": ME},
    {"jsonrpc": "2.0", "method": "notifications/initialized"},
)


@pytest.fixture(autouse=True)
def large(project):
    """Enlarge the skill, so that it is read in parts and a run has several questions."""
    add_large_references(project / "plover")


def call(number, tool, /, **given):
    return {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": {"name": tool, "arguments": given}}


def started(project):
    return subprocess.Popen(
        [sys.executable, "-c", DOOR, "mcp"], cwd=project, env=dict(os.environ), text=True,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip


def say(process, *messages):
    for message in messages:
        process.stdin.write(json.dumps(message) + "\n")
    process.stdin.flush()


def test_concurrent_agents_get_different_questions(talk):
    async def work(session):
        begun = await session.call("diagnose", skill="plover")
        count = begun["open_questions"]
        asked = await asyncio.gather(*(session.call("question", run=begun["run"]) for _ in range(count)))
        assert len({one["id"] for one in asked}) == count
        assert (await session.call("question", run=begun["run"]))["id"] == ""
        given = [session.call("answer", run=begun["run"], id=one["id"], answer=nothing()) for one in asked * 2]
        assert all(one["taken"] for one in await asyncio.gather(*given))
        assert (await session.call("fixes", run=begun["run"]))["waits_for"] != "go_on"

    talk(work)


def test_two_answers_to_one_question_leave_one(talk, project):
    async def work(session):
        begun = await session.call("diagnose", skill="plover")
        run, id = begun["run"], begun["questions"][0]["id"]
        added = add_finding("Count each bird once", severity="low")
        values = [{**nothing(), "added": [{**added, "problem": f"It is {n}."}]} for n in range(6)]
        came = await asyncio.gather(*(session.raw("answer", run=run, id=id, answer=value) for value in values))
        assert sum(not one.is_error for one in came) == 1
        assert all("another answer" in one.content[0].text for one in came if one.is_error)
        assert id not in [one.id for one in QuestionQueue(runs(project) / run).list_open()]

    talk(work)


def test_next_client_continues_after_a_disconnect(talk, project):
    with started(project) as process:
        say(process, *HELLO, call(2, "diagnose", skill="plover"))
        while not list(runs(project).glob("*/state.json")):
            assert process.poll() is None
            time.sleep(0.01)
        process.stdin.close()
        assert process.wait(60) == 0

    async def work(session):
        run = (await session.call("status"))["run"]
        standing = await session.call("fixes", run=run)
        assert standing["waits_for"] == "questions"
        assert await answered(session, run)
        assert (await finished_questions(session, run))["waits_for"] in ("finding_selection", "nothing")

    talk(work)


def test_server_restart_between_answers_loses_none(talk, project):
    async def begin(session):
        begun = await session.call("diagnose", skill="plover")
        id = begun["questions"][0]["id"]
        await session.call("answer", run=begun["run"], id=id, answer=nothing())
        return begun

    begun = talk(begin, apart=True)

    async def go_on(session):
        standing = await session.call("diagnose", run=begun["run"])
        assert standing["open_questions"] == begun["open_questions"] - 1

    talk(go_on, apart=True)


def test_killed_server_loses_no_answer(talk, project):
    with started(project) as process:

        def result(request):
            say(process, request)
            while (heard := json.loads(process.stdout.readline())).get("id") != request["id"]:
                pass
            return heard["result"]["structuredContent"]

        say(process, *HELLO)
        begun = result(call(2, "diagnose", skill="plover"))
        first, second, *left = [one["id"] for one in begun["questions"]]
        for number, id in enumerate((first, second), 3):
            token = QuestionQueue(runs(project) / begun["run"]).claim(id).token
            request = call(number, "answer", run=begun["run"], id=id, token=token, answer=nothing())
            assert result(request)["taken"]
        say(process, call(7, "fixes", run=begun["run"]))
        process.kill()
        assert process.wait(60) == -signal.SIGKILL

    async def work(session):
        standing = await session.call("diagnose", run=begun["run"])
        assert standing["run"] == begun["run"]
        assert [one["id"] for one in standing["questions"]] == left
        assert (await finished_questions(session, begun["run"]))["waits_for"] in ("finding_selection", "nothing")

    talk(work)


def test_cancelled_call_stops_run_that_can_be_resumed(talk):
    async def work(session):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(partial(session.call, "diagnose", skill="plover"))
            for _ in range(200):
                result = await session.raw("status")
                if not result.is_error:
                    break
                await anyio.sleep(0.05)
            tasks.cancel_scope.cancel()
        run = result.structured_content["run"]
        for _ in range(200):
            result = await session.raw("fixes", run=run)
            if not result.is_error and result.structured_content["waits_for"] == "questions":
                break
            await anyio.sleep(0.05)
        assert result.structured_content["open_questions"] > 1

    talk(work)


def test_second_client_on_a_run_sees_who_locks_the_skill(talk, project):
    async def work(session):
        begun = await session.call("diagnose", skill="plover")
        run, id = begun["run"], begun["questions"][0]["id"]
        with registry.lock(project / "plover"):
            result = await session.refused("fixes", run=run, give_up=True)
            assert "is changing this skill; wait until it ends" in result
            assert (await session.call("status"))["open_questions"] == begun["open_questions"], "nothing was given up"
            assert (await session.call("answer", run=run, id=id, answer=nothing()))["taken"]
        assert (await session.call("fixes", run=run))["open_questions"] == begun["open_questions"] - 1

    talk(work)


def test_stdout_is_protocol_only_for_any_input(project):
    with started(project) as process:
        say(process, *HELLO, call(2, "diagnose", skill="plover"))
        deep = '{"jsonrpc": "2.0", "id": "deep", "method": "tools/call", "params": %s}' % ("[" * 300 + "]" * 300)
        deeper = deep.replace("[", "[" * 500).replace("]", "]" * 500)
        process.stdin.write(
            f'no json at all\n\n[]\n{{"jsonrpc": "2.0", "id": 6}}\n{{"id": "\\ud800"}}\n{deep}\n{deeper}\n'
        )
        say(process, call(3, "status", run="../x"), call(4, "nonsense"), call(5, "answer", run="x"))
        ids, heard = {1, 2, 3, 4, 5}, []
        while ids:
            heard.append(json.loads(process.stdout.readline()))
            ids.discard(heard[-1].get("id"))
        process.stdin.close()
        heard += map(json.loads, process.stdout.read().splitlines())
        assert process.wait(60) == 0
        assert all(one["jsonrpc"] == "2.0" for one in heard)
        unread = [(one["id"], one["error"]["code"]) for one in heard if one.get("id") not in (1, 2, 3, 4, 5, None)]
        assert unread == [(6, types.INVALID_REQUEST), ("deep", types.PARSE_ERROR)]
        nameless = [one["error"]["code"] for one in heard if "error" in one and one["id"] is None]
        expected = [types.PARSE_ERROR, types.INVALID_REQUEST, types.PARSE_ERROR, types.PARSE_ERROR]
        assert nameless == expected, "an empty line is not a message"


NESTED = "[" * 300 + "]" * 300


@pytest.mark.slow
@pytest.mark.parametrize(
    ("asks", "result"), [("sampling", f'{{"a": {NESTED}}}'), ("sampling", "{}"), ("elicitation", "{}")]
)
def test_invalid_reply_counts_as_refusal(project, monkeypatch, asks, result):
    monkeypatch.setenv("ANTHROPIC_API_KEY", "dummy")
    monkeypatch.setenv("ANTHROPIC_BASE_URL", "http://127.0.0.1:9")
    hello = {**HELLO[0], "params": {**ME, "capabilities": {asks: {}}}}
    with started(project) as process:
        say(process, hello, HELLO[1], call(2, "diagnose", skill="plover"))
        heard, asked = {}, []
        while heard.get("id") != 2 or "result" not in heard:
            heard = json.loads(process.stdout.readline())
            if "method" in heard and "id" in heard:
                asked.append(heard["method"])
                process.stdin.write(f'{{"jsonrpc": "2.0", "id": {heard["id"]}, "result": {result}}}\n')
                process.stdin.flush()
        assert asked == [{"sampling": "sampling/createMessage", "elicitation": "elicitation/create"}[asks]]
        assert heard["result"]["structuredContent"]["open_questions"] > 1
        process.stdin.close()
        assert process.wait(60) == 0


def said(value, around="Here you are:\n```json\n%s\n```\nThat is {all}."):
    content = types.TextContent(type="text", text=around % (value if isinstance(value, str) else json.dumps(value)))
    return types.CreateMessageResult(role="assistant", content=content, model="a-model", stop_reason="endTurn")


@pytest.mark.parametrize("mode", ["legacy", "auto"])
def test_sampling_client_is_asked_and_answers_are_checked(talk, mode):
    asked = []

    async def model(context, params):
        prompt = params.messages[0].content.text
        asked.append(prompt)
        lie = '{"verdicts": [{"id": "ISS-777"}]}' if len(asked) == 1 else None
        if lie:
            return said(json.loads(lie))
        schema = json.loads(prompt.partition("that matches this schema, and nothing else:\n")[2].partition("\n")[0])
        return said(least_answer(prompt, schema))

    async def work(session):
        return await session.call("diagnose", skill="plover")

    standing = talk(work, mode=mode, sampling_callback=model)
    assert standing["waits_for"] in ("finding_selection", "nothing")
    assert standing["judge"] == "a-model"
    (again,) = [prompt for prompt in asked if "was rejected" in prompt]
    assert "'verdict' is a required property" in again, "what was wrong comes back once"
    assert len(asked) >= 5


@pytest.mark.parametrize("mode", ["legacy", "auto"])
def test_invalid_answers_are_asked_twice_per_run(talk, mode):
    asked = []

    async def model(context, params):
        asked.append(params.messages[0].content.text)
        return said("I {cannot} say.", "%s")

    async def work(session):
        begun = await session.call("diagnose", skill="plover")
        assert len(asked) == 2 * begun["open_questions"] == 2 * len(begun["questions"])
        assert sum("was rejected: the answer is not JSON" in prompt for prompt in asked) == len(asked) / 2
        await session.call("fixes", run=begun["run"])
        assert len(asked) == 2 * begun["open_questions"], "nor in the next call"
        assert await count_claimed(session) == 0

    talk(work, mode=mode, sampling_callback=model)


def test_refusing_2026_client_is_not_asked_again(talk):
    """Its library fails the refused call; later calls continue without sampling."""
    asked = []

    async def refused(context, params):
        asked.append(params)
        return types.ErrorData(code=-1, message="the user says no")

    async def work(session):
        with pytest.raises(MCPError):
            await session.raw("diagnose", skill="plover")
        run, count = (await session.call("status"))["run"], len(asked)
        assert (await session.call("fixes", run=run))["waits_for"] == "questions"
        assert (await finished_questions(session, run))["waits_for"] in ("finding_selection", "nothing")
        assert len(asked) == count

    talk(work, mode="auto", sampling_callback=refused)
    assert asked


def test_cancelled_sampling_leaves_no_question_claimed(talk):
    async def silent(context, params):
        scopes[0].cancel()
        await anyio.sleep_forever()

    async def work(session):
        with anyio.CancelScope() as scope:
            scopes.append(scope)
            await session.call("diagnose", skill="plover")
        for _ in range(200):
            standing = await session.call("status")
            if standing["open_questions"] == len(standing["questions"]):
                return standing
            await anyio.sleep(0.05)
        return standing

    scopes = []
    standing = talk(work, sampling_callback=silent)
    assert standing["waits_for"] == "questions"
    assert standing["open_questions"] == len(standing["questions"])


def test_refused_sampling_leaves_questions_to_the_tools(talk):
    asked = []

    async def refused(context, params):
        asked.append(params)
        return types.ErrorData(code=-1, message="the user says no")

    async def work(session):
        begun = await session.call("diagnose", skill="plover")
        assert begun["waits_for"] == "questions"
        assert begun["open_questions"] == len(begun["questions"]) > 1
        assert (await session.call("fixes", run=begun["run"]))["waits_for"] == "questions"
        assert len(asked) == 1, "the no is remembered"
        handed = [(await session.call("question", run=begun["run"]))["id"] for _ in begun["questions"]]
        assert set(handed) == {one["id"] for one in begun["questions"]}, "none is kept from others"
        await session.call("fixes", run=begun["run"], lost=handed)
        assert (await finished_questions(session, begun["run"]))["waits_for"] in ("finding_selection", "nothing")

    talk(work, sampling_callback=refused)
    assert asked


def test_deep_yaml_does_not_crash_the_server(talk, project):
    deep = "[" * 30_000 + "]" * 30_000
    the_skill(project).write_text(f"---\nname: plover\ndescription: {deep}\n---\n\nCount each bird once.\n")

    async def work(session):
        begun = await session.call("diagnose", skill="plover")
        standing = begun
        while standing["waits_for"] == "questions":
            standing = await session.call("fixes", run=begun["run"], give_up=True)
        assert "nested deeper than 50 levels" in standing["show"]

    talk(work, apart=True)
