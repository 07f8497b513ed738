"""What the model reads after a compaction, and in a session that follows another one."""

from orchestrator.guard.hooks.compaction import read_lost_memory
from orchestrator.guard.hooks.hook import Call
from orchestrator.guard.hooks.speech import template_values
from orchestrator.guard.sessions.artifacts import get_latest_consciousness_artifacts
from orchestrator.guard.sessions.state import SessionOperationalState
from orchestrator.guard.sessions.temporal import format_session_duration, get_time_since_last_session
from templates import render

TURNS_SHOWN, CHARACTERS = 4, 1500
"""How many of the last turns are given back, and how much of each text."""


def format_recovery_message(call: Call, cycle: int) -> str:
    """Give the recovery after a compaction: goal, open todos, last turns, artifacts; what to do, by AUTO_MODE."""
    memory = read_lost_memory(call)
    turns = [turn for turn in memory.turns if turn != memory.objective]
    return render(
        "hooks/recovery.md",
        **template_values(call),
        cycle=cycle,
        objective=_short(memory.objective.text) if memory.objective else "",
        todos=[_short(todo.text) for todo in memory.todos],
        turns=[_short(turn.text) for turn in turns[-TURNS_SHOWN:]],
        artifacts=get_latest_consciousness_artifacts(call.config),
    ).strip()


def format_migration_message(call: Call, previous: str) -> str:
    """Give what a new session should know of the one before."""
    since = get_time_since_last_session(call.session_id, call.now, call.root)
    return render(
        "hooks/migration.md",
        **template_values(call),
        previous=previous[:8],
        since=format_session_duration(since),
        todos=[_short(todo) for todo in SessionOperationalState.load(previous, root=call.root).pending_todos],
        artifacts=get_latest_consciousness_artifacts(call.config),
    ).strip()


def _short(text: str) -> str:
    return text if len(text) <= CHARACTERS else f"{text[:CHARACTERS]}…"
