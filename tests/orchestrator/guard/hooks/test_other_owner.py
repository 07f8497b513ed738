"""Test what a user sees whose hooks record in the project folder of another user."""

import json
import os

import pytest

from orchestrator.guard.hooks import handle_session_start
from orchestrator.guard.hooks.dispatch import dispatch
from tests.orchestrator.guard.hooks.samples import SESSION


@pytest.fixture
def other_users_folder(project, monkeypatch):
    """Return a `.maceff` of the user who runs the tests, seen by another user who may not write there."""
    folder = project / ".maceff"
    folder.mkdir(mode=0o700, exist_ok=True)
    owner = folder.stat().st_uid
    monkeypatch.setattr(os, "geteuid", lambda: owner + 1)

    def deny(*_):
        raise PermissionError(13, "Permission denied", str(folder))

    monkeypatch.setattr(handle_session_start, "load_agent_state", deny)
    return folder


def test_session_start_says_whose_folder_it_cannot_use(other_users_folder):
    answer = dispatch("SessionStart", json.dumps({"session_id": SESSION, "source": "startup"}), testing=False)
    assert answer["continue"] is True
    assert answer["systemMessage"].startswith("tune-skill does not record this session: ")
    assert f"{other_users_folder} belongs to " in answer["systemMessage"]
