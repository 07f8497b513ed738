"""Know the folders that tune-skill creates, and say which of them belong to another user."""

import os
import pwd
import stat
from contextlib import suppress
from pathlib import Path

_OWN_FOLDERS = ((".workflow",), (".maceff",), (".claude", "runtime"), ("runtime", "power-steering"))
"""The last parts of the paths of tune-skill's folders in a project. A clone may have them without a .gitignore."""


def is_own_folder(path: Path) -> bool:
    """Return whether a path ends like a folder that tune-skill creates in projects."""
    return path.parts[-1:] in _OWN_FOLDERS or path.parts[-2:] in _OWN_FOLDERS


def describe_other_owner(path: Path) -> str:
    """Return which folder of tune-skill at or above `path` belongs to another user and what to do, or "".

    These folders hold texts of sessions. Therefore each is private to the user who created it.
    """
    for folder in (path, *path.parents):
        with suppress(OSError):
            owner = folder.lstat().st_uid
            if is_own_folder(folder) and owner != os.geteuid():
                where = folder.absolute()
                return f"{where} belongs to {_find_user_name(owner)}, and only they can use it; work in your own clone"
    return ""


def describe_intruder(folder: Path) -> str:
    """Return how another user could write what is in a folder of this user, or "".

    A missing folder belongs to nobody. A group counts as other users unless it is the user's own.
    """
    try:
        link, info = folder.lstat(), folder.stat()
    except OSError:
        return ""
    strangers = {link.st_uid, info.st_uid} - {os.geteuid()}
    if strangers:
        return f"{folder} belongs to {_find_user_name(min(strangers))}"
    by_group = info.st_mode & stat.S_IWGRP and info.st_gid != os.getegid()
    return f"other users can write to {folder}" if by_group or info.st_mode & stat.S_IWOTH else ""


def _find_user_name(uid: int) -> str:
    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return f"user {uid}"
