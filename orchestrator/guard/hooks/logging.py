"""Log the errors of hooks, one line each, in the session's temporary folder."""

import os
import time
from contextlib import suppress

from orchestrator.errors import BadInput, one_line
from orchestrator.fs.append_log import append_line
from orchestrator.fs.project_root import find_project_root
from orchestrator.guard.sessions.paths import get_agent_dir, get_hooks_dir, get_temporary_dir, is_own

NAME = "hooks.log"
_MAX_BYTES = 1_000_000
_TIME_LENGTH = len("2026-03-01T09:30:00Z")


def write_log_line(text: str, session_id: str | None = None) -> None:
    """Append a line to a session's hook log. Never raises, because there is no place to report an error."""
    with suppress(Exception):
        folder = get_hooks_dir(session_id)
        if folder:
            moment = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
            line = one_line(f"{moment} {_build_project_prefix()}{text}")[:2000].encode("utf-8", "replace")
            append_line(str(folder / NAME), line, _MAX_BYTES)


def read_recent_lines(limit: int) -> list[tuple[str, str]]:
    """Return the last `limit` lines that hooks of this project logged, as pairs of session id and line, newest last.

    Raises BadInput if hooks cannot log, because the folder belongs to another user.
    """
    agent = get_agent_dir(create=False)
    if agent is None and os.path.lexists(folder := get_temporary_dir()) and not is_own(folder):
        raise BadInput(
            f"{folder}: belongs to another user, so errors of hooks are not logged; set TMPDIR to a folder of yours"
        )
    prefix = f" {one_line(_build_project_prefix())} "
    found = [
        (path.parent.parent.name, line.replace(prefix, " ", 1))
        for path in (agent.glob(f"*/hooks/{NAME}") if agent else ())
        for line in path.read_text("utf-8", "replace").splitlines()
        if line[_TIME_LENGTH:].startswith(prefix)
    ]
    return sorted(found, key=lambda pair: pair[1])[-limit:]


def _build_project_prefix() -> str:
    """Return the prefix that names the project, because the logs of all projects of an agent are in one folder."""
    return f"[{find_project_root()}] "
