"""Which session is meant, and where its transcript stands."""

import re
from pathlib import Path

from orchestrator.guard.sessions.cycles import load_agent_state
from orchestrator.guard.transcripts import projects_folder

_PREFIX = re.compile(r"[A-Za-z0-9_-]{4,128}")


def current_session_id(root: Path | None = None) -> str | None:
    """Give the id of the project's last session, as the hooks noted it; None when none was seen."""
    session: str | None = load_agent_state(root)["last_session_id"]
    return session


def find_transcript(session_id: str) -> Path | None:
    """Give the newest transcript of the session that an id, or the beginning of one, names."""
    if not _PREFIX.fullmatch(session_id):
        return None
    found = [path for path in projects_folder().glob(f"*/{session_id}*.jsonl") if path.is_file()]
    return max(found, key=lambda path: path.stat().st_mtime, default=None)
