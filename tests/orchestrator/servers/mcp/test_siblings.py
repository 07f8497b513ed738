"""Test fixes that name another file with the same fault: this fault is offered too, and fixed there."""

import re
import subprocess

from tests.fakes import write_skill
from tests.orchestrator.servers.mcp.conftest import BODY, get_main_file, make_empty_answer
from tests.orchestrator.servers.mcp.talks import (
    QUOTE,
    answer_until_run_waits,
    approve_fixes,
    draft_fix_for_master,
    finish_run,
    make_addition,
)

SIBLING, ON_DUTY = "dunlin/SKILL.md", "harbour master on duty"


def draft_with_siblings(question, smallest_answer):
    """Draft the fix of the harbour master, and name the other skill and a file that does not exist."""
    drafts = draft_fix_for_master(question, smallest_answer)["drafts"]
    return {"drafts": [{**draft, "siblings": [SIBLING, "../../etc/passwd"]} for draft in drafts]}


async def report_fault_of_master(session, status):
    """Report the harbour master in the reading of a run, and continue to the choice of findings; return the choice."""
    question = await session.call("question", run=status["run"])
    question_keys = {"run": status["run"], "id": question["id"], "token": question["token"]}
    answer = {**make_empty_answer(), "added": [make_addition(file="SKILL.md")]}
    assert (await session.call("answer", **question_keys, answer=answer))["taken"]
    return question["prompt"], await answer_until_run_waits(session, status["run"])


def test_same_fault_in_another_file_is_offered_and_fixed_next(run_with_server, project):
    subprocess.run(["git", "init", "-q"], cwd=project, check=True)
    write_skill(project / "dunlin", BODY)
    own_file, other_file = get_main_file(project), project / SIBLING
    before = other_file.read_text()
    assert QUOTE in before

    async def work(session):
        _, status = await report_fault_of_master(session, await session.call("diagnose", skill="plover"))
        final_status = await finish_run(session, status, {"draft": draft_with_siblings, "review": approve_fixes})
        assert ON_DUTY in own_file.read_text()
        assert other_file.read_text() == before, "the other file was changed before the user chose it"
        offer = final_status["show"].partition("say “fix it there, too”")[2]
        (path, sentence), *further_siblings = re.findall(
            r"^- `(.+?)`: (.+)$", offer.partition("The full report")[0], re.MULTILINE
        )
        assert (path, further_siblings) == (SIBLING, [])

        next_status = await session.call("diagnose", skill=path, issue=sentence)
        assert next_status["run"] != final_status["run"]
        prompt, status = await report_fault_of_master(session, next_status)
        assert sentence in prompt, "the prompt names what to look for"
        await finish_run(session, status, {"draft": draft_fix_for_master, "review": approve_fixes})
        assert ON_DUTY in other_file.read_text()

        await session.call("rollback", run=final_status["run"], all=True)
        assert ON_DUTY not in own_file.read_text()
        assert ON_DUTY in other_file.read_text(), "the rollback of one run undid the other"

    run_with_server(work)
