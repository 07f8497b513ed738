"""Pass values from one hook to a later hook of the same session, in `sidecar.json` next to the session's state."""

from pathlib import Path
from typing import Any

from orchestrator.guard.sessions.state import get_session_state_path, read_json_safely, write_json_safely


def write_sidecar(session_id: str, root: Path, **values: Any) -> bool:
    """Replace the values for a later hook. Returns False on failure, and never raises."""
    return write_json_safely(_get_path(session_id, root), values, sync=False)


def read_sidecar(session_id: str, root: Path) -> dict[str, Any]:
    """Return the values that an earlier hook saved. Returns {} if there are none."""
    return read_json_safely(_get_path(session_id, root))


def _get_path(session_id: str, root: Path) -> Path:
    return get_session_state_path(session_id, root).with_name("sidecar.json")
