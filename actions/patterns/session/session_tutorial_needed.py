"""A larger new feature came without an example of its use.

What it sees: several new commands, options or routes, and neither documentation nor an example was written.
Why it is bad: users do not find out how the parts work together.
Instead: write a short example from start to end.
May be wrong: the help text suffices.
"""

from actions.session.checker import Answer, Quote, Session, clean, found
from actions.session.edits import kind_of
from actions.session.example import agent, edit, user, write

_MANY = 4
"""New commands, options and routes from which on an example is expected."""

_OPTIONS = "".join(f'parser.add_argument("--{name}")\n' for name in ("in", "out", "from", "to"))

BAD = ((user("Add a converter."), write("cli/convert.py", _OPTIONS), agent("Added.")),)
GOOD = (
    (user("Add a converter."), write("cli/convert.py", _OPTIONS), write("docs/convert.md", "# How to convert")),
    (user("Add an option."), edit("cli.py", 'parser.add_argument("--json")')),
)


def look(session: Session) -> Answer:
    """Find features without an example."""
    new = session.surfaces
    if len(new) < _MANY:
        return clean("no larger feature was added")
    if any(kind_of(edit.path) == "docs" or "example" in edit.path.lower() for edit in session.edits):
        return clean("documentation or an example was written")
    first = Quote(new[0].record, new[0].line, new[0].agent)
    return found(f"{len(new)} new commands, options or routes came without an example", first)
