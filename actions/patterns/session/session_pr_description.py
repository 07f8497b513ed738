"""A pull request was opened without a description.

What it sees: `gh pr create` with an empty or very short body.
Why it is bad: reviewers must find out from the code what it is for.
Instead: say what changes, why, and how it was tested.
May be wrong: a template fills the body.
"""

from actions.session.checker import Answer, Quote, Session, clean, found
from actions.session.example import bash, user

_SHORT = 30
"""Characters below which a body says nothing."""

_BODY = "Sums were wrong for empty lists; see the new test."
BAD = ((user("Open a PR."), bash('gh pr create --title "Fix" --body ""', "https://host.example/o/r/pull/7")),)
GOOD = (
    (user("Open a PR."), bash(f'gh pr create --title "Fix" --body "{_BODY}"', "https://host.example/o/r/pull/7")),
    (user("Fix it."), bash("ls")),
)


def look(session: Session) -> Answer:
    """Find requests that say nothing."""
    requests = session.git.requests
    for act in requests:
        if not _is_described(act.command):
            return found("a pull request has no description", Quote(act.record, act.command.split("\n")[0], act.agent))
    return clean("every pull request has a description" if requests else "no pull request was opened")


def _is_described(command: str) -> bool:
    if "--body-file" in command or " -F " in command or "--template" in command or "<<" in command:
        return True
    for option in ("--body", "--description", " -b ", " -d "):
        _, given, rest = command.partition(option)
        if given:
            return len(rest.strip("= \"'\n")) >= _SHORT
    return "--fill" in command or "--web" in command
