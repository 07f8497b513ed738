"""Find the project and its event log.

The recording hooks load this module at every tool call, so it imports nothing but os.
"""

import os

FOLDER = ".maceff"
NAME = "agent_events_log.jsonl"

REPOSITORY = (".git",)
"""The mark of a repository, where the search for settings and skills ends, as in Claude Code."""
_PROJECT_MARKS = (FOLDER, ".git", ".claude")
_STICKY_AND_WORLD_WRITABLE = 0o1002
"""Mode bits of a folder to which everyone may write, but where users may remove only their own files."""


def find_project_root(start: str = "") -> str:
    """Return CLAUDE_PROJECT_DIR, else the nearest folder from `start` upwards with a `.maceff`, `.git` or `.claude`.

    Without such a folder, return `start`, by default the working directory. Raises BadInput if that is deleted.
    """
    named = os.environ.get("CLAUDE_PROJECT_DIR", "")
    if not start and named.startswith("/"):
        return named
    start = start or get_working_directory()
    return find_marked_folder(start, _PROJECT_MARKS) or start


def find_marked_folder(start: str, marks: tuple[str, ...]) -> str:
    """Return the nearest folder from `start` (an absolute path) upwards that contains one of `marks`; "" if none does.
    The home folder is skipped, because its `.claude` is the user's; so are shared folders such as `/tmp`, where anyone
    can create a mark.
    """
    home, folder = os.environ.get("HOME", ""), start
    while folder != "/":
        is_marked = any(os.path.exists(f"{folder}/{mark}") for mark in marks)  # noqa: PTH110
        if is_marked and folder != home and not is_shared(folder):
            return folder
        folder = os.path.dirname(folder) or "/"  # noqa: PTH120
    return ""


def is_shared(folder: str) -> bool:
    """Return whether a folder is world-writable and sticky, like `/tmp`: its files may be another user's."""
    return os.stat(folder).st_mode & _STICKY_AND_WORLD_WRITABLE == _STICKY_AND_WORLD_WRITABLE  # noqa: PTH116


def get_log_path() -> str:
    """Return the path of this project's event log; MACF_EVENTS_LOG_PATH overrides it."""
    return os.environ.get("MACF_EVENTS_LOG_PATH") or f"{find_project_root()}/{FOLDER}/{NAME}"


def get_working_directory() -> str:
    """Return the working directory. Raises BadInput if it is deleted."""
    try:
        return os.getcwd()  # noqa: PTH109 - no pathlib here
    except FileNotFoundError as error:
        from orchestrator.errors import BadInput

        raise BadInput("the current folder no longer exists; change to another folder") from error
