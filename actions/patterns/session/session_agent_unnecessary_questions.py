"""The agent asked for leave where it could have gone on.

What it sees: an answer that ends with "Shall I …?" and a user who only says yes.
Why it is bad: each such question costs the user a wait.
Instead: go on with what was asked for; ask where the answer changes what is done.
May be wrong: the step was one to ask about. Questions on pushing, deleting, merging and the like are left out.
"""

import itertools
import re

from actions.session.checker import Answer, Quote, Session, clean, found
from actions.session.example import agent, edit, user
from actions.session.transcript import Kind, Message

_ASKS = re.compile(
    r"[^.!?\n]*\b(?:should I|shall I|would you like me to|do you want me to|want me to|may I|can I (?:proceed|continue|go)"
    r"|ready for me to)\b[^.!?\n]*\?", re.I
)  # fmt: skip
_YES = re.compile(
    r"(?:yes|y|yep|yeah|ok|okay|sure|go|go ahead|go on|continue|proceed|please do|do it|sounds good|correct|right)"
    r"(?:[ ,.!]+(?:please|continue|proceed|go ahead|go on|do it|do that))*[.! ]*", re.I
)  # fmt: skip
_RISKY = re.compile(
    r"\b(?:push|delet|remov|deploy|merg|forc|drop|commit|publish|releas|reset|overwrit|install|migrat|purchas|send|instead"
    r"|or\b)", re.I
)  # fmt: skip

BAD = (
    (user("Add the tests."), agent("I have a plan. Shall I proceed?"), user("yes"), edit("t.py", "x"), agent("Done.")),
)
GOOD = (
    (user("Clean up."), agent("Should I delete the old branch?"), user("yes"), agent("Deleted.")),
    (user("Add it."), agent("Should I use JSON or YAML?"), user("YAML, as elsewhere"), agent("Done.")),
)


def look(session: Session) -> Answer:
    """Find questions that were answered by a mere yes."""
    spoken = [m for m in session.transcript.messages if m.kind in (Kind.ANSWER, Kind.PROMPT)]
    quotes = [quote for one, other in itertools.pairwise(spoken) if (quote := _asked(one, other))]
    if quotes:
        return found(f"the agent asked for leave {len(quotes)} time(s) and was only told to go on", *quotes[:3])
    return clean("no question was answered by a mere yes")


def _asked(one: Message, other: Message) -> Quote | None:
    if one.kind is not Kind.ANSWER or other.kind is not Kind.PROMPT or len(other.text) > 60:
        return None
    if not _YES.fullmatch(other.text.strip()):
        return None
    question = _ASKS.search(one.text[-600:])
    return Quote(one.record, question[0]) if question and not _RISKY.search(question[0]) else None
