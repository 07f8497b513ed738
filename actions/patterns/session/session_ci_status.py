"""The CI is red, and the session ended.

What it sees: the last look at the checks of the pull request shows a failure, or nobody looked after a push.
Why it is bad: the change cannot be merged, and the author has gone.
Instead: wait for the checks, mend what fails, push again.
May be wrong: a check is red for a reason outside the change.
"""

from actions.session.checker import Answer, Quote, Session, clean, found, unknown
from actions.session.example import bash, edit, user

_PUSH = bash("git push", "  1a2b3c4..5d6e7f8  fix -> fix")
BAD = ((user("Open a PR."), _PUSH, bash("gh pr checks 7", "build  fail  1m2s")),)
GOOD = (
    (user("Open a PR."), _PUSH, bash("gh pr checks 7", "build  pass  1m2s")),
    (user("Fix it."), edit("a.py", "x")),
)


def look(session: Session) -> Answer:
    """Find a red CI."""
    quotes = [(look.passed, Quote(look.record, look.line)) for look in session.git.looks]
    told = [(passed, quote) for passed, quote in quotes if passed is not None]
    if told and not told[-1][0]:
        return found("the last look at the CI shows a failure", told[-1][1])
    if quotes:
        passed, quote = quotes[-1]
        return clean("the CI passed", quote) if passed else unknown("the CI was still running")
    requests = session.git.requests
    return unknown("nobody looked at the CI after the push") if requests else clean("no CI was to be looked at")
