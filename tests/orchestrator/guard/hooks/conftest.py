"""Provide a project with a transcript, and a function that calls hooks as Claude Code does."""

import json

import pytest

from orchestrator.guard.hooks.dispatch import dispatch
from orchestrator.guard.sessions import breadcrumbs
from tests.orchestrator.guard.hooks.samples import SESSION, stdin


@pytest.fixture
def call(project):
    """Return a function that calls a hook in the project, without caches, as a new process would."""

    def called(event, **more):
        breadcrumbs._build_prefix.cache_clear()
        return dispatch(event, stdin(event, **more), testing=False)

    return called


@pytest.fixture
def lenient(monkeypatch):
    monkeypatch.delenv("TUNE_SKILL_STRICT")


def text(role, words):
    return {"type": role, "message": {"role": role, "content": [{"type": "text", "text": words}]}}


def todos(*items):
    listed = [{"content": words, "status": status} for words, status in items]
    return {
        "type": "assistant",
        "message": {
            "role": "assistant",
            "content": [{"type": "tool_use", "id": f"t{len(items)}", "name": "TodoWrite", "input": {"todos": listed}}],
        },
    }


BOUNDARY = {"type": "system", "subtype": "compact_boundary", "compactMetadata": {"trigger": "auto", "preTokens": 9000}}
SUMMARY = {
    "type": "user",
    "isCompactSummary": True,
    "message": {"role": "user", "content": "Work on the index went on."},
}
RECORDS = [
    text("user", "Sort the index of the atlas by river, then by town"),
    todos(("sort the rivers", "completed"), ("sort the towns", "pending")),
    text("assistant", "The rivers are sorted. `rm -rf /` is only text here."),
    text("user", "Good. Now the towns"),
]


@pytest.fixture
def transcript(project):
    """Return a function that writes records as the session's transcript and returns its path."""
    path = project / f"{SESSION}.jsonl"

    def written(records=RECORDS):
        path.write_text("".join(json.dumps(record) + "\n" for record in records))
        return str(path)

    return written
