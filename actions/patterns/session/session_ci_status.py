"""The CI is red, and the session ended.

What it sees: the last look at the checks of the pull request shows a failure, or nobody looked after a push.
Why it is bad: the change cannot be merged, and the author has gone.
Instead: wait for the checks, mend what fails, push again.
May be wrong: a check is red for a reason outside the change.
"""

from actions.session.checker import Answer, Quote, Session, clean, found, unknown
from actions.session.example import bash, edit, user

BAD = (
    (
        user("Open a PR."),
        bash("git push", "  1a2b3c4..5d6e7f8  fix -> fix"),
        bash("gh pr checks 7", "build  fail  1m2s"),
    ),
)
GOOD = (
    (
        user("Open a PR."),
        bash("git push", "  1a2b3c4..5d6e7f8  fix -> fix"),
        bash("gh pr checks 7", "build  pass  1m2s"),
    ),
    (user("Fix it."), edit("a.py", "x")),
)


def look(session: Session) -> Answer:
    """Find a red CI."""
    git = session.git
    looks = [look for look in git.looks if look.passed is not None]
    if looks and not looks[-1].passed:
        return found("the last look at the CI shows a failure", Quote(looks[-1].record, looks[-1].line))
    if git.looks:
        last = git.looks[-1]
        return (
            clean("the CI passed", Quote(last.record, last.line))
            if last.passed
            else unknown("the CI was still running")
        )
    return unknown("nobody looked at the CI after the push") if git.requests else clean("no CI was to be looked at")
