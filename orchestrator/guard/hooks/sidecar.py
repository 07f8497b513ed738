"""What one hook leaves for a later one of the same session: a small file beside the session's state."""

from pathlib import Path
from typing import Any

from orchestrator.guard.sessions.state import get_session_state_path, read_json_safely, write_json_safely


def write_sidecar(session_id: str, root: Path, **values: Any) -> bool:
    """Leave `values` for a later hook, in place of what lay there. Never raises: False when not written."""
    return write_json_safely(_path(session_id, root), values, sync=False)


def read_sidecar(session_id: str, root: Path) -> dict[str, Any]:
    """Give what an earlier hook left; {} when there is nothing."""
    return read_json_safely(_path(session_id, root))


def _path(session_id: str, root: Path) -> Path:
    return get_session_state_path(session_id, root).with_name("sidecar.json")
