"""The branch is behind the one it goes into.

What it sees: git said that the branch is behind or refused a push as not up to date, and nothing was pulled after that.
Why it is bad: the change was not tested with what others did meanwhile.
Instead: rebase or merge, run the tests, push.
May be wrong: the branch was brought up to date elsewhere.
"""

from actions.regex import regex
from actions.session.checker import Answer, Quote, Session, satisfied, violated
from actions.session.example import bash, user

_BEHIND = regex(
    r"(?m)^Your branch is behind '[^'\n]{1,200}' by \d+ commits?|^Your branch and '[^'\n]{1,200}' have diverged"
    r"|^ ! \[rejected\][^\n]*\((?:non-fast-forward|fetch first)\)"
)  # fmt: skip
BAD = ((user("Push it."), bash("git status", "Your branch is behind 'origin/main' by 3 commits")),)
GOOD = (
    (user("Push it."), bash("git status", "Your branch is behind 'x' by 3 commits"), bash("git pull --rebase", "ok")),
    (user("Push it."), bash("git status", "Your branch is up to date"), bash("git push", "x -> x")),
)


def check(session: Session) -> Answer:
    """Find branches that are behind."""
    last: Quote | None = None
    for command in session.commands:
        told = "git" in command.text and ("Your branch " in command.output or "[rejected]" in command.output)
        if command.result and told and (match := _BEHIND.search(command.output)):
            last = Quote(command.result.record, match[0], command.agent)
    if last is None:
        return satisfied("git did not say that the branch is behind")
    if any(act.record >= last.record - 1 for act in session.git.rebases):
        return satisfied("the branch was brought up to date")
    return violated("the branch is behind, and nothing was pulled", last)
