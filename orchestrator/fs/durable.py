"""Write files durably: at any moment, and after any kill, a file has either its old or its new content.

A write fills a temporary file in the same folder, syncs it, reads it back, renames it and syncs the folder. A file that
cannot be written in this way is not changed. A file keeps its owner, group and extended attributes as far as the system
allows. Other hard links to the file keep the old content. Links below a project are not followed (see `nofollow`).
"""

import errno
import json
import os
import re
import stat
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, TypeVar

from actions.regex import regex
from orchestrator.errors import TuneSkillError, WriteFailed, WriteUnsettled
from orchestrator.fs import nofollow
from orchestrator.fs.append_log import lock
from orchestrator.fs.ownership import describe_other_owner, describe_stranger, is_own_folder

T = TypeVar("T")

RETRY_DELAYS = (0.1, 0.2, 0.4)
"""Delays before the second, third and fourth attempt, in seconds."""

_MAX_WRITE_SECONDS = 60.0
"""Maximum duration of a write. The writer of an older temporary file has ended."""

LAST_GOOD = ".last-good"
"""The suffix of the previous version of a file that is written with `keep_last_good`."""

_TEMP_NAME = regex(r"\.tune-skill-([0-9a-f]{8})([0-9a-f]{8})\.tmp", re.ASCII)
"""The name of a temporary file: a random number and its keyed checksum, so that user files do not match."""
_TRANSIENT_ERRORS = {errno.EIO, errno.EAGAIN, errno.EBUSY, errno.ENOMEM, errno.EMFILE, errno.ENFILE, errno.ESTALE}
_LINK_ERRORS = {errno.EPERM, errno.EMLINK, errno.ENOSYS, errno.ENOTSUP}
_FOLDER_SYNC_ERRORS = {errno.EINVAL, errno.ENOTSUP}
_ENCODER = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def encode_value(value: Any) -> bytes:
    """Encode a value as compact JSON in UTF-8. Raises ValueError for NaN and infinities."""
    # A lone surrogate only occurs in strings, where "\\udc80" is its JSON escape.
    return _ENCODER.encode(value).encode("utf-8", "backslashreplace")


def encode_object(parts: Mapping[str, bytes]) -> bytes:
    """Join encoded properties into a JSON object, one per line for readable diffs."""
    lines = (encode_value(key) + b":" + text for key, text in parts.items())
    return b"{\n" + b",\n".join(lines) + b"\n}\n"


def encode(value: Any) -> bytes:
    """Encode a value as a JSON file. Raises ValueError for NaN and infinities."""
    if isinstance(value, Mapping):
        return encode_object({key: encode_value(item) for key, item in value.items()})
    return encode_value(value) + b"\n"


def encode_indented(value: Any) -> bytes:
    """Encode a value as a JSON file for people to edit, indented by two spaces."""
    return (json.dumps(value, indent=2, ensure_ascii=False) + "\n").encode("utf-8", "backslashreplace")


def write_json(
    path: Path,
    value: Any,
    *,
    mode: int | None = None,
    keep_last_good: bool = False,
    sync: bool = True,
    delays: Sequence[float] = RETRY_DELAYS,
) -> None:
    """Write `value` as JSON. See `write_bytes` and `encode`."""
    write_bytes(path, encode(value), mode=mode, keep_last_good=keep_last_good, sync=sync, delays=delays)


