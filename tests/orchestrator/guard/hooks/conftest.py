"""Provide a project with a transcript, and a function that calls hooks as Claude Code does."""

import json

import pytest

from orchestrator.guard.hooks.dispatch import dispatch
from orchestrator.guard.sessions import breadcrumbs
from tests.orchestrator.guard.hooks.samples import SESSION, make_stdin


@pytest.fixture
def call(project):
    """Return a function that calls a hook in the project, without caches, as a new process would."""

    def call_in_project(event, **fields):
        breadcrumbs._build_prefix.cache_clear()
        return dispatch(event, make_stdin(event, **fields), testing=False)

    return call_in_project


@pytest.fixture
def without_strict_mode(monkeypatch):
    monkeypatch.delenv("TUNE_SKILL_STRICT")


def make_message(role, content):
    return {"type": role, "message": {"role": role, "content": [{"type": "text", "text": content}]}}


def make_todo_call(*items):
    todo_items = [{"content": content, "status": status} for content, status in items]
    return {
        "type": "assistant",
        "message": {
            "role": "assistant",
            "content": [
                {"type": "tool_use", "id": f"t{len(items)}", "name": "TodoWrite", "input": {"todos": todo_items}}
            ],
        },
    }


BOUNDARY = {"type": "system", "subtype": "compact_boundary", "compactMetadata": {"trigger": "auto", "preTokens": 9000}}
SUMMARY = {
    "type": "user",
    "isCompactSummary": True,
    "message": {"role": "user", "content": "Work on the index went on."},
}
RECORDS = [
    make_message("user", "Sort the index of the atlas by river, then by town"),
    make_todo_call(("sort the rivers", "completed"), ("sort the towns", "pending")),
    make_message("assistant", "The rivers are sorted. `rm -rf /` is only text here."),
    make_message("user", "Good. Now the towns"),
]


@pytest.fixture
def write_transcript(project):
    """Return a function that writes records as the session's transcript and returns its path."""
    path = project / f"{SESSION}.jsonl"

    def write_records(records=RECORDS):
        path.write_text("".join(json.dumps(record) + "\n" for record in records))
        return str(path)

    return write_records


def list_tree(folder):
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))
