"""Talk to the server as an agent does: answer its questions, choose in its dialogs, draft and review fixes."""

import re

from tests.scripted_api import least_answer

QUOTE = "Ask the harbour master before the count begins."


def an_addition(**more):
    return {
        "pattern": "custom", "file": "SKILL.md", "quote": QUOTE, "problem": "The harbour master is never named.",
        "harm": "The count never begins.", "severity": "low", "looked_up": [], "from_knowledge": False,
        "explains_complaint": False, **more,
    }  # fmt: skip


def runs(project):
    return project / ".workflow" / "skill-tuning"


async def answered(session, run, given=None):
    """Answer the open questions, by `given` if a key is a prefix of the question's name; return the names."""
    names = []
    for one in (await session.call("status", run=run))["questions"]:
        asked = await session.call("question", run=run, id=one["id"])
        least = least_answer(asked["prompt"], asked["schema"])
        value = next((v for key, v in (given or {}).items() if asked["name"].startswith(key)), least)
        value = value(asked, least) if callable(value) else value
        taken = await session.call("answer", run=run, id=asked["id"], answer=value)
        assert taken["taken"], taken
        names.append(asked["name"])
    return names


def drafted(asked, least):
    """Return a draft for the finding on the harbour master, and decline the others."""
    edit = {"file": "SKILL.md", "search": QUOTE, "replace": "Ask the harbour master on duty before the count begins."}
    drafts = [{**draft, "edits": [edit], "rewords": [QUOTE], "declined": ""} if is_about_master(asked, draft) else draft
              for draft in least["drafts"]]  # fmt: skip
    return {"drafts": drafts}


def is_about_master(asked, draft):
    return "harbour master" in asked["prompt"].partition(f"### {draft['faults'][0]}")[2].partition("\n### ")[0]


def approved(asked, least):
    """Return a review without objections to any fix."""
    fixes = asked["prompt"].split("## Fix ")[1:]
    good = {"holds": True, "merge": True, "sound": True, "changes": False, "objections": []}
    return {"reviews": [{**good, "fix": number, "verdicts": [{"id": id, "gone": True, "reason": "So it is."}
            for id in re.findall(r"^(ISS-\d+) ", fix, re.MULTILINE)]} for number, fix in enumerate(fixes, 1)]}  # fmt: skip


async def finished_questions(session, run, given=None):
    """Answer questions until the run waits for something else."""
    for _ in range(9):
        await answered(session, run, given)
        standing = await session.call("fixes", run=run)
        if standing["waits_for"] != "questions":
            return standing
    raise AssertionError(standing)


async def ended(session, standing, given=None, *, findings=True, fixes=True):
    """Choose all findings and fixes, or none of them, until the run has ended."""
    run = standing["run"]
    while standing["waits_for"] != "nothing":
        if standing["waits_for"] == "questions":
            standing = await finished_questions(session, run, given)
        elif standing["waits_for"] == "finding_selection":
            standing = await session.call("fixes", run=run, findings=every(standing) if findings else [])
        else:
            standing = await session.call("apply", run=run, fixes=every(standing) if fixes else [])
    return standing


def every(standing):
    """Return all ids that a dialog offers."""
    return list(dict.fromkeys(id for option in standing["ask"]["options"] for id in option["ids"]))


async def count_claimed(session):
    standing = await session.call("status")
    return standing["open_questions"] - len(standing["questions"])