def write_bytes(
    path: Path,
    data: bytes,
    *,
    mode: int | None = None,
    keep_last_good: bool = False,
    sync: bool = True,
    delays: Sequence[float] = RETRY_DELAYS,
    before_rename: Callable[[], None] = lambda: None,
    temp_key: str = "",
) -> None:
    """Create or replace the regular file at `path`, whose folder must exist.

    - `mode`: permission bits; None keeps the bits of the old file, or applies the umask to a new file.
    - `keep_last_good`: keep the old file as `<name>.last-good`.
    - `sync`: if False, a power failure may damage the file; after a kill it is still either the old or the new one.
    - `delays`: seconds before each further attempt after a transient error.
    - `before_rename`: called just before the rename; if it raises, the old file is kept.
    - `temp_key`: the key by which `remove_temp_files` finds the temporary file after a kill, by default the file name.

    Raises WriteFailed if the old file is unchanged, and WriteUnsettled if the rename is not confirmed.
    """
    _retry(
        lambda: _replace(path, data, mode, keep_last_good, sync, before_rename, temp_key),
        lambda error: WriteFailed(f"cannot write {path}: {_explain_failure(path, error)}"),
        delays,
    )
    if not sync:
        return
    _retry(
        lambda: _sync_parent(path),
        lambda error: WriteUnsettled(
            f"{path} was written, but the disk did not confirm it: {error.strerror}; check the disk"
        ),
        delays,
    )


def _explain_failure(path: Path, error: OSError) -> str:
    """Return why a file was not written, and what to do."""
    if error.errno == errno.EACCES and (whose := describe_other_owner(path)):
        return f"{whose}; nothing was changed"
    why = _describe_missing_folder(path) or error.strerror
    if error.errno in (errno.EACCES, errno.EPERM) and (
        whose := describe_stranger(path) or describe_stranger(path.parent)
    ):
        why = f"{error.strerror}, because {whose}"
    return f"{why}; its content is unchanged; fix this and try again"


def _describe_missing_folder(path: Path) -> str:
    with suppress(OSError):
        return "" if path.parent.is_dir() else f"the folder {path.parent} does not exist"
    return ""


def ensure_private_dir(path: Path, delays: Sequence[float] = RETRY_DELAYS, *, sync: bool = True) -> None:
    """Create a folder (0700) with a .gitignore that ignores its content.

    A folder that is not empty and was not created by tune-skill is left unchanged. Raises WriteFailed. For `delays` and
    `sync`, see `write_bytes`.
    """
    if ensure_dir(path, delays) or is_own_folder(path):
        ignore = path / ".gitignore"
        if not nofollow.is_regular(str(ignore)):
            write_bytes(ignore, b"*\n", sync=sync, delays=delays)


def ensure_dir(path: Path, delays: Sequence[float] = RETRY_DELAYS) -> bool:
    """Create a folder (0700) and its parents. Returns whether it is empty. Raises WriteFailed.

    For `delays`, see `write_bytes`.
    """

    def make() -> bool:
        with closing(nofollow.open_folder(str(path), make=True)) as fd:
            return not _list_names(fd)

    def describe(error: OSError) -> WriteFailed:
        is_taken = error.errno in (errno.EEXIST, errno.ENOTDIR)
        if error.errno == errno.EACCES and (whose := describe_other_owner(path)):
            return WriteFailed(whose)
        why = "a part of the path exists and is not a folder" if is_taken else error.strerror
        return WriteFailed(f"cannot create the folder {path}: {why}; choose another folder")

    return _retry(make, describe, delays)


def remove_temp_files(folder: Path, *keys: str) -> None:
    """Remove the temporary files of killed writers.

    Only regular files whose names have the checksum of one of `keys` (see `write_bytes`) are removed. The caller must
    hold a lock, because the files of running writers are removed as well.
    """
    with suppress(FileNotFoundError, NotADirectoryError), closing(nofollow.open_folder(str(folder))) as fd:
        for name in _list_names(fd):
            if any(_is_temp_name(name, key) for key in keys) and _is_regular_in(fd, name):
                os.unlink(name, dir_fd=fd)


