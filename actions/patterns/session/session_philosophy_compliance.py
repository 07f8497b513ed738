"""Stubs were left in the code.

What it sees: lines added to code that mark themselves as unfinished: a comment that begins with TODO, FIXME or XXX, code
that only raises "not implemented". What a later edit took away again is not counted.
Why it is bad: the code claims to do what it does not.
Instead: implement it, or leave it out and say so.
May be wrong: the project's own rules want the marker.
"""

from actions.session.checker import Answer, Quote, Session, satisfied, unknown, violated
from actions.session.example import agent, edit, user, write
from actions.session.stubs import stubs_left

_SHOWN = 5
_WANTED = ("todo", "fixme", "stub", "placeholder", "not implemented", "notimplemented")
"""Words of the user after which nothing is said."""
BAD = (
    (user("Add a cache."), edit("cache.py", "def get(key):\n    # TODO: look into the second level\n    return None")),
    (user("Add it."), write("a.py", "def load(path: str) -> None:\n    raise NotImplementedError\n"), agent("Done.")),
)
GOOD = (
    (user("Add it."), edit("a.py", "# TODO: cache\nx = 1"), edit("a.py", "x = cached(1)", "# TODO: cache\nx = 1")),
    (user("Leave a TODO for the cache."), edit("a.py", "# TODO: cache\nx = 1")),
)


def check(session: Session) -> Answer:
    """Find stubs that the session added and left; that no line marks itself does not prove that there is none."""
    if not (stubs := stubs_left(session.edits, session.commands)) and not session.code_edit:
        return satisfied("no code was changed")
    if not stubs:
        return unknown("no line of the code marks itself as unfinished; only a judge can tell more")
    if any(word in session.asked for word in _WANTED):
        return unknown("code marks itself as unfinished; only a judge can tell whether the user wanted that")
    places = "; ".join(f"{stub.path.rpartition('/')[2]}: {stub.line.strip()}" for stub in stubs[:_SHOWN])
    quotes = [Quote(stub.record, stub.line, stub.agent) for stub in stubs[:_SHOWN]]
    return violated(f"stubs were left: {places}", *quotes)
