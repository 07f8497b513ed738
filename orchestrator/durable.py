"""The one writer of JSON files: at any instant, and after any kill, a file holds its old or its new content.

Temp file in the same folder, fsync, read back and compare, rename, fsync of the folder. There is no other way:
what cannot be written like this is not written.
"""

import errno
import json
import os
import stat
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from orchestrator.errors import TuneSkillError, WriteFailed, WriteUnsettled

RETRY_DELAYS = (0.1, 0.2, 0.4)
"""Seconds to wait before a second, third and fourth attempt."""

LAST_GOOD = ".last-good"
"""What `keep_last_good` adds to the name of a file for its previous generation."""

_TEMP_PREFIX, _TEMP_SUFFIX = ".tune-skill-", ".tmp"
_TRANSIENT = {errno.EIO, errno.EAGAIN, errno.EBUSY, errno.ENOMEM, errno.EMFILE, errno.ENFILE, errno.ESTALE}
_NO_LINKS = {errno.EPERM, errno.EMLINK, errno.ENOSYS, errno.ENOTSUP}
_NO_DIRECTORY_FSYNC = {errno.EINVAL, errno.ENOTSUP}
_ENCODER = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def encode_value(value: Any) -> bytes:
    """Give compact JSON in UTF-8. Raises ValueError for NaN and infinities."""
    # A lone surrogate can only stand in a string, and there "\\udc80" is JSON's own way to write it.
    return _ENCODER.encode(value).encode("utf-8", "backslashreplace")


def encode_object(parts: Mapping[str, bytes]) -> bytes:
    """Join encoded properties to one object: a property a line, so that people and diffs can read it."""
    lines = (encode_value(key) + b":" + text for key, text in parts.items())
    return b"{\n" + b",\n".join(lines) + b"\n}\n"


def encode(value: Any) -> bytes:
    """Give the text of a JSON file. Raises ValueError for NaN and infinities."""
    if isinstance(value, Mapping):
        return encode_object({key: encode_value(item) for key, item in value.items()})
    return encode_value(value) + b"\n"


def encode_indented(value: Any) -> bytes:
    """Give the text of a JSON file that people edit, two spaces a level. A lone surrogate stays valid, as above."""
    return (json.dumps(value, indent=2, ensure_ascii=False) + "\n").encode("utf-8", "backslashreplace")


def write_json(
    path: Path, value: Any, *, mode: int | None = None, keep_last_good: bool = False, sync: bool = True
) -> None:
    """Write `value` as JSON: see `write_bytes` and `encode`."""
    write_bytes(path, encode(value), mode=mode, keep_last_good=keep_last_good, sync=sync)


def write_bytes(
    path: Path, data: bytes, *, mode: int | None = None, keep_last_good: bool = False, sync: bool = True
) -> None:
    """Replace the file at `path` (a symlink itself, not its target), in a folder that exists.

    mode: permission bits; None keeps those of the old file, or leaves a new one to the umask.
    keep_last_good: the old file stays as `<name>.last-good`.
    sync: without it a kill still leaves the old or the new file, a power cut may not.
    Raises WriteFailed when the old file still stands, WriteUnsettled when the rename is not confirmed.
    """
    _retried(
        lambda: _replace(path, data, mode, keep_last_good, sync),
        lambda why: WriteFailed(f"cannot write {path}: {why}; nothing was changed: mend this and try again"),
    )
    if not sync:
        return
    _retried(
        lambda: _settle(path.parent),
        lambda why: WriteUnsettled(f"{path} was written, but the disk did not confirm it: {why}; check the disk"),
    )


def ensure_private_dir(path: Path) -> None:
    """Make a folder of ours (0700) whose content git ignores; a folder that holds something is left as it is.

    Raises WriteFailed.
    """
    try:
        ours = _made(path) or not any(path.iterdir())
    except OSError as error:
        raise WriteFailed(f"cannot make the folder {path}: {error.strerror}; choose another place") from error
    if ours:
        write_bytes(path / ".gitignore", b"*\n")


def _made(path: Path) -> bool:
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        path.mkdir(mode=0o700)
    except FileExistsError:
        return False
    return True


def sweep(folder: Path) -> None:
    """Remove the temp files of killed writers. Only for who holds the lock: it removes those of a living one too."""
    for path in folder.glob(f"{_TEMP_PREFIX}*{_TEMP_SUFFIX}"):
        path.unlink(missing_ok=True)


def _retried(act: Callable[[], None], failure: Callable[[str], TuneSkillError]) -> None:
    for delay in (*RETRY_DELAYS, None):
        try:
            act()
            return
        except OSError as error:
            if delay is None or error.errno not in _TRANSIENT:
                raise failure(error.strerror or str(error)) from error
            time.sleep(delay)


def _replace(path: Path, data: bytes, mode: int | None, keep_last_good: bool, sync: bool) -> None:
    temp = _temp_beside(path)
    try:
        write_new(temp, data, _mode_of(path) if mode is None else mode, sync=sync)
        if keep_last_good:
            _keep(path)
        temp.replace(path)
    except BaseException:
        with suppress(OSError):
            temp.unlink()
        raise


def write_new(path: Path, data: bytes, mode: int | None, *, sync: bool = True) -> None:
    """Write a file where none is, and read it back. Raises OSError; a part of it may stand then."""
    fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666 if mode is None else 0o600)
    try:
        rest = memoryview(data)
        while rest:
            written = os.write(fd, rest)
            if not written:
                raise OSError(errno.EIO, "the disk takes no bytes")
            rest = rest[written:]
        if mode is not None:
            os.fchmod(fd, mode)
        if sync:
            os.fsync(fd)
    finally:
        os.close(fd)
    if path.read_bytes() != data:
        raise OSError(errno.EIO, "what was read back is not what was written")


def _keep(path: Path) -> None:
    """Let `<name>.last-good` be the file that stands at `path` now, if one does."""
    link, last_good = _temp_beside(path), path.with_name(path.name + LAST_GOOD)
    try:
        os.link(path, link)
        link.replace(last_good)
    except FileNotFoundError:
        return
    except OSError as error:
        if error.errno not in _NO_LINKS:
            raise
        _replace(last_good, path.read_bytes(), _mode_of(path), keep_last_good=False, sync=True)
    finally:
        link.unlink(missing_ok=True)  # a rename between two links to one file leaves both


def _settle(folder: Path) -> None:
    fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(fd)
    except OSError as error:
        if error.errno not in _NO_DIRECTORY_FSYNC:
            raise
    finally:
        os.close(fd)


def _temp_beside(path: Path) -> Path:
    return path.with_name(f"{_TEMP_PREFIX}{os.urandom(8).hex()}{_TEMP_SUFFIX}")


def _mode_of(path: Path) -> int | None:
    try:
        return stat.S_IMODE(path.stat().st_mode)
    except FileNotFoundError:
        return None