def remove_old_temp_files(folder: Path, min_age: float = _MAX_WRITE_SECONDS) -> None:
    """Remove the temporary files of killed writers in a folder that only tune-skill writes.

    Only regular files of at least `min_age` seconds are removed, because younger ones could belong to a running writer.
    Errors are ignored.
    """
    with suppress(OSError), closing(nofollow.open_folder(str(folder))) as fd:
        for name in filter(_TEMP_NAME.fullmatch, _list_names(fd)):
            with suppress(OSError):  # one error must not stop the removal of other files
                info = os.stat(name, dir_fd=fd, follow_symlinks=False)
                if stat.S_ISREG(info.st_mode) and time.time() - info.st_mtime >= min_age:
                    os.unlink(name, dir_fd=fd)


def build_temp_name(key: str) -> str:
    """Build a random name for a temporary file. `key` identifies the writer."""
    number = os.urandom(4).hex()
    return f".tune-skill-{number}{_checksum(number, key)}.tmp"


def _is_temp_name(name: str, key: str) -> bool:
    match = _TEMP_NAME.fullmatch(name)
    return match is not None and match[2] == _checksum(match[1], key)


def _checksum(number: str, key: str) -> str:
    import zlib  # slow to load, and most commands write nothing

    return f"{zlib.crc32(os.fsencode(f'{number} {key}')):08x}"


def _is_regular_in(folder: int, name: str) -> bool:
    return stat.S_ISREG(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode)


@contextmanager
def lock_folder(folder: Path) -> Iterator[None]:
    """Lock an existing folder while the block runs, so that a file in it can be read and rewritten.

    A folder on a disk without locks is not locked: of two changes at the same time, one may be lost. Raises WriteFailed
    if the folder cannot be opened.
    """
    try:
        fd = open_listable(folder)
    except OSError as error:
        raise WriteFailed(f"cannot open {folder}: {error.strerror}; check its permissions, then try again") from error
    with closing(fd):
        with suppress(OSError):
            lock(fd)
        yield


def open_listable(path: Path) -> int:
    """Open a folder for listing and return its descriptor. Raises OSError as `nofollow.open_folder` does."""
    with closing(nofollow.open_folder(str(path))) as fd:
        return _open_readable(fd)


def _list_names(folder: int) -> list[str]:
    with closing(_open_readable(folder)) as fd:
        return os.listdir(fd)  # noqa: PTH208


def _open_readable(folder: int) -> int:
    return os.open(".", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC, dir_fd=folder)


def _retry(act: Callable[[], T], build_error: Callable[[OSError], TuneSkillError], delays: Sequence[float]) -> T:
    """Call `act` and return its result, with another attempt after each of `delays` on transient errors.

    Raises the error that `build_error` makes from the last OSError.
    """
    for delay in delays:
        try:
            return act()
        except OSError as error:
            if error.errno not in _TRANSIENT_ERRORS:
                raise build_error(error) from error
            time.sleep(delay)
    try:
        return act()
    except OSError as error:
        raise build_error(error) from error


def _replace(
    path: Path, data: bytes, mode: int | None, keep_last_good: bool, sync: bool,
    before_rename: Callable[[], None], temp_key: str,
) -> None:  # fmt: skip
    with open_parent(path) as (folder, name):
        nofollow.ensure_regular(folder, name, str(path))
        old_mode = _read_mode(folder, name) if mode is None else mode
        _replace_in(folder, name, data, old_mode, keep_last_good, sync, before_rename, temp_key)


def _replace_in(
    folder: int, name: str, data: bytes, mode: int | None, keep_last_good: bool, sync: bool,
    before_rename: Callable[[], None] = lambda: None, temp_key: str = "",
) -> None:  # fmt: skip
    """Write a temporary file in an open folder and rename it to `name`. For other parameters, see `write_bytes`."""
    temp = build_temp_name(temp_key or name)
    try:
        write_new(temp, data, mode, sync=sync, folder=folder, like=name)
        if keep_last_good:
            _keep_last_good(folder, name)
        before_rename()
        os.replace(temp, name, src_dir_fd=folder, dst_dir_fd=folder)
    except BaseException:
        with suppress(OSError):
            os.unlink(temp, dir_fd=folder)
        raise


