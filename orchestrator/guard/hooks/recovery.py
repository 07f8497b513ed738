"""Format the messages to the model after a compaction, and at the start of a new session."""

from orchestrator.guard.activity.temporal import format_session_duration, get_time_since_last_session
from orchestrator.guard.hooks.compaction import read_lost_memory
from orchestrator.guard.hooks.hook import Call
from orchestrator.guard.hooks.speech import build_template_values
from orchestrator.guard.sessions.artifacts import find_latest_artifacts
from orchestrator.guard.sessions.state import SessionState
from templates import render

MAX_TURNS, MAX_CHARACTERS = 4, 1500
"""Maximum number of recent turns in a message, and maximum length of each text."""


def format_recovery_message(call: Call, cycle: int) -> str:
    """Format the message after a compaction.

    It has the goal, the open todos, the recent turns, notes, and instructions that depend on AUTO_MODE.
    """
    memory = read_lost_memory(call)
    turns = [turn for turn in memory.turns if turn != memory.objective]
    return render(
        "hooks/recovery.md",
        **build_template_values(call),
        cycle=cycle,
        objective=_shorten(memory.objective.text) if memory.objective else "",
        todos=[_shorten(todo.text) for todo in memory.todos],
        turns=[_shorten(turn.text) for turn in turns[-MAX_TURNS:]],
        artifacts=find_latest_artifacts(call.config),
    ).strip()


def format_migration_message(call: Call, previous: str) -> str:
    """Format the message to a new session about the previous one."""
    since = get_time_since_last_session(call.session_id, call.now, call.root)
    return render(
        "hooks/migration.md",
        **build_template_values(call),
        previous=previous[:8],
        since=format_session_duration(since),
        todos=[_shorten(todo) for todo in SessionState.load(previous, root=call.root).pending_todos],
        artifacts=find_latest_artifacts(call.config),
    ).strip()


def _shorten(text: str) -> str:
    return text if len(text) <= MAX_CHARACTERS else f"{text[:MAX_CHARACTERS]}…"
