"""Test the tools `question` and `answer`: owners of questions, accepted answers, and errors for wrong answers."""

import json
import shutil
from pathlib import Path
from threading import Event

import pytest

from orchestrator.model.question_queue import QuestionQueue
from orchestrator.servers.mcp.client_listener import ClientListener
from orchestrator.servers.mcp.tool_calls import Client, claim_question
from tests.orchestrator.servers.mcp.conftest import get_main_file, make_empty_answer
from tests.orchestrator.servers.mcp.talks import (
    answer_until_run_waits,
    count_claimed,
    finish_run,
    get_runs_folder,
    make_addition,
)

pytestmark = pytest.mark.usefixtures("skill_read_in_parts")


def test_rejected_answer_says_what_to_correct(run_with_server):
    async def work(session):
        run = (await session.call("diagnose", skill="plover"))["run"]
        id = (await session.call("question", run=run))["id"]

        async def reject(value):
            reply = await session.call("answer", run=run, id=id, answer=value)
            assert not reply["taken"]
            assert "\n" not in reply["wrong"]
            return reply["wrong"]

        assert "'added' is a required property" in await reject({"notes": [], "unchecked": [], "verdicts": []})
        assert "copy `quote` exactly" in await reject(
            {**make_empty_answer(), "added": [make_addition(quote="No such words.")]}
        )
        assert "/etc/passwd; the files of the skill are: SKILL.md" in await reject(
            {**make_empty_answer(), "added": [make_addition(file="/etc/passwd")]}
        )
        unknown = {"id": "ISS-777", "verdict": "confirm", "severity": "low", "reason": "So it is."}
        assert "ISS-777" in await reject({**make_empty_answer(), "verdicts": [unknown]})
        assert "the patterns are: " in await reject(
            {**make_empty_answer(), "added": [make_addition(pattern="APV-999")]}
        )
        assert "is not JSON" in await session.call_refused("answer", run=run, id=id, answer="{'verdicts': ")
        assert (await session.call("status", run=run))["open_questions"] > 1
        reply = await session.call("answer", run=run, id=id, answer=json.dumps(make_empty_answer()))
        assert reply["taken"], "an object as JSON text was not accepted"

    run_with_server(work)


def test_repeated_answer_is_accepted_only_if_equal(run_with_server):
    async def work(session):
        status = await session.call("diagnose", skill="plover")
        run, id = status["run"], status["questions"][0]["id"]
        for _ in range(2):
            assert (await session.call("answer", run=run, id=id, answer=make_empty_answer()))["taken"]
        other_answer = {**make_empty_answer(), "added": [make_addition()]}
        assert "another answer was already accepted" in await session.call_refused(
            "answer", run=run, id=id, answer=other_answer
        )
        await finish_run(session, await answer_until_run_waits(session, run), findings=False)
        assert "not an open question" in await session.call_refused(
            "answer", run=run, id="Q-0123456789ab", answer=make_empty_answer()
        )
        assert "another answer was already accepted" in await session.call_refused(
            "answer", run=run, id=id, answer=other_answer
        )
        assert (await session.call("answer", run=run, id=id, answer=make_empty_answer()))["taken"]
        assert (await session.call("fixes", run=run))["waits_for"] == "nothing"

    run_with_server(work)


def test_agent_answers_only_its_own_question(run_with_server):
    async def work(session):
        status = await session.call("diagnose", skill="plover")
        run, (own_id, other_id, third_id, *_) = (
            status["run"],
            (open_question["id"] for open_question in status["questions"]),
        )
        question_of_other = await session.call("question", run=run)
        invented_token = (await session.call("question", run=run, id=own_id))["token"]
        assert (await session.call("question", run=run))["id"] == "", (
            "without an id, a question was handed out during a claim by id"
        )
        for token in (invented_token, question_of_other["token"], "", "x" * 100):
            message = await session.call_refused(
                "answer", run=run, id=other_id, token=token, answer=make_empty_answer()
            )
            assert "wrong token" in message
        question = await session.call("question", run=run, id=question_of_other["id"])
        message = await session.call_refused(
            "answer", run=run, id=question["id"], token=question_of_other["token"], answer=make_empty_answer()
        )
        assert "wrong token" in message, "a claim by id must replace a claim without an id"
        question_again = await session.call("question", run=run, id=third_id)
        assert (
            question_again["token"]
            == (await session.call("question", run=run, id=third_id))["token"]
            != question["token"]
        )
        assert (await session.call("status", run=run))["open_questions"] == status["open_questions"]
        await session.call("fixes", run=run, lost=[own_id, question["id"], third_id])
        assert (
            await session.call(
                "answer", run=run, id=third_id, token=question_again["token"], answer=make_empty_answer()
            )
        )["taken"]
        assert (await session.call("question", run=run))["id"], "the questions of lost agents are handed out again"

    run_with_server(work)


