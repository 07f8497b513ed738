"""A commit or push failed, and the work stayed where it was.

What it sees: a `git commit` or `git push` that git refused and that was not repeated with success. Whether all that the
user asked for was carried out is for a judge to read.
Why it is bad: the work is not where the user expects it.
Instead: fix what git or its hook complained of, and do it again.
May be wrong: the user took the rest over.
"""

from actions.session.checker import Answer, Quote, Session, satisfied, unknown, violated
from actions.session.example import agent, bash, edit, user

_REFUSED = bash("git push", " ! [rejected] fix -> fix (fetch first)\nerror: failed to push some refs", error=True)
BAD = ((user("Fix it, then push."), edit("a.py", "x"), _REFUSED, agent("Fixed.")),)
GOOD = ((user("Explain the commit message."), agent("It says what changed.")),)


def check(session: Session) -> Answer:
    """Find what git refused and what was not done after it."""
    git = session.git
    done = max((act.record for act in (*git.commits, *git.pushes)), default=-1)
    failed = [act for act in (*git.refused, *git.rejected) if act.record > done]
    if failed:
        last = max(failed)
        line = next((line for line in last.output.splitlines() if line.strip()), last.command.split("\n")[0])
        return violated("a commit or push failed and was not repeated", Quote(last.result, line, last.agent))
    if not session.edits and not git.commits:
        return satisfied("nothing was changed")
    return unknown("only a judge can tell whether all that was asked for was carried out")
