"""Where things of a project and of a session stand."""

import os
from collections.abc import Iterable
from pathlib import Path

from orchestrator.fs import project_root
from orchestrator.guard.sessions.config import ConsciousnessConfig, safe_id


def find_project_root(start: Path | None = None) -> Path:
    """Give the project: CLAUDE_PROJECT_DIR, else the nearest marked folder above `start` or the working directory.

    Raises BadInput when the working directory would tell and is gone.
    """
    return Path(project_root.find_project_root(str(start) if start else ""))


def data_dir(root: Path | None = None) -> Path:
    """Give the folder of ours in a project; it need not exist yet."""
    return (root or find_project_root()) / project_root.FOLDER


def events_log_path() -> Path:
    """Give the event log of this project; MACF_EVENTS_LOG_PATH overrides it."""
    return Path(project_root.log_path())


def get_session_dir(
    session_id: str | None = None, agent_id: str | None = None, subdir: str | None = None, create: bool = True
) -> Path | None:
    """Give `/tmp/macf/{agent_id}/{session_id}/{subdir}/` (TMPDIR in place of /tmp where it is set).

    None when it is not there and is not to be made, cannot be made, or belongs to someone else: the folder for
    temporary files is shared.
    """
    names = (safe_id(session_id), *((safe_id(subdir),) if subdir else ()))
    return _ours(get_agent_dir(agent_id, create), names, create)


def get_agent_dir(agent_id: str | None = None, create: bool = True) -> Path | None:
    """Give the folder above those of an agent's sessions: see `get_session_dir`."""
    agent = safe_id(agent_id or ConsciousnessConfig().agent_id)
    return _ours(Path(os.environ.get("TMPDIR") or "/tmp"), ("macf", agent), create)


def get_hooks_dir(session_id: str | None = None, agent_id: str | None = None, create: bool = True) -> Path | None:
    """Give the folder of a session's hook logs: see `get_session_dir`."""
    return get_session_dir(session_id, agent_id, "hooks", create)


def get_dev_scripts_dir(session_id: str | None = None, agent_id: str | None = None, create: bool = True) -> Path | None:
    """Give the folder of a session's throw-away scripts: see `get_session_dir`."""
    return get_session_dir(session_id, agent_id, "dev_scripts", create)


def _ours(folder: Path | None, names: Iterable[str], create: bool) -> Path | None:
    for name in names:
        if folder is None or not _is_ours(folder / name, create):
            return None
        folder = folder / name
    return folder


def _is_ours(folder: Path, create: bool) -> bool:
    try:
        if create:
            folder.mkdir(mode=0o700, exist_ok=True)
        info = folder.lstat()
    except OSError:
        return False
    return folder.is_dir() and not folder.is_symlink() and info.st_uid == os.geteuid()
