"""Open files in a project without following links, because a repository could contain a link to any file.

Links are allowed in the path to the project. Below the project, each part of the path is opened relative to its parent
folder and must not be a link. The last part must be a regular file. The recording hooks load this module, so it imports
only os, stat and errno.
"""

import errno
import os
import stat

TYPE_CHECKING = False  # avoids the import of `typing`
if TYPE_CHECKING:
    from collections.abc import Callable

OWN_FOLDERS = (".workflow", ".maceff", ".claude")
"""Folders that tune-skill writes to."""

MAX_BYTES = 64_000_000
"""Maximum size of tune-skill's own files, far above their real size."""
MAX_SMALL_BYTES = 1_000_000
"""Maximum size of settings and session states."""

_PROJECT_MARKS = (".git", *OWN_FOLDERS)
_FOLDER_FLAGS = os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC | getattr(os, "O_PATH", os.O_RDONLY)
_FILE_FLAGS = os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


def _can_access(path: str) -> bool:
    """Return whether a file or link exists, in a third of the time of `lexists`, which uses an exception."""
    try:
        return os.access(path, os.F_OK, follow_symlinks=False)
    except ValueError:  # a NUL character
        return False


_exists = _can_access if os.access in os.supports_follow_symlinks and _can_access("/") else os.path.lexists
"""`lexists` replaces `access` on C libraries that report every path as missing on an old kernel."""


def is_project(folder: str) -> bool:
    """Return whether a folder has an entry that marks a project."""
    return any(_exists(f"{folder}/{mark}") for mark in _PROJECT_MARKS)


def split_at_project(path: str, is_project: "Callable[[str], bool]" = is_project) -> tuple[str, list[str]]:
    """Split a path into a folder and the parts below it. Only the folder's own path may contain links.

    The parts begin at a folder whose name is in OWN_FOLDERS, otherwise below the outermost project. Outside projects
    there are no parts. The home folder is not a project, because its `.claude` is the user's own. Pass a cached
    `is_project` to split many paths.
    """
    full = path if path.startswith("/") else f"{os.getcwd()}/{path}"  # noqa: PTH109 - no pathlib here
    parts = [part for part in full.split("/") if part not in ("", ".")]
    folders = ["/" + "/".join(parts[:count]) for count in range(len(parts) + 1)]
    home = os.environ.get("HOME", "").rstrip("/")
    own_starts = (n for n, part in enumerate(parts) if part in OWN_FOLDERS and folders[n] != home)
    project_starts = (n for n in range(1, len(parts)) if folders[n] != home and is_project(folders[n]))
    start = next(own_starts, -1)
    if start < 0:  # checked last, because each folder takes four system calls
        start = next(project_starts, len(parts))
    return folders[start], parts[start:]


def find_link(path: str) -> str:
    """Return the part of a path up to the first symbolic link below a project, or ""."""
    base, names = split_at_project(path)
    steps = ("/".join((base.rstrip("/"), *names[:count])) for count in range(1, len(names) + 1))
    return next(filter(os.path.islink, steps), "")


def escapes_project(path: str) -> bool:
    """Return whether a path inside a project leads out of it through a symbolic link.

    Of nested projects, the outermost counts.
    """
    link, home = find_link(path), os.environ.get("HOME", "").rstrip("/")
    steps = link.split("/")
    parents = ("/".join(steps[:count]) for count in range(2, len(steps)))
    top = next((folder for folder in parents if folder != home and is_project(folder)), "")
    return bool(link and top) and not os.path.realpath(path).startswith(f"{os.path.realpath(top)}/")


def open_file(path: str, flags: int, mode: int = 0o600, is_project: "Callable[[str], bool]" = is_project) -> int:
    """Open a regular file and return its descriptor.

    Raises OSError like `os.open`, and for a link, pipe or device.
    """
    folder, name = open_parent(path, is_project)
    try:
        return open_file_in(folder, name, path, flags, mode)
    finally:
        os.close(folder)


def open_file_in(folder: int | None, name: str, path: str, flags: int, mode: int = 0o600) -> int:
    """Open the regular file `name` in an open folder, like `open_file`. `path` is its name in messages."""
    try:
        fd = os.open(name, flags | _FILE_FLAGS, mode, dir_fd=folder)
    except OSError as error:
        ensure_regular(folder, name, path)
        raise OSError(error.errno, error.strerror, path) from None
    if stat.S_ISREG(os.fstat(fd).st_mode):
        return fd
    os.close(fd)
    raise OSError(errno.EINVAL, "not a regular file", path)


