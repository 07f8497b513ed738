"""Find the folders of a project and of its sessions."""

import os
import stat
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from orchestrator.fs import project_root
from orchestrator.guard.sessions.config import ProjectConfig, safe_id


def find_project_root(start: Path | None = None) -> Path:
    """Return the project root (see `orchestrator.fs.project_root`).

    start: the folder in which the search begins. The default is the working directory. Raises BadInput if the search
    begins in the working directory and this directory has been deleted.
    """
    return Path(project_root.find_project_root(str(start) if start else ""))


def data_dir(root: Path | None = None) -> Path:
    """Return the path of tune-skill's folder in a project. The folder does not have to exist."""
    return (root or find_project_root()) / project_root.FOLDER


def events_log_path() -> Path:
    """Return the path of this project's event log. MACF_EVENTS_LOG_PATH overrides it."""
    return Path(project_root.get_log_path())


def get_session_dir(
    session_id: str | None = None, agent_id: str | None = None, subdir: str | None = None, create: bool = True
) -> Path | None:
    """Return `/tmp/macf/{agent_id}/{session_id}/{subdir}/` (in TMPDIR if that is set).

    If `macf` there belongs to another user, `macf-UID` is used instead. create: whether to create the folder. Returns
    None if it cannot be created, does not exist, or belongs to another user.
    """
    names = (safe_id(session_id), *((safe_id(subdir),) if subdir else ()))
    return _find_own_folder(get_agent_dir(agent_id, create), names, create)


def get_agent_dir(agent_id: str | None = None, create: bool = True) -> Path | None:
    """Return the parent of an agent's session folders: see `get_session_dir`."""
    agent = safe_id(agent_id or ProjectConfig().agent_id)
    top = get_temporary_dir()
    return _find_own_folder(top.parent, (top.name, agent), create)


def get_temporary_dir() -> Path:
    """Return the path for this user's temporary folders. It may not exist, and another user may own it."""
    folder = Path(os.environ.get("TMPDIR") or "/tmp")
    shared = folder / "macf"
    return folder / f"macf-{os.geteuid()}" if os.path.lexists(shared) and not is_own(shared) else shared


def get_hooks_dir(session_id: str | None = None, agent_id: str | None = None, create: bool = True) -> Path | None:
    """Return the folder of a session's hook logs: see `get_session_dir`."""
    return get_session_dir(session_id, agent_id, "hooks", create)


def get_dev_scripts_dir(session_id: str | None = None, agent_id: str | None = None, create: bool = True) -> Path | None:
    """Return the folder for a session's temporary scripts: see `get_session_dir`."""
    return get_session_dir(session_id, agent_id, "dev_scripts", create)


def _find_own_folder(folder: Path | None, names: Iterable[str], create: bool) -> Path | None:
    for name in names:
        if folder is None or not _ensure_own(folder / name, create):
            return None
        folder = folder / name
    return folder


def _ensure_own(folder: Path, create: bool) -> bool:
    if create:
        with suppress(OSError):
            folder.mkdir(mode=0o700, exist_ok=True)
    return is_own(folder)


def is_own(folder: Path) -> bool:
    """Return whether a path is a folder that belongs to this user. A link does not count."""
    try:
        info = folder.lstat()
    except OSError:
        return False
    return stat.S_ISDIR(info.st_mode) and info.st_uid == os.geteuid()
