"""Find the project and its event log.

The recording hooks load this module at every tool call, so it imports nothing but os.
"""

import os

FOLDER = ".maceff"
NAME = "agent_events_log.jsonl"

REPOSITORY = (".git",)
"""Marks the root of a repository, where the search for settings and skills ends, as in Claude Code."""
_PROJECT_MARKS = (FOLDER, ".git", ".claude")
_STICKY_AND_WORLD_WRITABLE = 0o1002
"""The mode bits of a folder like `/tmp`, in which everyone can create files but remove only their own."""
_GROUP_WRITABLE, _WORLD_WRITABLE = 0o020, 0o002


def find_project_root(start: str = "") -> str:
    """Return the root of the project: CLAUDE_PROJECT_DIR if set, else the nearest marked folder, else `start`.

    The search goes from `start` (default: the working directory) upwards to a folder with a `.maceff`, `.git` or
    `.claude`. Raises BadInput if the working directory was deleted.
    """
    configured_root = os.environ.get("CLAUDE_PROJECT_DIR", "")
    if not start and configured_root.startswith("/"):
        return configured_root
    start = start or get_working_directory()
    return find_marked_folder(start, _PROJECT_MARKS) or start


def find_marked_folder(start: str, marks: tuple[str, ...]) -> str:
    """Return the nearest folder from `start` (an absolute path) upwards that contains one of `marks`, or "".

    The home folder is skipped, because its `.claude` is the user's own. Folders such as `/tmp` are skipped, because
    another user could have created a mark there.
    """
    home, folder = os.environ.get("HOME", ""), start
    while folder != "/":
        is_marked = any(os.path.exists(f"{folder}/{mark}") for mark in marks)  # noqa: PTH110
        if is_marked and folder != home and not is_foreign(folder, start):
            return folder
        folder = os.path.dirname(folder) or "/"  # noqa: PTH120
    return ""


def is_foreign(folder: str, start: str) -> bool:
    """Return whether another user can write to `folder` but not to `start`, which is below it.

    Such a user could have written the contents of `folder`. A folder of root, or one that the user's own group can
    write to, counts as the user's own.
    """
    folder_status = os.stat(folder)  # noqa: PTH116
    try:
        start_status = os.stat(start)  # noqa: PTH116
    except OSError:  # a file that does not exist yet
        start_status = folder_status
    return may_be_changed_by_others(folder_status, start_status)


def may_be_changed_by_others(folder: os.stat_result, start: os.stat_result) -> bool:
    """Return whether a folder is foreign (see `is_foreign`), given its status and that of the start."""
    if folder.st_mode & _STICKY_AND_WORLD_WRITABLE == _STICKY_AND_WORLD_WRITABLE:
        return True
    by_all = folder.st_mode & _WORLD_WRITABLE and not start.st_mode & _WORLD_WRITABLE
    by_group = folder.st_mode & _GROUP_WRITABLE and folder.st_gid != os.getegid()
    is_same_group = start.st_mode & _GROUP_WRITABLE and start.st_gid == folder.st_gid
    return bool(by_all or (by_group and not is_same_group)) or folder.st_uid not in (0, os.geteuid(), start.st_uid)


def get_log_path() -> str:
    """Return the path of this project's event log. MACF_EVENTS_LOG_PATH overrides it."""
    return os.environ.get("MACF_EVENTS_LOG_PATH") or f"{find_project_root()}/{FOLDER}/{NAME}"


def get_working_directory() -> str:
    """Return the working directory. Raises BadInput if it was deleted."""
    try:
        return os.getcwd()  # noqa: PTH109 - no pathlib here
    except FileNotFoundError as error:
        from orchestrator.errors import BadInput

        raise BadInput("the current folder no longer exists; change to another folder") from error
