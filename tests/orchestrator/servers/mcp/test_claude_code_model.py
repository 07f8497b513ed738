"""Test that the server queries the model, through the real SDK, only with the user's consent; and its errors.

Only the first question with each schema starts Claude Code.
"""

import re
import subprocess
from pathlib import Path
from time import monotonic

import mcp.types as types
import pytest

from orchestrator.model.consent import read_consent, save_consent
from orchestrator.run.work_dirs import find_run_by_id
from orchestrator.servers.mcp.background import MAX_CALL_SECONDS
from orchestrator.servers.mcp.results import OpenQuestion, RunStatus
from orchestrator.servers.mcp.run_status import mark_being_answered
from orchestrator.servers.mcp.tool_calls import read_state
from tests.orchestrator.model.conftest import api, short_way  # noqa: F401 - fixtures
from tests.reviewer import Reviewer
from tests.scripted_api import Reply, said, schema_of, tool, tools_of

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("short_way")]


class Reader(Reviewer):
    """A reader: it reports one fault that explains the complaint, confirms it, and drafts a bad fix, then a good one.

    quote: the line of the fault, or "" for any line.
    """

    quote = ""

    def answer(self, prompt, schema):
        """Return the answer to a question."""
        request = {"messages": [{"role": "user", "content": prompt}], "tools": [
            {"name": "StructuredOutput", "input_schema": schema}]}  # fmt: skip
        (block,) = self(request).content
        return block["input"]

    def _reading(self, prompt, blocks):
        self.asked["reading"] = 1  # with a different finding each time
        value = super()._reading(prompt, blocks)
        quote = self.quote or value["added"][0]["quote"]
        return {**value, "verdicts": [], "added": [{**value["added"][0], "quote": quote, "explains_complaint": True}]}

    def _refute(self, prompt, blocks):
        asked = prompt.partition("## The findings")[2].partition("## What else")[0]
        ids = dict.fromkeys(re.findall(r"^(ISS-\d+) ", asked, re.MULTILINE))
        said = [
            {"id": id, "verdict": "confirm", "severity": "high", "reason": "I found no word against it."} for id in ids
        ]
        return {"notes": [], "unchecked": [], "verdicts": said, "added": []}

    def _draft_one(self, fault, name, texts):
        return super()._draft_one(fault + "What you drafted before" * self.is_again, name, texts)

    is_again = False

    def _draft(self, prompt, blocks):
        self.is_again = "It was rejected: " in prompt
        return super()._draft(prompt, blocks)


@pytest.fixture
def reader(api):  # noqa: F811
    """Return a reader that is the script of the API."""
    reader = Reader()
    api.script = lambda request: tool("StructuredOutput", **reader.answer(said(request), schema_of(request)))
    return reader


def saying(action, heard):
    async def answer(context, params):
        heard.append(params.message)
        return types.ElicitResult(action=action, content={} if action == "accept" else None)

    return answer


async def begun(session):
    return await session.call("diagnose", skill="plover", issue="it forgets the rules", anew=True)


@pytest.mark.parametrize("mode", ["legacy", "auto"])
def test_server_asks_the_model_after_a_yes_and_without_a_long_wait(talk, reader, mode, monkeypatch):
    """Claude Code counts the time of a dialog as part of the call, so after 100 s the call returns at once."""
    taken, heard = [0.0], []
    monkeypatch.setattr("orchestrator.servers.mcp.claude_code_model.monotonic", lambda: monotonic() + taken[0])

    async def answer(context, params):
        heard.append(params.message)
        taken[0] = 100.0
        return types.ElicitResult(action="accept", content={})

    async def work(session):
        first = await begun(session)
        return first, await session.call("fixes", run=first["run"], wait=True)

    first, second = talk(work, mode=mode, elicitation_callback=answer)
    assert (first["waits_for"], second["waits_for"]) == ("answers", "finding_selection")
    assert "Findings that explain your complaint:" in second["show"]
    (message,) = heard
    assert "at most 2.00 USD" in message
    assert reader.asked["reading"] and reader.asked["refute"] == 1
    assert read_consent() is True
    if mode == "auto":
        again = talk(begun, mode="legacy", elicitation_callback=answer)
        assert (again["waits_for"], len(heard)) == ("finding_selection", 1), "the yes is remembered"


@pytest.mark.parametrize("mode", ["legacy", "auto"])
@pytest.mark.parametrize(("action", "kept"), [("decline", False), ("cancel", None)])
def test_without_a_yes_the_questions_stay_open_for_agents(talk, api, mode, action, kept):  # noqa: F811
    heard = []
    standing = talk(begun, mode=mode, elicitation_callback=saying(action, heard))
    assert (standing["waits_for"], len(standing["questions"])) == ("questions", 1)
    assert (read_consent(), len(heard), api.asked) == (kept, 1, [])


