"""Test the tool `look`, with which an agent looks up files of the project for its question."""

import subprocess

import pytest

from orchestrator.run.work_dirs import find_run_by_id
from orchestrator.servers.mcp.tool_calls import read_state
from tests.orchestrator.servers.mcp.conftest import nothing
from tests.orchestrator.servers.mcp.talks import an_addition, answered

pytestmark = pytest.mark.usefixtures("large")


@pytest.fixture
def repository(project):
    subprocess.run(["git", "init", "-q"], cwd=project, check=True)
    return project


def test_agent_looks_files_up_for_its_question(talk, repository):
    (repository / "tides.py").write_text("HIGH = 6\n")
    (repository / ".env").write_text("TOKEN=kingfisher\n")
    (repository / "link.md").symlink_to("/etc/passwd")

    async def work(session):
        begun = await session.call("diagnose", skill="plover")
        run, id = begun["run"], begun["questions"][0]["id"]
        asked = await session.call("question", run=run, id=id)
        given = {"run": run, "id": id, "token": asked["token"]}
        (shown,) = (await session.raw("look", **given, paths=["tides.py", ".env", "link.md", "../x"])).content
        assert "1| HIGH = 6" in shown.text
        assert shown.text.startswith("<<<DATA ")
        assert "kingfisher" not in shown.text
        assert shown.text.count("not shown: ") == 3
        (found,) = (await session.raw("look", **given, pattern="high =")).content
        assert "=== tides.py, 1 line with it" in found.text
        assert "wrong token" in await session.refused("look", **{**given, "token": "x"}, paths=["tides.py"])
        assert "give `paths` or `pattern`" in await session.refused("look", **given)
        own = an_addition(looked_up=["tides.py"])
        assert (await session.call("answer", **given, answer={**nothing(), "added": [own]}))["taken"]
        standing = await session.call("fixes", run=run, give_up=True)
        shown = "tides.py; refused: .env (it may hold secrets), link.md"
        assert any(shown in note for note in read_state(find_run_by_id(run)).notes)
        assert not any(shown in note for note in standing["notes"]), "the report has it"

    talk(work)


def test_file_that_changes_after_a_look_up_is_looked_up_again(talk, repository):
    tides = repository / "tides.py"
    tides.write_text("HIGH = 6\n")

    async def work(session):
        run = (await session.call("diagnose", skill="plover"))["run"]
        asked = await session.call("question", run=run)
        given = {"run": run, "id": asked["id"], "token": asked["token"]}
        await session.raw("look", **given, paths=["tides.py"])
        tides.write_text("HIGH = 7\n")
        value = {**nothing(), "added": [an_addition(looked_up=["tides.py"])]}
        wrong = (await session.call("answer", **given, answer=value))["wrong"]
        assert "has changed since it was looked up" in wrong
        assert wrong.endswith("look it up again")
        await session.raw("look", **given, paths=["tides.py"])
        assert (await session.call("answer", **given, answer=value))["taken"]

    talk(work)


def test_client_without_look_goes_on_and_is_told(talk, repository):
    (repository / "tides.py").write_text("HIGH = 6\n")

    async def work(session):
        run = (await session.call("diagnose", skill="plover"))["run"]
        asked = await session.call("question", run=run)
        assert "If you have no such\ntool, go on with the text alone" in asked["prompt"]
        await answered(session, run)
        standing = await session.call("fixes", run=run, give_up=True)
        (note,) = [note for note in standing["notes"] if "`look`" in note]
        assert "looked up no other files of the project" in note
        assert "update it with `tune-skill install`" in note

    talk(work)


def test_agent_of_a_project_is_read_with_look_ups(talk, repository):
    gull = repository / ".claude" / "agents" / "gull.md"
    gull.parent.mkdir(parents=True)
    gull.write_text("---\nname: gull\ndescription: Watches the sea.\n---\n\nAlways ask the risky first.\n")
    (repository / "tides.py").write_text("HIGH = 6\n")

    async def work(session):
        begun = await session.call("diagnose", skill=".claude/agents/gull.md")
        (one,) = begun["questions"]
        asked = await session.call("question", run=begun["run"], id=one["id"])
        given = {"run": begun["run"], "id": one["id"], "token": asked["token"]}
        (shown,) = (await session.raw("look", **given, paths=["tides.py"])).content
        assert "1| HIGH = 6" in shown.text
        own = an_addition(file=".claude/agents/gull.md", quote="Always ask the risky first.", looked_up=["tides.py"])
        assert (await session.call("answer", **given, answer={**nothing(), "added": [own]}))["taken"]
        standing = await session.call("fixes", run=begun["run"], give_up=True)
        (found,) = [line for line in standing["show"].splitlines() if line.endswith("(read)")]
        assert ".claude/agents/gull.md:6" in found

    talk(work)
