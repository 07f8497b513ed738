"""Test the tools `question` and `answer`: owners of questions, accepted answers, and errors for wrong answers."""

import json
import shutil
from pathlib import Path
from threading import Event

import pytest

from orchestrator.model.question_queue import QuestionQueue
from orchestrator.servers.mcp.client_listener import ClientListener
from orchestrator.servers.mcp.tool_calls import Client, claim_question
from tests.orchestrator.servers.mcp.conftest import nothing, the_skill
from tests.orchestrator.servers.mcp.talks import an_addition, count_claimed, ended, finished_questions, runs

pytestmark = pytest.mark.usefixtures("large")


def test_rejected_answer_says_what_to_correct(talk):
    async def work(session):
        run = (await session.call("diagnose", skill="plover"))["run"]
        id = (await session.call("question", run=run))["id"]

        async def wrong(value):
            taken = await session.call("answer", run=run, id=id, answer=value)
            assert not taken["taken"]
            assert "\n" not in taken["wrong"]
            return taken["wrong"]

        assert "'added' is a required property" in await wrong({"notes": [], "unchecked": [], "verdicts": []})
        assert "copy `quote` exactly" in await wrong({**nothing(), "added": [an_addition(quote="No such words.")]})
        assert "/etc/passwd; the files of the skill are: SKILL.md" in await wrong(
            {**nothing(), "added": [an_addition(file="/etc/passwd")]}
        )
        unknown = {"id": "ISS-777", "verdict": "confirm", "severity": "low", "reason": "So it is."}
        assert "ISS-777" in await wrong({**nothing(), "verdicts": [unknown]})
        assert "the patterns are: " in await wrong({**nothing(), "added": [an_addition(pattern="APV-999")]})
        assert "is not JSON" in await session.refused("answer", run=run, id=id, answer="{'verdicts': ")
        assert (await session.call("status", run=run))["open_questions"] > 1
        taken = await session.call("answer", run=run, id=id, answer=json.dumps(nothing()))
        assert taken["taken"], "the text of an object serves too"

    talk(work)


def test_only_a_repeated_equal_answer_is_accepted(talk):
    async def work(session):
        begun = await session.call("diagnose", skill="plover")
        run, id = begun["run"], begun["questions"][0]["id"]
        for _ in range(2):
            assert (await session.call("answer", run=run, id=id, answer=nothing()))["taken"]
        other = {**nothing(), "added": [an_addition()]}
        assert "another answer was already accepted" in await session.refused("answer", run=run, id=id, answer=other)
        await ended(session, await finished_questions(session, run), findings=False)
        assert "not an open question" in await session.refused("answer", run=run, id="Q-0123456789ab", answer=nothing())
        assert "another answer was already accepted" in await session.refused("answer", run=run, id=id, answer=other)
        assert (await session.call("answer", run=run, id=id, answer=nothing()))["taken"]
        assert (await session.call("fixes", run=run))["waits_for"] == "nothing"

    talk(work)


def test_agent_answers_only_its_own_question(talk):
    async def work(session):
        begun = await session.call("diagnose", skill="plover")
        run, (mine, other, third, *_) = begun["run"], (one["id"] for one in begun["questions"])
        astray = await session.call("question", run=run)
        lie = (await session.call("question", run=run, id=mine))["token"]
        assert (await session.call("question", run=run))["id"] == "", (
            "a name is needed where another one has come by it"
        )
        for token in (lie, astray["token"], "", "x" * 100):
            message = await session.refused("answer", run=run, id=other, token=token, answer=nothing())
            assert "wrong token" in message
        asked = await session.call("question", run=run, id=astray["id"])
        message = await session.refused("answer", run=run, id=asked["id"], token=astray["token"], answer=nothing())
        assert "wrong token" in message, "the agent that named the id takes over"
        again = await session.call("question", run=run, id=third)
        assert again["token"] == (await session.call("question", run=run, id=third))["token"] != asked["token"]
        assert (await session.call("status", run=run))["open_questions"] == begun["open_questions"]
        await session.call("fixes", run=run, lost=[mine, asked["id"], third])
        assert (await session.call("answer", run=run, id=third, token=again["token"], answer=nothing()))["taken"]
        assert (await session.call("question", run=run))["id"], "the questions of lost agents are handed out again"

    talk(work)


