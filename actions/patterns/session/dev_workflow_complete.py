"""A commit or push failed and did not succeed later.

It is:
- a `git commit` or `git push` that git refused and that did not succeed later
It is not:
- work that the user finished
- a request that was only partly carried out: only a model can tell
Why it is bad: The work is not where the user expects it.
Instead: Fix what git or its hook reports, and repeat the command.
"""

from actions.patterns.session_pattern import SessionPattern
from actions.session.answer import Answer, answer_satisfied, answer_unknown, answer_violated
from actions.session.example import agent, bash, edit, user
from actions.session.session import Session
from actions.session.session_type import classify_session
from actions.session.transcript import Quote
from schemas.considerations import SessionType
from schemas.family import Family

PATTERN = SessionPattern("dev_workflow_complete", Family.AGENT)
_REFUSED = bash("git push", " ! [rejected] fix -> fix (fetch first)\nerror: failed to push some refs", error=True)
BAD = ((user("Fix it, then push."), edit("a.py", "x"), _REFUSED, agent("Fixed.")),)
GOOD = ((user("Explain the commit message."), agent("It says what changed.")),)


def check(session: Session) -> Answer:
    """Find commits and pushes that git refused and that did not succeed later."""
    git = session.git
    last_success = max((action.record for action in (*git.commits, *git.pushes)), default=-1)
    failed = [action for action in (*git.refused_commits, *git.rejected_pushes) if action.record > last_success]
    if failed:
        last = max(failed)
        line = next((line for line in last.output.splitlines() if line.strip()), last.command.split("\n")[0])
        return answer_violated(
            "a commit or push failed and was not repeated", Quote(last.result_record, line, last.agent)
        )
    if not session.edits and not git.commits and classify_session(session) is not SessionType.DEVELOPMENT:
        return answer_satisfied("the user asked for no change, and no change was made")
    return answer_unknown("only a judge can tell whether the whole request was carried out")
