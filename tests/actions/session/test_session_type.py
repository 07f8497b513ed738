"""Test the type of a session, which depends on its actions first and on the user's words second."""

import pytest

from actions.session.example import agent, bash, edit, use, user
from actions.session.session import Session
from actions.session.session_type import classify_session
from schemas.considerations import SessionType
from tests.examples import make_transcript

READ_CALL = use("Read", "x", file_path="a.py")


@pytest.mark.parametrize(
    ("kind", "parts"),
    [
        (SessionType.DEVELOPMENT, (user("How is it?"), edit("a.py", "x"))),
        (SessionType.DEVELOPMENT, (user("Run them."), bash("pytest", "1 passed in 0.1s"))),
        (SessionType.DEVELOPMENT, (user("Open it."), bash("gh pr create --fill", "https://host.example/o/r/pull/3"))),
        (SessionType.MAINTENANCE, (user("Tidy the docs."), edit("README.md", "x"))),
        (SessionType.OPERATIONS, (user("Restart it."), bash("docker compose restart"))),
        (SessionType.INVESTIGATION, (user("Investigate the leak."), READ_CALL)),
        (SessionType.INFORMATIONAL, (user("What does it do?"), READ_CALL)),
        (SessionType.INFORMATIONAL, (user("Explain async to me, please"), agent("It waits."))),
        (SessionType.SIMPLE, (user("hi"), agent("Hello."))),
        (SessionType.SIMPLE, (user("sync the workspace"), agent("Done."))),
        (SessionType.DEVELOPMENT, (user("Implement login."), agent("It is there."))),
    ],
)
def test_session_has_a_type(kind, parts):
    assert classify_session(Session(make_transcript(*parts))) is kind


@pytest.mark.parametrize(
    "words", ["Clean up the parser and fetch main.", "Triage the backlog.", "Explain the roadmap?"]
)
def test_words_do_not_outweigh_actions(words):
    parts = (user(words), READ_CALL)
    assert classify_session(Session(make_transcript(*parts))) is SessionType.INFORMATIONAL
    assert classify_session(Session(make_transcript(*parts, edit("a.py", "x")))) is SessionType.DEVELOPMENT
