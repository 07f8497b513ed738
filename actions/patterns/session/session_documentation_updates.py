"""Something new for users was added, and no documentation says so.

What it sees: edits that add commands, options or routes, and no edit of a documentation file.
Why it is bad: users learn of it only from the code.
Instead: mention it where users look: README, docs, the changelog, the help text.
May be wrong: the new thing is internal, or its documentation is generated.
"""

from actions.session.checker import Answer, Quote, Session, clean, found
from actions.session.edits import kind_of
from actions.session.example import agent, edit, user, write

BAD = ((user("Add a --json option."), edit("cli.py", '    parser.add_argument("--json")'), agent("Added.")),)
GOOD = (
    (user("Add a --json option."), edit("cli.py", 'parser.add_argument("--json")'), edit("README.md", "`--json`")),
    (user("Fix it."), write("core.py", "def f(a):\n    return cache.get(a)\n")),
)


def look(session: Session) -> Answer:
    """Find undocumented additions."""
    if any(kind_of(edit.path) == "docs" for edit in session.edits):
        return clean("documentation was edited")
    new = session.surfaces
    if not new:
        return clean("nothing new for users was added")
    return found("something new for users is not documented", *(Quote(s.record, s.line, s.agent) for s in new[:3]))
