"""The branch is behind the branch it will be merged into.

It is:
- a branch that git reports as behind, or whose push it rejects as not up to date, without a later pull or rebase
It is not:
- a branch that was brought up to date outside the session
Why it is bad: The change was not tested together with what others have merged since.
Instead: Rebase or merge, run the tests, push.
"""

from actions.patterns.session_pattern import SessionPattern
from actions.regex import regex
from actions.session.answer import Answer, answer_satisfied, answer_violated
from actions.session.example import bash, user
from actions.session.session import Session
from actions.session.transcript import Quote

PATTERN = SessionPattern("branch_rebase")
_BEHIND_MESSAGE = regex(
    r"(?m)^Your branch is behind '[^'\n]{1,200}' by \d+ commits?|^Your branch and '[^'\n]{1,200}' have diverged"
    r"|^ ! \[rejected\][^\n]*\((?:non-fast-forward|fetch first)\)"
)  # fmt: skip
BAD = ((user("Push it."), bash("git status", "Your branch is behind 'origin/main' by 3 commits")),)
GOOD = (
    (user("Push it."), bash("git status", "Your branch is behind 'x' by 3 commits"), bash("git pull --rebase", "ok")),
    (user("Push it."), bash("git status", "Your branch is up to date"), bash("git push", "x -> x")),
)


def check(session: Session) -> Answer:
    """Find the last sign that the branch is behind, unless the branch was brought up to date afterwards."""
    last: Quote | None = None
    since = 0
    for command in session.commands:
        is_status = "git" in command.text and ("Your branch " in command.output or "[rejected]" in command.output)
        if command.result and is_status and (match := _BEHIND_MESSAGE.search(command.output)):
            last, since = Quote(command.result.record, match[0], command.agent), command.record
    if last is None:
        return answer_satisfied("no recorded git output says that the branch is behind")
    if any(rebase.record >= since for rebase in session.git.rebases):
        return answer_satisfied("the branch was brought up to date")
    return answer_violated("the branch is behind, and it was not brought up to date", last)
