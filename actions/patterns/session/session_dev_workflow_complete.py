"""The development work stopped half-way.

What it sees: a commit, push or pull request that the user asked for and that did not come; a commit or push that
failed and was not repeated; planned steps that nobody began; a session that the user broke off.
Why it is bad: the work is not where the user expects it.
Instead: carry the workflow to its end, or say at which step it stands and why.
May be wrong: the user took the rest over.
"""

from actions.session.checker import Answer, Quote, Session, clean, found
from actions.session.example import agent, bash, edit, todos, user
from actions.session.words import asks_commit, asks_push, asks_request

BAD = (
    (user("Fix the bug and commit."), edit("a.py", "x = 1"), agent("Fixed.")),
    (user("Fix it, then push."), edit("a.py", "x"), bash("git push", "error: failed to push some refs", error=True)),
    (user("Go."), edit("a.py", "x"), todos(Write_it="completed", Run_the_checks="pending"), agent("Batch 1 is done.")),
)
GOOD = (
    (user("Fix the bug and commit."), edit("a.py", "x = 1"), bash("git commit -m 'fix'", "[fix-bug 1a2b3c4] fix")),
    (user("Fix it, but do not commit."), edit("a.py", "x = 1"), agent("Fixed.")),
    (user("Explain the commit message."), agent("It says what changed.")),
)


def look(session: Session) -> Answer:
    """Find what is missing at the end."""
    if session.interrupted:
        return found("the user broke the work off", session.interrupted)
    if missing := _asked(session):
        return missing
    git = session.git
    done = [act.record for act in (*git.commits, *git.pushes)]
    failed = [act for act in (*git.refused, *git.rejected) if not any(record > act.record for record in done)]
    if failed:
        last = failed[-1]
        line = next((line for line in last.output.splitlines() if line.strip()), last.command.split("\n")[0])
        return found("a commit or push failed and was not repeated", Quote(last.result, line, last.agent))
    waiting = [todo for todo in session.transcript.todos if todo.status == "pending"]
    if waiting:
        quotes = [Quote(todo.record, todo.subject or todo.id) for todo in waiting[:3]]
        return found(f"{len(waiting)} planned steps were not begun", *quotes)
    return clean("what was asked of the workflow was done")


def _asked(session: Session) -> Answer | None:
    git = session.git
    wishes = ((asks_commit, (*git.commits, *git.pushes), "commit"), (asks_push, git.pushes, "push"),
              (asks_request, git.requests, "pull request"))  # fmt: skip
    for prompt in session.transcript.prompts:
        for wish, acts, name in wishes:
            words = wish(prompt.text)
            if words and not acts and session.edits and not _delegated(session, name):
                return found(f"the user asked for a {name}, and none was made", Quote(prompt.record, words))
    return None


def _delegated(session: Session, name: str) -> bool:
    """Whether a sub-agent was told to do it."""
    calls = [call for call in session.transcript.calls if call.name in ("Task", "Agent", "Skill")]
    told = (f"{call.get('description')} {call.get('prompt')[:2000]} {call.get('skill')}" for call in calls)
    return any(name in text.lower() for text in told)