def write_new(
    path: Path | str, data: bytes, mode: int | None, *, sync: bool = True, folder: int | None = None, like: str = ""
) -> None:
    """Write a new file, read it back and compare it. After an OSError, a partial file may remain.

    `path` is relative to the open folder `folder`. The owner and attributes of the file `like` in it, if it exists, are
    copied.
    """
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
    fd = os.open(path, flags, 0o666 if mode is None else 0o600, dir_fd=folder)
    try:
        rest = memoryview(data)
        while rest:
            written = os.write(fd, rest)
            if not written:
                raise OSError(errno.EIO, "the disk accepts no more data")
            rest = rest[written:]
        if like:
            _copy_attributes(folder, like, fd)
        if mode is not None:
            os.fchmod(fd, mode)
        if sync:
            os.fsync(fd)
    finally:
        os.close(fd)
    if _read(folder, path) != data:
        raise OSError(errno.EIO, "the file read back differs from what was written")


def _copy_attributes(folder: int | None, name: str, new: int) -> None:
    """Copy the owner, group and extended attributes of a file to the open file `new`, as far as possible."""
    with suppress(OSError), closing(nofollow.open_file_in(folder, name, name, os.O_RDONLY)) as old:
        old_info, new_info = os.fstat(old), os.fstat(new)
        for uid, gid in ((-1, old_info.st_gid), (old_info.st_uid, -1)):
            if uid not in (-1, new_info.st_uid) or gid not in (-1, new_info.st_gid):
                with suppress(OSError):
                    os.fchown(new, uid, gid)
        for attribute in os.listxattr(old) if hasattr(os, "listxattr") else ():
            with suppress(OSError):
                os.setxattr(new, attribute, os.getxattr(old, attribute))


def _keep_last_good(folder: int, name: str) -> None:
    """Link the current file `name`, if it exists, as `<name>.last-good`."""
    link, last_good = build_temp_name(name), name + LAST_GOOD
    try:
        os.link(name, link, src_dir_fd=folder, dst_dir_fd=folder, follow_symlinks=False)
        os.replace(link, last_good, src_dir_fd=folder, dst_dir_fd=folder)
    except FileNotFoundError:
        return
    except OSError as error:
        if error.errno == errno.EISDIR:
            raise OSError(error.errno, f"{last_good} is a folder") from error
        if error.errno not in _LINK_ERRORS:
            raise
        _replace_in(folder, last_good, _read(folder, name), _read_mode(folder, name), keep_last_good=False, sync=True)
    finally:
        with suppress(FileNotFoundError):
            os.unlink(link, dir_fd=folder)  # renaming a link to another link of the same file removes neither


def _read(folder: int | None, name: Path | str) -> bytes:
    with os.fdopen(nofollow.open_file_in(folder, str(name), str(name), os.O_RDONLY), "rb") as file:
        return file.read()


def _sync_parent(path: Path) -> None:
    with open_parent(path) as (folder, _), closing(_open_readable(folder)) as fd:
        try:
            os.fsync(fd)
        except OSError as error:
            if error.errno not in _FOLDER_SYNC_ERRORS:
                raise


@contextmanager
def open_parent(path: Path) -> Iterator[tuple[int, str]]:
    """Open the parent folder of `path` during the block. Yields its descriptor and the file name.

    Raises OSError if the folder does not exist, or if a part of the path below a project is a link.
    """
    folder, name = nofollow.open_parent(str(path))
    with closing(folder):
        yield folder, name


@contextmanager
def closing(fd: int) -> Iterator[int]:
    """Close a descriptor at the end of the block."""
    try:
        yield fd
    finally:
        os.close(fd)


def _read_mode(folder: int, name: str) -> int | None:
    try:
        return stat.S_IMODE(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode)
    except FileNotFoundError:
        return None
