"""The session ended before what the user asked for was reached.

What it sees: a last turn that the user interrupted, an API error as the last word, or last words in which the
assistant itself says that it did not finish.
Why it is bad: the user leaves with less than was asked for.
Instead: finish, or say what is missing and why before anything else.
May be wrong: the user stopped because the result was good enough.
"""

import re

from actions.session.checker import Answer, Quote, Session, clean, found, unknown
from actions.session.example import agent, bash, user
from actions.session.transcript import Kind
from actions.session.words import lines_with

_UNFINISHED = re.compile(
    r"\bI(?: was|'m| am|'ve been| have been)? (?:not able|unable) to (?:complete|finish|fix|resolve|implement|get)\b"
    r"|\bI (?:could not|couldn't|can't|cannot|didn't|did not) (?:complete|finish|fix|resolve|implement|get)\b"
    r"|\b(?:is|are|remains?) (?:still )?(?:incomplete|unfinished|unresolved|only partially \w+)\b"
    r"|\b(?:ran|running|run) out of (?:time|context|tokens)\b"
    r"|^(?:\W{0,4})(?:not (?:yet )?(?:done|implemented|finished|completed)|unfinished)\b", re.I | re.M
)  # fmt: skip

_HINTS = ("able to", "could n", "couldn't", "can't", "cannot", "didn't", "did not", "complete", "nfinished", "nresolved",
          "partially", "out of", "ot yet", "ot done", "ot implemented", "ot finished")  # fmt: skip

BAD = (
    (user("Make the build green."), bash("make", "Exit code 1", error=True), agent("I was unable to fix the build.")),
    (user("Port it to Go."), bash("ls"), user("[Request interrupted by user]")),
)
GOOD = (
    (user("Make the build green."), bash("make", "ok"), agent("It is green. No test is left unfinished business.")),
    (user("Port it."), bash("ls"), user("[Request interrupted by user]"), user("Only the core."), agent("Ported.")),
)


def look(session: Session) -> Answer:
    """Find an end before the goal."""
    transcript = session.transcript
    asked = [m.record for m in transcript.messages if m.kind is Kind.PROMPT or m.text.startswith("<command-")]
    if not asked:
        return clean("the user asked for nothing")
    if session.interrupted:
        return found("the user interrupted the last turn", session.interrupted)
    if transcript.messages[-1].kind is Kind.ERROR:
        last = transcript.messages[-1]
        return found("the session ends with an API error", Quote(last.record, last.text.split("\n")[0]))
    if not session.last_answer.quote or asked[-1] > session.last_answer.record:
        return unknown("the last turn has no answer yet")
    said = [line for line in lines_with(session.last_answer.quote, _HINTS) if _UNFINISHED.search(line)]
    if said:
        return found("the assistant says that it did not finish", Quote(session.last_answer.record, said[0]))
    return clean("the last turn ends with an answer")
