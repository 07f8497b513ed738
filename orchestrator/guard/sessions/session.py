"""Find the current session, and the transcript of a session."""

from pathlib import Path

from actions.regex import regex
from orchestrator.guard.sessions.cycles import load_agent_state
from orchestrator.guard.transcripts import get_projects_folder

_PREFIX = regex(r"[A-Za-z0-9_-]{4,128}")


def current_session_id(root: Path | None = None) -> str | None:
    """Return the id of the last session that the hooks recorded in the project, or None."""
    session: str | None = load_agent_state(root)["last_session_id"]
    return session


def find_transcript(session_id: str) -> Path | None:
    """Return the newest transcript of a session, given its id or a prefix of it, or None."""
    if not _PREFIX.fullmatch(session_id):
        return None
    found = [path for path in get_projects_folder().glob(f"*/{session_id}*.jsonl") if path.is_file()]
    return max(found, key=lambda path: path.stat().st_mtime, default=None)
