"""The session ended before what the user asked for was reached.

What it sees: a last turn that the user interrupted, or an API error as the last word. Whether a turn that ended with an
answer reached its goal is for a judge to read.
Why it is bad: the user leaves with less than was asked for.
Instead: finish, or say what is missing and why before anything else.
May be wrong: the user stopped because the result was good enough.
"""

from actions.session.checker import Answer, Quote, Session, clean, found, unknown
from actions.session.example import agent, bash, user
from actions.session.transcript import Kind

_ERROR = {"isApiErrorMessage": True, "message": {"role": "assistant", "content": "API Error: 529 Overloaded"}}
BAD = (
    (user("Make the build green."), bash("make", "ok"), _ERROR),
    (user("Port it to Go."), bash("ls"), user("[Request interrupted by user]")),
)
GOOD = (
    (user("Port it."), bash("ls"), user("[Request interrupted by user]"), user("Only the core."), agent("Ported.")),
)


def look(session: Session) -> Answer:
    """Find an end before the goal."""
    messages = session.transcript.messages
    if not any(m.kind is Kind.PROMPT or m.text.startswith("<command-") for m in messages):
        return clean("the user asked for nothing")
    last = messages[-1]
    quote = Quote(last.record, last.text.split("\n")[0])
    if last.kind is Kind.INTERRUPT:
        return found("the user interrupted the last turn", quote)
    if last.kind is Kind.ERROR:
        return found("the session ends with an API error", quote)
    return unknown("only a judge can tell whether what was asked for was reached")
