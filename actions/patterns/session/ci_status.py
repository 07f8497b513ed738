"""The session ended although the CI was failing.

It is:
- a failure in the last output of gh or glab about the checks, with no push after it
It is not:
- a check that fails for a reason outside the change
Why it is bad: The change cannot be merged, and no one is working on it any more.
Instead: Wait for the checks, fix what fails, push again.
"""

from actions.patterns.session_pattern import SessionPattern
from actions.session.answer import Answer, answer_satisfied, answer_unknown, answer_violated
from actions.session.example import bash, edit, user
from actions.session.git import has_unknown_push
from actions.session.session import Session
from actions.session.transcript import Quote
from actions.session.unseen import find_unseen_pushes

PATTERN = SessionPattern("ci_status")
_PUSH = bash("git push", "  1a2b3c4..5d6e7f8  fix -> fix")
BAD = ((user("Open a PR."), _PUSH, bash("gh pr checks 7", "build\tfail\t1m2s\thttps://host.example/1")),)
GOOD = (
    (user("Open a PR."), _PUSH, bash("gh pr checks 7", "fail-fast-test\tpass\t1m2s\thttps://host.example/1")),
    (user("Fix it."), edit("a.py", "x")),
)


def check(session: Session) -> Answer:
    """Check whether the last CI status in the records is a failure."""
    if not session.git.ci:
        has_pushed = session.git.pull_requests or session.git.pushes or session.submissions
        if has_pushed or any(map(has_unknown_push, session.commands)):
            return answer_unknown("the CI was not checked after the push")
        reason = find_unseen_pushes(session)
        return answer_unknown(reason) if reason else answer_satisfied("no recorded command pushed anything")
    last = session.git.ci[-1]
    quote = Quote(last.record, last.line, last.agent)
    if any(push.record > last.record for push in (*session.git.pushes, *session.git.pull_requests)):
        return answer_unknown("the CI was not checked after the last push")
    if last.passed is None:
        return answer_unknown("the last CI output does not show the result")
    return (
        answer_satisfied("the CI passed", quote)
        if last.passed
        else answer_violated("the last CI output shows a failure", quote)
    )