def test_question_of_a_gone_client_is_released(talk):
    async def work(session):
        run, gone = (await session.call("diagnose", skill="plover"))["run"], Event()
        assert claim_question({"run": run}, Client(ClientListener(print, gone))).id
        assert await count_claimed(session) == 1
        gone.set()
        asked = claim_question({"run": run}, Client(ClientListener(print, gone)))
        message = await session.refused("answer", run=run, id=asked.id, token=asked.token, answer=nothing())
        assert "wrong token" in message
        assert await count_claimed(session) == 1

    talk(work)


def test_prompt_full_of_quotes_is_sent_first_and_whole(talk, project):
    """400,000 characters of a skill become half as many more in JSON, but Claude Code shows only 500,000."""
    row = json.dumps({f"bird{n}": 'a "tern"' for n in range(8)})
    fence = "```json\n" + f"{row}\n" * (380_000 // len(row)) + "```\n"
    the_skill(project).write_text(the_skill(project).read_text() + fence)

    async def work(session):
        begun = await session.call("diagnose", skill="plover")
        results = [await session.raw("question", run=begun["run"], id=one["id"]) for one in begun["questions"]]
        return [[block.text for block in result.content] for result in results]

    questions = talk(work)
    prompts = [prompt for prompt, rest in questions]
    assert len(json.dumps(prompts[0])) > 500_000 > max(len(prompt) + len(rest) for prompt, rest in questions)
    assert all(prompt.count(row) == fence.count(row) for prompt in prompts)
    end = prompts[0].rindex(row)
    assert len({prompt[:end] for prompt in prompts}) == 1, "all of the skill, before what differs"


def test_question_of_another_run_is_refused(talk, project):
    shutil.copytree(project / "plover", project / "dunlin")
    (project / "dunlin" / "SKILL.md").write_text((project / "plover" / "SKILL.md").read_text().replace("tern", "gull"))

    async def work(session):
        one = await session.call("diagnose", skill="plover")
        other = await session.call("diagnose", skill="dunlin")
        mine, theirs = ([q["id"] for q in each["questions"]] for each in (one, other))
        assert not set(mine) & set(theirs)
        message = await session.refused("answer", run=one["run"], id=theirs[0], answer=nothing())
        assert "not an open question of this run" in message
        assert (await session.call("status", run=other["run"]))["open_questions"] == len(theirs)

    talk(work)


@pytest.mark.parametrize("answer", ["x" * 10_000_000, {"verdicts": [], "added": ["x" * 10_000_000]}], ids=type)
def test_answer_of_10_mb_is_refused_unparsed(talk, answer):
    async def work(session):
        begun = await session.call("diagnose", skill="plover")
        id = begun["questions"][0]["id"]
        assert "longer than" in await session.refused("answer", run=begun["run"], id=id, answer=answer)
        assert (await session.call("status"))["open_questions"] == begun["open_questions"]

    talk(work)


def test_vague_complaint_stands_in_the_reading_question_alone(talk):
    async def work(session):
        standing = await session.call("diagnose", skill="plover", issue="it does not work well")
        run, asked = standing["run"], await session.call("question", run=standing["run"])
        assert "Look first for what explains this:" in asked["prompt"]
        assert "it does not work well" in asked["prompt"]
        assert not [one for one in standing["questions"] if one["name"] == "requirements"]
        own = an_addition(explains_complaint=True)
        given = {"run": run, "id": asked["id"], "token": asked["token"]}
        assert (await session.call("answer", **given, answer={**nothing(), "added": [own]}))["taken"]
        standing = await finished_questions(session, run)
        assert standing["waits_for"] == "finding_selection", "no clarification"
        first = next(line for line in standing["show"].splitlines() if line.startswith("- **ISS-"))
        assert "The harbour master is never named." in first
        assert standing["ask"]["options"][0]["label"] == "Those that explain my complaint (1)"
        done = await ended(session, standing, findings=False)
        assert "1 finding explains it; none is fixed:" in done["show"]
        assert "`SKILL.md`) Still open." in done["show"]

    talk(work)


def test_report_lists_given_up_questions(talk, project):
    async def work(session):
        run = (await session.call("diagnose", skill="plover"))["run"]
        asked = await session.call("question", run=run)
        await session.call("answer", run=run, id=asked["id"], answer=nothing())
        assert (await session.call("fixes", run=run))["waits_for"] == "questions", "an open question is not left out"
        left = QuestionQueue(runs(project) / run).list_open()
        standing = await session.call("fixes", run=run, give_up=True)
        await ended(session, standing, findings=False)
        assert "given up" in await session.refused("answer", run=run, id=left[0].id, answer=nothing())
        message = await session.call("report", run=run)
        assert "did not answer" in Path(message["path"]).read_text()

    talk(work)
