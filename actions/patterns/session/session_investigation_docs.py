"""An investigation left nothing to read.

What it sees: much was read and searched, nothing was written, and the last answer is short.
Why it is bad: what was learned is lost with the session.
Instead: write down what was found, where, and how sure it is.
May be wrong: the answer is short because the question was.
"""

from actions.session.checker import Answer, Session, clean, found
from actions.session.example import agent, use, user

_MUCH, _SHORT = 12, 300
"""Looks from which on a session is an investigation; characters below which an answer is short."""

_LOOKS = frozenset({"Read", "Grep", "Glob", "LS", "WebFetch", "WebSearch"})

_READ = tuple(use("Read", "x", file_path=f"{n}.py") for n in range(_MUCH))
BAD = ((user("Why is it slow?"), *_READ, agent("The cache is cold.")),)
GOOD = (
    (user("Why is it slow?"), *_READ, agent("In a.py, line 4: " * 20)),
    (user("Where is it?"), use("Grep", "a.py", pattern="x"), agent("In a.py.")),
)


def look(session: Session) -> Answer:
    """Find investigations without a record."""
    looks = sum(call.name in _LOOKS for call in session.transcript.calls)
    if looks < _MUCH or session.edits:
        return clean("the session is no investigation" if looks < _MUCH else "something was written")
    if len(session.last_answer.quote) >= _SHORT:
        return clean("the last answer reports what was found", session.last_answer)
    return found(f"{looks} looks, nothing written and a last answer of a few words", session.last_answer)
