"""Know the folders that tune-skill creates, and say which of them belong to another user."""

import os
import pwd
import stat
from contextlib import suppress
from pathlib import Path

_OWN_FOLDERS = ((".workflow",), (".maceff",), (".claude", "runtime"), ("runtime", "power-steering"))
"""The last parts of the paths of tune-skill's folders in a project. A clone may have them without a .gitignore."""

_BY_OTHERS = stat.S_IWGRP | stat.S_IWOTH
"""The permissions of others to write. A folder gets the first with umask 002, the default of some systems."""


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


def describe_stranger(folder: Path) -> str:
    """Return which other user owns a folder, or the link in its place, or "" if none does.

    A missing folder belongs to nobody.
    """
    for read_info in (folder.lstat, folder.stat):
        with suppress(OSError):
            owner = read_info().st_uid
            if owner != os.geteuid():
                return f"{folder} belongs to {_find_user_name(owner)}"
    return ""


def close_to_others(folder: Path) -> None:
    """Take from all other users the permission to write to a folder of this user, if they have it.

    The target of a link is left as it is: the user chose that folder, and may share it.
    """
    with suppress(OSError):
        fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
        try:
            info = os.fstat(fd)
            mode = stat.S_IMODE(info.st_mode)
            if info.st_uid == os.geteuid() and mode & _BY_OTHERS:
                os.fchmod(fd, mode & ~_BY_OTHERS)
        finally:
            os.close(fd)


def _find_user_name(uid: int) -> str:
    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return f"user {uid}"