def ensure_regular(folder: int | None, name: str, path: str) -> None:
    """Raise OSError if `name` in an open folder exists and is not a regular file."""
    try:
        kind = os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode
    except OSError:
        return
    if stat.S_ISLNK(kind):
        raise _build_link_error(path, path)
    if not stat.S_ISREG(kind):
        raise OSError(errno.EISDIR if stat.S_ISDIR(kind) else errno.EINVAL, "not a regular file", path)


def is_regular(path: str) -> bool:
    """Return whether `path` is a regular file and not a link."""
    try:
        return stat.S_ISREG(os.lstat(path).st_mode)
    except OSError:
        return False


def read(path: str, limit: int = MAX_BYTES, *, is_own: bool = False) -> bytes:
    """Return the content of a regular file. Raises OSError if it cannot be opened or has more than `limit` bytes.

    With `is_own`, PermissionError is raised for a file of another user.
    """
    folder, name = open_parent(path)
    try:
        return read_in(folder, name, path, limit, is_own=is_own)
    finally:
        os.close(folder)


def read_in(folder: int, name: str, path: str, limit: int = MAX_BYTES, *, is_own: bool = False) -> bytes:
    """Return the content of the file `name` in an open folder, like `read`. `path` is its name in messages."""
    with os.fdopen(open_file_in(folder, name, path, os.O_RDONLY), "rb") as file:
        info = os.fstat(file.fileno())
        if is_own and info.st_uid != os.geteuid():
            raise PermissionError(errno.EACCES, "belongs to another user", path)
        size = info.st_size
        data = file.read(min(size, limit) + 1)  # `limit` bytes would be allocated at once
        if size < len(data) <= limit:  # the file has grown, or its size is unknown
            data += file.read(limit + 1 - len(data))
    if max(size, len(data)) > limit:
        raise OSError(errno.EFBIG, f"larger than {limit:,} bytes", path)
    return data


def open_parent(path: str, is_project: "Callable[[str], bool]" = is_project) -> tuple[int, str]:
    """Open the parent folder of `path`. Returns its descriptor, and the last part of the path."""
    base, names = split_at_project(path, is_project)
    if not names:
        base, _, last = base.rpartition("/")
        names = [last]
    return _open_below(base or "/", names[:-1], path), names[-1]


def open_folder(path: str, *, make: bool = False) -> int:
    """Open a folder and return its descriptor.

    With `make`, a missing folder is created with mode 0700, and its missing parents with the default mode.
    """
    base, names = split_at_project(path)
    if make:
        os.makedirs(base, 0o777 if names else 0o700, exist_ok=True)  # noqa: PTH103
    return _open_below(base, names, "/".join((base.rstrip("/"), *names)), make=make)


def _open_below(base: str, names: list[str], path_in_errors: str, *, make: bool = False) -> int:
    """Open the folder `names` below `base` without following links. Raises OSError.

    With `make`, missing folders are created. `path_in_errors` is the path in error messages.
    """
    fd = os.open(base, _FOLDER_FLAGS & ~os.O_NOFOLLOW)
    for count, name in enumerate(names, 1):
        try:
            if make:
                _make_folder(name, fd, 0o700 if count == len(names) else 0o777)
            inner = os.open(name, _FOLDER_FLAGS, dir_fd=fd)
        except OSError as error:
            path = "/".join((base.rstrip("/"), *names[:count]))
            is_link = _is_link(name, fd)
            raise (
                _build_link_error(path, path_in_errors) if is_link else OSError(error.errno, error.strerror, path)
            ) from None
        finally:
            os.close(fd)
        fd = inner
    return fd


def _make_folder(name: str, fd: int, mode: int) -> None:
    try:
        os.mkdir(name, mode, dir_fd=fd)
    except FileExistsError:
        return


def _is_link(name: str, fd: int) -> bool:
    try:
        return stat.S_ISLNK(os.stat(name, dir_fd=fd, follow_symlinks=False).st_mode)
    except OSError:
        return False


def _build_link_error(link: str, path: str) -> OSError:
    """Build the error for a path that is a link or contains one."""
    subject = "it" if link == path else link
    return OSError(errno.ELOOP, f"{subject} is a link, and links are not followed here", path)
