"""The agent asked the user again and again.

It is:
- five or more calls of AskUserQuestion that did not fail
It is not:
- a question in prose: only a model can tell whether it was needed
- a session whose user wanted to be asked
- a session that loaded a skill or a command that mentions asking: only a model can tell whether it required the questions
Why it is bad: Each question makes the user wait.
Instead: Continue with what was asked for; ask only where the answer changes what is done.
"""

from collections.abc import Iterator

from actions.patterns.session_pattern import SessionPattern
from actions.regex import regex
from actions.session.answer import Answer, answer_satisfied, answer_unknown, answer_violated
from actions.session.example import agent, use, user
from actions.session.session import Session
from actions.session.transcript import Kind, Message, Quote, Transcript

PATTERN = SessionPattern("agent_unnecessary_questions")
_ASK = "AskUserQuestion"
_MIN_QUESTIONS = 5
"""Minimum number of questions that are too many for a session."""
_MAX_ENDING = 1_500
"""Number of last characters of an answer to search for a question."""
_ASKING_WORDS = regex(r"(?i)\b(?:ask(?:s|ed|ing)?|AskUserQuestion|questions?|interview(?:s|ed|ing)?)\b")
_CODE = regex(r"(?ms)^```.*?(?:^```|\Z)|`[^`\n]*`|^[ \t]*\|[^\n]*\|[ \t]*$")
_QUESTION = regex(r"[?？](?![\w=&/.])")
_ASKED = use(_ASK, "User has answered your questions: A", questions=[{"question": "A or B?"}])
BAD = ((user("Add the tests."), *[_ASKED] * _MIN_QUESTIONS, agent("Done.")),)
GOOD = ((user("Add the tests."), agent("Done.")),)


def check(session: Session) -> Answer:
    """Count the questions. The user never had to wait if no call asks a question and no answer ends with one."""
    questions = [
        call for call, result in session.transcript.steps if call.name == _ASK and not (result and result.is_error)
    ]
    if len(questions) >= _MIN_QUESTIONS and not _mentions_questions(session.transcript):
        return answer_violated(
            f"the user was asked {len(questions)} times",
            *(Quote(question.record, _ASK, question.agent) for question in questions[:3]),
        )
    if not questions and not any(
        _ends_with_question(message.text) for message in _list_final_answers(session.transcript)
    ):
        return answer_satisfied("the user was not asked")
    return answer_unknown("only a judge can tell whether a question was needed")


def _mentions_questions(transcript: Transcript) -> bool:
    """Return whether a text that Claude Code loaded, such as a skill, may tell the agent to ask questions."""
    return any(message.kind is Kind.META and _ASKING_WORDS.search(message.text) for message in transcript.messages)


def _ends_with_question(text: str) -> bool:
    """Return whether a question mark is near the end of an answer, outside code, tables and URLs."""
    return (
        _QUESTION.search(_CODE.sub("", text)[-_MAX_ENDING:] if "`" in text or "|" in text else text[-_MAX_ENDING:])
        is not None
    )


def _list_final_answers(transcript: Transcript) -> Iterator[Message]:
    """Yield the last answer before each user message, and the last answer of the session."""
    last: Message | None = None
    for message in transcript.messages:
        if message.kind is Kind.PROMPT and last is not None:
            yield last
        last = message if message.kind is Kind.ANSWER else None if message.kind is Kind.PROMPT else last
    if last is not None:
        yield last
