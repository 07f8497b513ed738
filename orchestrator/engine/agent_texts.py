"""Find the definition that an agent had at the time of a session, which the transcript does not contain."""

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from actions.case import Case
from actions.history.agent_texts import add_agent_texts, runs_agent
from actions.session.transcript import Transcript
from orchestrator.guard.sessions.agent_texts import read_agent_text
from schemas.vocabulary import UnitKind
from templates.filters import counted


def add_texts(case: Case, root: Path, sessions: Sequence[Transcript], notes: list[str]) -> tuple[Transcript, ...]:
    """Return the sessions that are evidence for a unit of the project at `root`.

    For an agent, these are the sessions that ran it, with its text added. Sessions with an unknown text are left out
    and counted in a note.
    """
    name = case.unit.name
    if case.skill.kind is not UnitKind.AGENT:
        return tuple(sessions)
    agent_sessions = [session for session in sessions if runs_agent(session, name)]
    texts = [_find_text(case, root, session) for session in agent_sessions]
    if unknown := texts.count(None):
        notes.append(f"{name}: its text in {counted(unknown, 'session')} is unknown, because no hook recorded it")
    names = (name, name.rpartition(":")[2])
    known = ((session, text) for session, text in zip(agent_sessions, texts, strict=True) if text is not None)
    return tuple(add_agent_texts(session, dict.fromkeys(names, text)) for session, text in known)


def _find_text(case: Case, root: Path, session: Transcript) -> str | None:
    """Return the text of an agent at the time of a session, or None if it is unknown.

    It is the text that a hook recorded, else the current text if its file is older than the session.
    """
    path = case.unit.path
    recorded_text = read_agent_text(session.session_id, path, root)
    if recorded_text is not None:
        return recorded_text
    change_time = datetime.fromtimestamp((root / path).stat().st_mtime, UTC).isoformat()
    return case.skill.main.text if session.began and session.began >= change_time[:19] else None
