"""Work was committed straight to the main branch.

What it sees: a commit whose output names main or master, where the user did not ask for that branch.
Why it is bad: it skips review, and it is hard to take back once pushed.
Instead: make a branch, commit there, and open a pull request.
May be wrong: the project has one author and works on main.
"""

import re

from actions.session.checker import Answer, Quote, Session, clean, found
from actions.session.example import bash, edit, user

_WISH = re.compile(
    r"\b(?:commit|push|merge|work|stay)\w*\b[^.\n]{0,40}\b(?:to|on|into|directly to) (?:main|master)\b", re.I
)

_COMMIT = "git commit -am 'Fix'"
BAD = ((user("Fix it and commit."), edit("a.py", "x"), bash(_COMMIT, "[main 1a2b3c4] Fix\n 1 file changed")),)
GOOD = (
    (user("Fix it."), edit("a.py", "x"), bash(_COMMIT, "[fix/main-menu 1a2b3c4] Fix")),
    (user("Commit to main."), edit("a.py", "x"), bash(_COMMIT, "[main 1a2b3c4] Fix")),
)


def look(session: Session) -> Answer:
    """Find commits on main."""
    commits = session.git.commits
    on_main = [act for act in commits if act.branch in ("main", "master") and "(root-commit)" not in act.output]
    if not on_main:
        return clean("no commit was made on the main branch" if commits else "nothing was committed")
    if _WISH.search(session.asked):
        return clean("the user asked for a commit on the main branch")
    act = on_main[0]
    line = next(line for line in act.output.splitlines() if line.startswith(f"[{act.branch} "))
    return found(f"a commit was made on {act.branch}", Quote(act.result, line, act.agent))