def test_status_of_an_interrupted_run_starts_no_agent_if_the_server_may_ask(talk, reader):
    async def work(session):
        run = (await begun(session))["run"]
        for_agents = await session.call("status", run=run)
        save_consent(allowed=True)
        resumed = await session.call("status", run=run)
        return for_agents, resumed, await session.call("fixes", run=run)

    for_agents, resumed, done = talk(work, elicitation_callback=saying("cancel", []))
    assert (for_agents["waits_for"], len(for_agents["questions"])) == ("questions", 1)
    assert (resumed["waits_for"], resumed["questions"]) == ("go_on", [])
    assert done["waits_for"] == "finding_selection"


def test_rejected_draft_is_asked_again_with_what_would_pass(talk, reader):
    save_consent(allowed=True)

    async def work(session):
        standing = await begun(session)
        ids = standing["ask"]["options"][0]["ids"]
        return await session.call("fixes", run=standing["run"], findings=ids)

    standing = talk(work)
    assert standing["waits_for"] == "fix_selection"
    assert "(for every reader)" in standing["show"]
    assert reader.asked["draft"] == 2, "tried at once, and drafted again with the reason"


def test_rejected_reading_keeps_what_it_looked_up_and_looks_no_more(talk, reader, api, project):  # noqa: F811
    save_consent(allowed=True)
    subprocess.run(["git", "init", "-q"], cwd=project, check=True)
    (project / "tides.py").write_text("HIGH = 6\n")
    look, tools = "mcp__project__look", []

    def script(request):
        answer = reader.answer(said(request), schema_of(request))
        if "verdicts" in answer and "Your task is to refute them" not in said(request):
            tools.append(look in tools_of(request))
            if len(tools) == 1:
                return tool(look, paths=["tides.py"])
            answer["added"][0] |= {"looked_up": ["tides.py"]} | ({"quote": "No such words."} if len(tools) == 2 else {})
        return tool("StructuredOutput", **answer)

    api.script = script
    standing = talk(begun)
    assert tools == [True, True, False], "asked again, it only corrects its words"
    (found,) = [one for one in read_state(find_run_by_id(standing["run"])).issues if one.read_by]
    assert found.read_by.looked_up == ("tides.py",)


def test_author_only_finding_is_marked_and_the_cost_is_booked(talk, reader):
    save_consent(allowed=True)
    reader.quote = "name: plover"

    async def work(session):
        standing = await begun(session)
        await session.call("fixes", run=standing["run"], findings=[])
        return standing, (await session.call("report", run=standing["run"]))["path"]

    standing, report = talk(work)
    assert "in the frontmatter, which only you change" in standing["show"]
    (id,) = re.findall(r"\*\*(ISS-\d+)\*\*.*which only you change", standing["show"])
    assert all(id not in option["ids"] for option in standing["ask"]["options"])
    text = Path(report).read_text()
    assert "2 queries to Claude Agent SDK (claude-opus-5-5): 240 tokens" in text, text[text.find("## Verdicts") :][:300]


def test_unreachable_model_leaves_the_questions_to_agents(talk, api):  # noqa: F811
    save_consent(allowed=True)
    api.script = lambda request: Reply(status=401, error={"type": "authentication_error", "message": "no"})
    standing = talk(begun)
    assert (standing["waits_for"], len(standing["questions"])) == ("questions", 1)


def test_work_that_takes_longer_than_a_call_goes_on(talk, reader, api, monkeypatch):  # noqa: F811
    """Claude Code moves calls of two minutes to the background, so each returns earlier; no question is repeated."""
    save_consent(allowed=True)
    monkeypatch.setattr("orchestrator.servers.mcp.claude_code_model.MAX_CALL_SECONDS", 0.5)
    monkeypatch.setattr("orchestrator.servers.mcp.wait.MAX_CALL_SECONDS", 0.5)
    answer = api.script
    api.script = lambda request: Reply((answer(request),), delay=1.5)

    async def work(session):
        seen = [await begun(session)]
        while seen[-1]["waits_for"] == "answers":
            assert (seen[-1]["questions"], "start no agent" in seen[-1]["next"]) == ([], True)
            seen.append(await session.call("fixes", run=seen[0]["run"], wait=True))
        return seen

    seen = talk(work)
    assert len(seen) > 2
    assert seen[-1]["waits_for"] == "finding_selection"
    assert len(api.asked) == 2, "a reading and its refutation"


@pytest.mark.parametrize(("waits", "then"), [("questions", "answers"), ("go_on", "answers"), ("nothing", "nothing")])
def test_run_whose_work_has_not_ended_waits_for_answers(waits, then):
    """After the last answer, work may still be going on; the client must then call again."""
    marked = mark_being_answered(RunStatus("r", "skill", "/skill", waits, "next", questions=(OpenQuestion("q", "n"),)))
    assert (marked.waits_for, "start no agent" in marked.next) == (then, then == "answers")


def test_calls_return_before_claude_code_moves_them_to_the_background():
    assert MAX_CALL_SECONDS < 120
