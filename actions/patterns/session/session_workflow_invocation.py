"""A workflow that the user called did not start.

What it sees: a slash command that was not known, or whose text never came.
Why it is bad: the agent works on without the instructions that the user meant.
Instead: call it again, or say that it is not there.
May be wrong: the command works without a text of its own.
"""

import re

from actions.session.checker import Answer, Quote, Session, clean, found
from actions.session.example import agent, user
from actions.session.transcript import Kind
from actions.session.words import line_with

_UNKNOWN = re.compile(r"\b[Uu]nknown (?:slash )?(?:command|skill)s?: ?/?[\w:-]+")
_COMMAND = re.compile(r"<command-name>/?([\w:.-]+)</command-name>")

_CALL = user("<command-name>/release</command-name>")
BAD = ((_CALL, user("<local-command-stdout>Unknown slash command: release</local-command-stdout>")),)
GOOD = (
    (_CALL, user("Base directory for this skill: /s/release\n\n# Release"), agent("Done.")),
    (user("Fix the bug."), agent("Fixed.")),
)


def look(session: Session) -> Answer:
    """Find commands that were not known."""
    for message in session.transcript.messages:
        if message.kind is Kind.META and "nknown" in message.text and (line := line_with(_UNKNOWN, message.text)):
            return found("a command that the user called is not known", Quote(message.record, line))
    called = any(message.kind is Kind.META and _COMMAND.search(message.text) for message in session.transcript.messages)
    return clean("the commands that the user called were known" if called else "the user called no workflow")
