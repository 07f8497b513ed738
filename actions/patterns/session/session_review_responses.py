"""Review comments were left without an answer.

What it sees: the user asked to address a review, and items of the list that speak of it are open, or nothing was done.
Why it is bad: the reviewer asks again.
Instead: change the code or answer, comment by comment, and resolve each thread.
May be wrong: the rest waits for the user's decision.
"""

import re

from actions.session.checker import Answer, Quote, Session, clean, found
from actions.session.example import agent, bash, edit, todos, user
from actions.session.transcript import Message
from actions.session.words import asks_review

_ABOUT = re.compile(r"\b(?:comments?|threads?|reviews?|feedback|reviewers?|batch)\b", re.I)
_ANSWERED = re.compile(
    r"\bgh (?:pr (?:comment|review)|api [^\n]*(?:comments|replies|reviewThread))|resolve[\w-]*thread", re.I
)

BAD = (
    (user("Address the review comments."), edit("a.py", "x"), todos(Answer_one="completed", Resolve_threads="pending")),
    (user("Please address the review."), agent("There are three comments.")),
)
GOOD = (
    (user("Address the review comments."), edit("a.py", "x"), bash("gh pr comment 7 --body 'Done'")),
    (user("Write a comment on the sum."), edit("a.py", "# adds")),
)


def look(session: Session) -> Answer:
    """Find comments without an answer."""
    asked = [message for message in session.transcript.messages if _asks(message)]
    if not asked:
        return clean("no review was to be answered")
    waiting = [todo for todo in session.transcript.todos if todo.open and _ABOUT.search(todo.subject)]
    if waiting:
        return found("review comments are open", *(Quote(todo.record, todo.subject or todo.id) for todo in waiting[:3]))
    if session.edits or any(_ANSWERED.search(command.text) for command in session.commands):
        return clean("the review was worked on")
    return found("the review was neither worked on nor answered", Quote(asked[-1].record, asks_review(asked[-1].text)))


def _asks(message: Message) -> bool:
    return (message.kind == "prompt" or "<command-name>" in message.text[:400]) and bool(asks_review(message.text))
