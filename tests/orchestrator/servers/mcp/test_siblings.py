"""Test fixes that name another file with the same fault: this fault is offered too, and fixed there."""

import re
import subprocess

from tests.fakes import write_skill
from tests.orchestrator.servers.mcp.conftest import BODY, nothing, the_skill
from tests.orchestrator.servers.mcp.talks import (
    QUOTE,
    an_addition,
    approved,
    drafted,
    ended,
    finished_questions,
)

SIBLING, ON_DUTY = "dunlin/SKILL.md", "harbour master on duty"


def seen_there_too(asked, least):
    """Draft the fix of the harbour master, and name the other skill and a file that does not exist."""
    drafts = drafted(asked, least)["drafts"]
    return {"drafts": [{**draft, "siblings": [SIBLING, "../../etc/passwd"]} for draft in drafts]}


async def finds(session, standing):
    """Report the harbour master in the reading of a run, and continue to the choice of findings; return the choice."""
    asked = await session.call("question", run=standing["run"])
    given = {"run": standing["run"], "id": asked["id"], "token": asked["token"]}
    said = {**nothing(), "added": [an_addition(file="SKILL.md")]}
    assert (await session.call("answer", **given, answer=said))["taken"]
    return asked["prompt"], await finished_questions(session, standing["run"])


def test_same_fault_in_another_file_is_offered_and_fixed_next(talk, project):
    subprocess.run(["git", "init", "-q"], cwd=project, check=True)
    write_skill(project / "dunlin", BODY)
    mine, theirs = the_skill(project), project / SIBLING
    before = theirs.read_text()
    assert QUOTE in before

    async def work(session):
        _, standing = await finds(session, await session.call("diagnose", skill="plover"))
        done = await ended(session, standing, {"draft": seen_there_too, "review": approved})
        assert ON_DUTY in mine.read_text()
        assert theirs.read_text() == before, "it is only offered"
        offered = done["show"].partition("say “fix it there, too”")[2]
        (path, sentence), *more = re.findall(
            r"^- `(.+?)`: (.+)$", offered.partition("The full report")[0], re.MULTILINE
        )
        assert (path, more) == (SIBLING, [])

        begun = await session.call("diagnose", skill=path, issue=sentence)
        assert begun["run"] != done["run"]
        prompt, standing = await finds(session, begun)
        assert sentence in prompt, "the reader is told what to look for"
        await ended(session, standing, {"draft": drafted, "review": approved})
        assert ON_DUTY in theirs.read_text()

        await session.call("rollback", run=done["run"], all=True)
        assert ON_DUTY not in mine.read_text()
        assert ON_DUTY in theirs.read_text(), "each run is undone alone"

    talk(work)
