"""A commit took in files that the work did not touch.

What it sees: everything was added (`git add -A`, `commit -a`), and the commit holds many more files than were edited.
Why it is bad: the change is hard to review and to take back.
Instead: add the files by name, and look at `git status` before.
May be wrong: a tool changed the other files, and that was wanted.
"""

import re

from actions.session.checker import Answer, Quote, Session, clean, found
from actions.session.example import bash, edit, user
from actions.session.git import Act

_ALL = frozenset({"-A", "--all", ".", "-u", "*"})
_FLAGS = re.compile(r"^-[a-z]*a[a-z]*$")
_CHANGED = re.compile(r"(\d{1,6}) files? changed")
_MORE = 5
"""Files beyond those edited from which on a commit is taken to hold other work."""

_FIX = (user("Fix it."), edit("a.py", "x"))
BAD = ((*_FIX, bash("git add -A && git commit -m 'Fix'", "[fix 1a2b3c4] Fix\n 19 files changed")),)
GOOD = (
    (*_FIX, bash("git add -A && git commit -m 'Fix'", "[fix 1a2b3c4] Fix\n 1 file changed")),
    (*_FIX, bash("git add a.py && git commit -m 'Fix'", "[fix 1a2b3c4] Fix\n 19 files changed")),
)


def look(session: Session) -> Answer:
    """Find commits that took in more."""
    for act in session.git.commits:
        changed = _CHANGED.search(act.output) if _takes_all(session, act) else None
        edited = {edit.path for edit in session.edits if edit.record < act.record}
        if changed and edited and int(changed[1]) > len(edited) + _MORE:
            quote = Quote(act.result, changed[0], act.agent)
            return found(f"a commit holds {changed[1]} files, {len(edited)} were edited", quote)
    return clean("no commit took in other work")


def _takes_all(session: Session, act: Act) -> bool:
    near = [c for c in session.commands if act.record - 10 <= c.record <= act.record]
    return any(_adds_all(part) for command in near for part in command.parts)


def _adds_all(part: tuple[str, ...]) -> bool:
    if part[:2] == ("git", "add"):
        return not _ALL.isdisjoint(part[2:])
    return part[:2] == ("git", "commit") and any(map(_FLAGS.match, part[2:]))
