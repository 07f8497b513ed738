"""Find the project and its event log.

The recording hooks load this module at every tool call, so it imports nothing but os.
"""

import os

FOLDER = ".maceff"
NAME = "agent_events_log.jsonl"

_MARKS = (FOLDER, ".git", ".claude")
_SHARED = 0o1002
"""The mode of a folder that everyone may write into, each removing only their own files."""


def find_project_root(start: str = "") -> str:
    """Return CLAUDE_PROJECT_DIR, else the nearest folder from `start` upwards with a `.maceff`, `.git` or `.claude`.

    The home folder does not count, because its `.claude` is the user's; nor does a folder that everyone may write into
    (`/tmp`). Without such a folder it is `start`, by default the working directory. Raises BadInput if that is deleted.
    """
    named = os.environ.get("CLAUDE_PROJECT_DIR", "")
    if not start and named.startswith("/"):
        return named
    start = start or _working_directory()
    home, folder = os.environ.get("HOME", ""), start
    while folder != "/":
        is_marked = any(os.path.exists(f"{folder}/{mark}") for mark in _MARKS)  # noqa: PTH110
        if is_marked and folder != home and os.stat(folder).st_mode & _SHARED != _SHARED:  # noqa: PTH116
            return folder
        folder = os.path.dirname(folder) or "/"  # noqa: PTH120
    return start


def log_path() -> str:
    """Return the path of this project's event log; MACF_EVENTS_LOG_PATH overrides it."""
    return os.environ.get("MACF_EVENTS_LOG_PATH") or f"{find_project_root()}/{FOLDER}/{NAME}"


def _working_directory() -> str:
    try:
        return os.getcwd()  # noqa: PTH109 - no pathlib here
    except FileNotFoundError as error:
        from orchestrator.errors import BadInput

        raise BadInput("the current folder no longer exists; change to another folder") from error
