"""A command that the user called did not start.

What it sees: a slash command that Claude Code did not know, or one after which the agent answered although neither its
text, nor an output of it, nor a call of it is in the record. Where the user speaks next, it is unknown.
Why it is bad: the agent works on without the instructions that the user meant.
Instead: call it again, or say that it is not there.
May be wrong: the command works without a text of its own.
"""

from collections.abc import Iterator

from actions.regex import regex
from actions.session.checker import Answer, Quote, Session, satisfied, unknown, violated
from actions.session.example import agent, user
from actions.session.transcript import Kind, Message

_UNKNOWN = regex(r"[Uu]nknown (?:slash )?(?:command|skill): ?/?[\w:.-]+")
_COMMAND = regex(r"<command-name>/?([\w:.-]+)</command-name>")
_TAGS = regex(r"(?s)<command-(\w+)>.*?</command-\1>")
_CALL = user("<command-name>/release</command-name>")
BAD = (
    (_CALL, user("<local-command-stdout>Unknown slash command: release</local-command-stdout>")),
    (_CALL, agent("I look at the repository.")),
)
GOOD = (
    (_CALL, user("Base directory for this skill: /s/release\n\n# Release"), agent("Done.")),
    (user("Fix the bug."), agent("Fixed.")),
)


def check(session: Session) -> Answer:
    """Find commands that were not known, or whose text never came."""
    called, unclear = list(_called(session)), ""
    for name, message, after in called:
        meta = [m.text for m in after if m.kind is Kind.META and "nknown " in m.text]
        said = next(filter(None, map(_UNKNOWN.search, meta)), None)
        if said:
            return violated("a command that the user called is not known", Quote(after[0].record, said[0]))
        if (after and after[0].kind is Kind.META) or _started(session, name, message):
            continue
        if after and after[0].kind is Kind.ANSWER:
            return violated(f"the command {name} was called and never started", Quote(message.record, name))
        unclear = name
    if unclear:
        return unknown(f"the record does not show whether the command {unclear} started")
    return satisfied("the commands that the user called were started" if called else "the user called no command")


def _called(session: Session) -> Iterator[tuple[str, Message, list[Message]]]:
    messages = session.transcript.messages
    for n, message in enumerate(messages):
        if message.kind is Kind.META and (match := _COMMAND.search(message.text)):
            yield match[1], message, list(messages[n + 1 : n + 3])


def _started(session: Session, name: str, message: Message) -> bool:
    """Whether its text stands in the same message, or the agent loaded it: by the Skill tool, or by reading its file."""
    if _TAGS.sub("", message.text).strip():
        return True
    last, calls = name.rpartition(":")[2], session.transcript.calls
    later = [call for call in calls if call.record > message.record]
    return any(last in call.get(key) for call in later for key in ("skill", "command", "file_path"))
