"""Talk to the server as an agent does: answer its questions, choose in its dialogs, draft and review fixes."""

import re

from tests.scripted_api import build_smallest_answer

QUOTE = "Ask the harbour master before the count begins."


def make_addition(**fields):
    return {
        "pattern": "custom", "file": "SKILL.md", "quote": QUOTE, "problem": "The harbour master is never named.",
        "harm": "The count never begins.", "severity": "low", "looked_up": [], "from_knowledge": False,
        "explains_complaint": False, **fields,
    }  # fmt: skip


def get_runs_folder(project):
    return project / ".workflow" / "skill-tuning"


async def answer_questions(session, run, answers_by_name=None):
    """Answer the open questions, by `answers_by_name` if a key is a prefix of the question's name; return the names."""
    names = []
    for open_question in (await session.call("status", run=run))["questions"]:
        question = await session.call("question", run=run, id=open_question["id"])
        smallest_answer = build_smallest_answer(question["prompt"], question["schema"])
        value = next(
            (v for key, v in (answers_by_name or {}).items() if question["name"].startswith(key)), smallest_answer
        )
        value = value(question, smallest_answer) if callable(value) else value
        reply = await session.call("answer", run=run, id=question["id"], answer=value)
        assert reply["taken"], reply
        names.append(question["name"])
    return names


def draft_fix_for_master(question, smallest_answer):
    """Return a draft for the finding on the harbour master, and decline the others."""
    edit = {"file": "SKILL.md", "search": QUOTE, "replace": "Ask the harbour master on duty before the count begins."}
    drafts = [{**draft, "edits": [edit], "rewords": [QUOTE], "declined": ""} if is_about_master(question, draft) else draft
              for draft in smallest_answer["drafts"]]  # fmt: skip
    return {"drafts": drafts}


def is_about_master(question, draft):
    return "harbour master" in question["prompt"].partition(f"### {draft['faults'][0]}")[2].partition("\n### ")[0]


def approve_fixes(question, smallest_answer):
    """Return a review without objections to any fix."""
    fixes = question["prompt"].split("## Fix ")[1:]
    review = {"holds": True, "merge": True, "sound": True, "changes": False, "objections": []}
    return {"reviews": [{**review, "fix": number, "verdicts": [{"id": id, "gone": True, "reason": "So it is."}
            for id in re.findall(r"^(ISS-\d+) ", fix, re.MULTILINE)]} for number, fix in enumerate(fixes, 1)]}  # fmt: skip


async def answer_until_run_waits(session, run, answers_by_name=None):
    """Answer questions until the run waits for something else."""
    for _ in range(9):
        await answer_questions(session, run, answers_by_name)
        status = await session.call("fixes", run=run)
        if status["waits_for"] != "questions":
            return status
    raise AssertionError(status)


async def finish_run(session, status, answers_by_name=None, *, findings=True, fixes=True):
    """Choose all findings and fixes, or none of them, until the run has ended."""
    run = status["run"]
    while status["waits_for"] != "nothing":
        if status["waits_for"] == "questions":
            status = await answer_until_run_waits(session, run, answers_by_name)
        elif status["waits_for"] == "finding_selection":
            status = await session.call("fixes", run=run, findings=list_offered_ids(status) if findings else [])
        else:
            status = await session.call("apply", run=run, fixes=list_offered_ids(status) if fixes else [])
    return status


def list_offered_ids(status):
    """Return all ids that a dialog offers."""
    return list(dict.fromkeys(id for option in status["ask"]["options"] for id in option["ids"]))


async def count_claimed(session):
    status = await session.call("status")
    return status["open_questions"] - len(status["questions"])
