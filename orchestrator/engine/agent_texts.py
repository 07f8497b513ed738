"""Find the text that an agent had in a session, because the transcript does not contain it."""

from collections.abc import Sequence
from datetime import UTC, datetime

from actions.history.agent_texts import add_agent_texts
from actions.session.transcript import Transcript
from orchestrator.engine.units import Unit
from orchestrator.guard.sessions.agent_texts import read_agent_text
from schemas.vocabulary import UnitKind
from templates.filters import counted


def add_texts(unit: Unit, sessions: Sequence[Transcript], notes: list[str]) -> tuple[Transcript, ...]:
    """Return the sessions of a unit. For an agent, return only those that ran it, with its text added.

    Sessions in which the text of the agent is unknown are left out, with a note on their number.
    """
    name = unit.case.unit.name
    if unit.case.skill.kind is not UnitKind.AGENT:
        return tuple(sessions)
    names = {name, name.rpartition(":")[2]}
    running = [s for s in sessions if any(call.get("subagent_type").rpartition(":")[2] in names for call in s.calls)]
    texts = [_find_text(unit, session) for session in running]
    if unknown := texts.count(None):
        notes.append(f"{name}: its text in {counted(unknown, 'session')} is unknown, because no hook recorded it")
    known = [(one, dict.fromkeys(names, text)) for one, text in zip(running, texts, strict=True) if text is not None]
    return tuple(add_agent_texts(session, by_name) for session, by_name in known)


def _find_text(unit: Unit, session: Transcript) -> str | None:
    """Return the text that a hook recorded, else the present one if the file is older than the session."""
    path = unit.case.unit.path
    recorded = read_agent_text(session.session_id, path, unit.root)
    if recorded is not None:
        return recorded
    changed = datetime.fromtimestamp((unit.root / path).stat().st_mtime, UTC).isoformat()
    return unit.case.skill.main.text if session.began and session.began >= changed[:19] else None
