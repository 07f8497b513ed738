"""The CI is red, and the session ended.

What it sees: the last look at the checks of the pull request shows a failure, in gh's own columns, marks or JSON, and nothing
was pushed after it.
Why it is bad: the change cannot be merged, and the author has gone.
Instead: wait for the checks, fix what fails, push again.
May be wrong: a check is red for a reason outside the change.
"""

from actions.session.checker import Answer, Quote, Session, satisfied, unknown, violated
from actions.session.example import bash, edit, user

_PUSH = bash("git push", "  1a2b3c4..5d6e7f8  fix -> fix")
BAD = ((user("Open a PR."), _PUSH, bash("gh pr checks 7", "build\tfail\t1m2s\thttps://host.example/1")),)
GOOD = (
    (user("Open a PR."), _PUSH, bash("gh pr checks 7", "fail-fast-test\tpass\t1m2s\thttps://host.example/1")),
    (user("Fix it."), edit("a.py", "x")),
)


def check(session: Session) -> Answer:
    """Find a red CI."""
    if not session.git.looks:
        pushed = session.git.requests or session.git.pushes
        return unknown("nobody looked at the CI after the push") if pushed else satisfied("nothing was pushed")
    last = session.git.looks[-1]
    quote = Quote(last.record, last.line, last.agent)
    if any(act.record > last.record for act in (*session.git.pushes, *session.git.requests)):
        return unknown("nobody looked at the CI after the last push")
    if last.passed is None:
        return unknown("the last look at the CI does not show how it ended")
    return (
        satisfied("the CI passed", quote) if last.passed else violated("the last look at the CI shows a failure", quote)
    )