def test_question_of_a_disconnected_client_is_released(run_with_server):
    async def work(session):
        run, is_gone = (await session.call("diagnose", skill="plover"))["run"], Event()
        assert claim_question({"run": run}, Client(ClientListener(print, is_gone))).id
        assert await count_claimed(session) == 1
        is_gone.set()
        question = claim_question({"run": run}, Client(ClientListener(print, is_gone)))
        message = await session.call_refused(
            "answer", run=run, id=question.id, token=question.token, answer=make_empty_answer()
        )
        assert "wrong token" in message
        assert await count_claimed(session) == 1

    run_with_server(work)


def test_long_prompt_full_of_quotes_is_sent_whole(run_with_server, project):
    """400,000 characters of a skill become half as many more in JSON, but Claude Code shows only 500,000."""
    row = json.dumps({f"bird{n}": 'a "tern"' for n in range(8)})
    fence = "```json\n" + f"{row}\n" * (380_000 // len(row)) + "```\n"
    get_main_file(project).write_text(get_main_file(project).read_text() + fence)

    async def work(session):
        status = await session.call("diagnose", skill="plover")
        results = [
            await session.call_raw("question", run=status["run"], id=open_question["id"])
            for open_question in status["questions"]
        ]
        return [[block.text for block in result.content] for result in results]

    questions = run_with_server(work)
    prompts = [prompt for prompt, rest in questions]
    assert len(json.dumps(prompts[0])) > 500_000 > max(len(prompt) + len(rest) for prompt, rest in questions)
    assert all(prompt.count(row) == fence.count(row) for prompt in prompts)
    end = prompts[0].rindex(row)
    assert len({prompt[:end] for prompt in prompts}) == 1, "the prompts must begin with the whole skill"


def test_question_of_another_run_is_refused(run_with_server, project):
    shutil.copytree(project / "plover", project / "dunlin")
    (project / "dunlin" / "SKILL.md").write_text((project / "plover" / "SKILL.md").read_text().replace("tern", "gull"))

    async def work(session):
        first_status = await session.call("diagnose", skill="plover")
        second_status = await session.call("diagnose", skill="dunlin")
        own_ids, ids_of_other_run = (
            [q["id"] for q in run_status["questions"]] for run_status in (first_status, second_status)
        )
        assert not set(own_ids) & set(ids_of_other_run)
        message = await session.call_refused(
            "answer", run=first_status["run"], id=ids_of_other_run[0], answer=make_empty_answer()
        )
        assert "not an open question of this run" in message
        assert (await session.call("status", run=second_status["run"]))["open_questions"] == len(ids_of_other_run)

    run_with_server(work)


@pytest.mark.parametrize("answer", ["x" * 10_000_000, {"verdicts": [], "added": ["x" * 10_000_000]}], ids=type)
def test_answer_of_10_mb_is_refused_unparsed(run_with_server, answer):
    async def work(session):
        status = await session.call("diagnose", skill="plover")
        id = status["questions"][0]["id"]
        assert "longer than" in await session.call_refused("answer", run=status["run"], id=id, answer=answer)
        assert (await session.call("status"))["open_questions"] == status["open_questions"]

    run_with_server(work)


def test_vague_complaint_is_only_in_the_reading_question(run_with_server):
    async def work(session):
        status = await session.call("diagnose", skill="plover", issue="it does not work well")
        run, question = status["run"], await session.call("question", run=status["run"])
        assert "Look first for what explains this:" in question["prompt"]
        assert "it does not work well" in question["prompt"]
        assert not [open_question for open_question in status["questions"] if open_question["name"] == "requirements"]
        addition = make_addition(explains_complaint=True)
        question_keys = {"run": run, "id": question["id"], "token": question["token"]}
        assert (await session.call("answer", **question_keys, answer={**make_empty_answer(), "added": [addition]}))[
            "taken"
        ]
        status = await answer_until_run_waits(session, run)
        assert status["waits_for"] == "finding_selection", "the run asked for a clarification"
        first = next(line for line in status["show"].splitlines() if line.startswith("- **ISS-"))
        assert "The harbour master is never named." in first
        assert status["ask"]["options"][0]["label"] == "Those that explain my complaint (1)"
        final_status = await finish_run(session, status, findings=False)
        assert "1 finding explains it; none is fixed:" in final_status["show"]
        assert "`SKILL.md`) Still open." in final_status["show"]

    run_with_server(work)


def test_report_lists_given_up_questions(run_with_server, project):
    async def work(session):
        run = (await session.call("diagnose", skill="plover"))["run"]
        question = await session.call("question", run=run)
        await session.call("answer", run=run, id=question["id"], answer=make_empty_answer())
        assert (await session.call("fixes", run=run))["waits_for"] == "questions", "the run continued without an answer"
        open_questions = QuestionQueue(get_runs_folder(project) / run).list_open()
        status = await session.call("fixes", run=run, give_up=True)
        await finish_run(session, status, findings=False)
        assert "given up" in await session.call_refused(
            "answer", run=run, id=open_questions[0].id, answer=make_empty_answer()
        )
        message = await session.call("report", run=run)
        assert "did not answer" in Path(message["path"]).read_text()

    run_with_server(work)
