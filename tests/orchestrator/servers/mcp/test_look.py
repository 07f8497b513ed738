"""Test the tool `look`, with which an agent looks up files of the project for its question."""

import subprocess

import pytest

from orchestrator.run.work_dirs import find_run_by_id
from orchestrator.servers.mcp.tool_calls import read_state
from tests.orchestrator.servers.mcp.conftest import make_empty_answer
from tests.orchestrator.servers.mcp.talks import answer_questions, make_addition

pytestmark = pytest.mark.usefixtures("skill_read_in_parts")


@pytest.fixture
def repository(project):
    subprocess.run(["git", "init", "-q"], cwd=project, check=True)
    return project


def test_agent_looks_files_up_for_its_question(run_with_server, repository):
    (repository / "tides.py").write_text("HIGH = 6\n")
    (repository / ".env").write_text("TOKEN=kingfisher\n")
    (repository / "link.md").symlink_to("/etc/passwd")

    async def work(session):
        status = await session.call("diagnose", skill="plover")
        run, id = status["run"], status["questions"][0]["id"]
        question = await session.call("question", run=run, id=id)
        question_keys = {"run": run, "id": id, "token": question["token"]}
        (looked_up_text,) = (
            await session.call_raw("look", **question_keys, paths=["tides.py", ".env", "link.md", "../x"])
        ).content
        assert "1| HIGH = 6" in looked_up_text.text
        assert looked_up_text.text.startswith("<<<DATA ")
        assert "kingfisher" not in looked_up_text.text
        assert looked_up_text.text.count("not shown: ") == 3
        (matches,) = (await session.call_raw("look", **question_keys, pattern="high =")).content
        assert "=== tides.py, 1 line with it" in matches.text
        assert "wrong token" in await session.call_refused(
            "look", **{**question_keys, "token": "x"}, paths=["tides.py"]
        )
        assert "give `paths` or `pattern`" in await session.call_refused("look", **question_keys)
        addition = make_addition(looked_up=["tides.py"])
        assert (await session.call("answer", **question_keys, answer={**make_empty_answer(), "added": [addition]}))[
            "taken"
        ]
        status_after_give_up = await session.call("fixes", run=run, give_up=True)
        looked_up_text = "tides.py; refused: .env (it may hold secrets), link.md"
        assert any(looked_up_text in note for note in read_state(find_run_by_id(run)).notes)
        assert not any(looked_up_text in note for note in status_after_give_up["notes"]), (
            "the look-ups belong in the report, not in the status"
        )

    run_with_server(work)


def test_file_that_changes_after_a_look_up_is_looked_up_again(run_with_server, repository):
    tides = repository / "tides.py"
    tides.write_text("HIGH = 6\n")

    async def work(session):
        run = (await session.call("diagnose", skill="plover"))["run"]
        question = await session.call("question", run=run)
        question_keys = {"run": run, "id": question["id"], "token": question["token"]}
        await session.call_raw("look", **question_keys, paths=["tides.py"])
        tides.write_text("HIGH = 7\n")
        value = {**make_empty_answer(), "added": [make_addition(looked_up=["tides.py"])]}
        correction = (await session.call("answer", **question_keys, answer=value))["wrong"]
        assert "has changed since it was looked up" in correction
        assert correction.endswith("look it up again")
        await session.call_raw("look", **question_keys, paths=["tides.py"])
        assert (await session.call("answer", **question_keys, answer=value))["taken"]

    run_with_server(work)


def test_client_without_look_gets_a_note_and_continues(run_with_server, repository):
    (repository / "tides.py").write_text("HIGH = 6\n")

    async def work(session):
        run = (await session.call("diagnose", skill="plover"))["run"]
        question = await session.call("question", run=run)
        assert "If you have no such\ntool, go on with the text alone" in question["prompt"]
        await answer_questions(session, run)
        status_after_give_up = await session.call("fixes", run=run, give_up=True)
        (note,) = [note for note in status_after_give_up["notes"] if "`look`" in note]
        assert "looked up no other files of the project" in note
        assert "update it with `tune-skill install`" in note

    run_with_server(work)


def test_agent_of_a_project_is_read_with_look_ups(run_with_server, repository):
    gull = repository / ".claude" / "agents" / "gull.md"
    gull.parent.mkdir(parents=True)
    gull.write_text("---\nname: gull\ndescription: Watches the sea.\n---\n\nAlways ask the risky first.\n")
    (repository / "tides.py").write_text("HIGH = 6\n")

    async def work(session):
        status = await session.call("diagnose", skill=".claude/agents/gull.md")
        (open_question,) = status["questions"]
        question = await session.call("question", run=status["run"], id=open_question["id"])
        question_keys = {"run": status["run"], "id": open_question["id"], "token": question["token"]}
        (looked_up_text,) = (await session.call_raw("look", **question_keys, paths=["tides.py"])).content
        assert "1| HIGH = 6" in looked_up_text.text
        addition = make_addition(
            file=".claude/agents/gull.md", quote="Always ask the risky first.", looked_up=["tides.py"]
        )
        assert (await session.call("answer", **question_keys, answer={**make_empty_answer(), "added": [addition]}))[
            "taken"
        ]
        status_after_give_up = await session.call("fixes", run=status["run"], give_up=True)
        (read_lines,) = [line for line in status_after_give_up["show"].splitlines() if line.endswith("(read)")]
        assert ".claude/agents/gull.md:6" in read_lines

    run_with_server(work)
