"""A command that the user called did not start.

It is:
- a slash command that Claude Code did not know
- a slash command that the agent answered although the transcript has neither its instructions nor its output, nor a Skill call for it
It is not:
- a command followed by another message of the user: whether it started is unknown
- a built-in command, which loads no instructions
Why it is bad: The agent works without the instructions that the user wanted.
Instead: Call it again, or say that it does not exist.
"""

from collections.abc import Iterator

from actions.patterns.session_pattern import SessionPattern
from actions.regex import regex
from actions.session.answer import Answer, answer_satisfied, answer_unknown, answer_violated
from actions.session.example import agent, user
from actions.session.session import Session
from actions.session.transcript import Kind, Message, Quote
from schemas.family import Family

PATTERN = SessionPattern("workflow_invocation", Family.AGENT)
_UNKNOWN = regex(r"[Uu]nknown (?:slash )?(?:command|skill): ?/?[\w:.-]+")
_COMMAND = regex(r"<command-name>/?([\w:.-]+)</command-name>")
_TAGS = regex(r"(?s)<command-(\w+)>.*?</command-\1>")
_CALL = user("<command-name>/release</command-name>")
BAD = (
    (_CALL, user("<local-command-stdout>Unknown slash command: release</local-command-stdout>")),
    (_CALL, agent("Let me look at the repository.")),
)
GOOD = (
    (_CALL, user("Base directory for this skill: /s/release\n\n# Release"), agent("Done.")),
    (user("Fix the bug."), agent("Fixed.")),
)


def check(session: Session) -> Answer:
    """Find commands that were unknown or never started."""
    calls, unclear = list(_find_calls(session)), ""
    for name, message, after in calls:
        meta = [reply.text for reply in after if reply.kind is Kind.META and "nknown " in reply.text]
        unknown_command = next(filter(None, map(_UNKNOWN.search, meta)), None)
        if unknown_command:
            return answer_violated("the user called an unknown command", Quote(after[0].record, unknown_command[0]))
        if (after and after[0].kind is Kind.META) or _has_started(session, name, message):
            continue
        if after and after[0].kind is Kind.ANSWER:
            return answer_violated(f"the command {name} was called and never started", Quote(message.record, name))
        unclear = name
    if unclear:
        return answer_unknown(f"the record does not show whether the command {unclear} started")
    return answer_satisfied("the commands that the user called started" if calls else "the user called no command")


def _find_calls(session: Session) -> Iterator[tuple[str, Message, list[Message]]]:
    """Yield (name, message with the call, the next two messages) for each command that the user called."""
    messages = session.transcript.messages
    for index, message in enumerate(messages):
        if message.kind is Kind.META and (match := _COMMAND.search(message.text)):
            yield match[1], message, list(messages[index + 1 : index + 3])


def _has_started(session: Session, name: str, message: Message) -> bool:
    """Return whether the text of a command was loaded: in its message, by the Skill tool, or by a read of its file."""
    if _TAGS.sub("", message.text).strip():
        return True
    last, calls = name.rpartition(":")[2], session.transcript.calls
    later = [call for call in calls if call.record > message.record]
    return any(last in call.get(key) for call in later for key in ("skill", "command", "file_path"))
