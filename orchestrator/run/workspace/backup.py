"""Back up the whole skill once, at the start of a run."""

import hashlib
import os
import shutil
import stat
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import msgspec

from orchestrator.fs import nofollow
from orchestrator.fs.disk import MAX_BYTES, sync, wrap_os_errors
from orchestrator.fs.durable import closing, ensure_private_dir, open_listable, write_json, write_new
from orchestrator.project.outside_skill import LEFT_OUT
from schemas.codec import to_json

_FOLDER_FLAGS = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


class ManifestRow(msgspec.Struct, frozen=True):
    """A row of the manifest.

    kind: file, folder or link. For an entry that was not copied, the reason: large, special, unreadable or vendored.
    """

    file: str
    kind: str
    mode: int
    size: int
    sha256: str | None = None
    target: str | None = None


@wrap_os_errors("cannot make the backup of the skill")
def back_up(skill: Path, work_dir: Path, file: str = "") -> Path:
    """Copy `skill` to `<work_dir>/backup`, with a manifest in `<work_dir>/backup.json`. Returns the folder.

    file: copy only this file below `skill`, which is then the project root of another kind of unit.
    Links are copied as links. A complete backup is never overwritten, because it is the original skill.
    """
    folder, partial = work_dir / "backup", work_dir / "backup.partial"
    if folder.is_dir():
        return folder
    ensure_private_dir(work_dir)
    shutil.rmtree(partial, ignore_errors=True)
    partial.mkdir(mode=0o700)
    rows = list(_copy_single_file(skill, file, partial) if file else _copy_tree(skill, partial))
    write_json(work_dir / "backup.json", {"skill": str(skill / file), "files": to_json(rows)})
    for row in rows:
        if row.kind in ("file", "folder"):  # sync all at the end: syncing after each copy takes twice as long
            sync(partial / row.file)
    sync(partial)
    partial.rename(folder)
    sync(work_dir)
    return folder


def _copy_single_file(root: Path, file: str, partial: Path) -> Iterator[ManifestRow]:
    source, copy = root / file, partial / file
    copy.parent.mkdir(parents=True, exist_ok=True)
    with (
        closing(os.open(source.parent, _FOLDER_FLAGS)) as originals,
        closing(os.open(copy.parent, _FOLDER_FLAGS)) as copies,
    ):
        yield from _copy_folder(originals, file.removesuffix(source.name), copies, only=source.name)


def _copy_tree(skill: Path, partial: Path) -> Iterator[ManifestRow]:
    """Copy a folder before its contents. A folder that cannot be listed stays empty; links are never followed."""
    queue = ["."]
    with closing(open_listable(skill)) as original_root, closing(open_listable(partial)) as copy_root:
        while queue:
            folder = queue.pop()
            try:
                originals = os.open(folder, _FOLDER_FLAGS, dir_fd=original_root)
            except OSError:
                continue
            with closing(originals), closing(os.open(folder, _FOLDER_FLAGS, dir_fd=copy_root)) as copies:
                for row in _copy_folder(originals, "" if folder == "." else f"{folder}/", copies):
                    if row.kind == "folder":
                        queue.append(row.file)
                    yield row


def _copy_folder(originals: int, prefix: str, copies: int, only: str = "") -> Iterator[ManifestRow]:
    with os.scandir(originals) as scanned:
        entries = sorted((entry for entry in scanned if only in ("", entry.name)), key=lambda entry: entry.name)
    for entry in entries:
        with suppress(FileNotFoundError):  # deleted since it was listed
            yield _copy(entry, prefix + entry.name, originals, copies)


def _copy(entry: os.DirEntry[str], file: str, originals: int, copies: int) -> ManifestRow:
    """Copy an entry of the open folder `originals` into the open folder `copies`. file: its path in the skill."""
    name = entry.name
    info = entry.stat(follow_symlinks=False)
    mode, size = stat.S_IMODE(info.st_mode), info.st_size
    if entry.is_symlink():
        target = os.readlink(name, dir_fd=originals)
        os.symlink(target, name, dir_fd=copies)
        return ManifestRow(file, "link", mode, size, target=target)
    if entry.is_dir(follow_symlinks=False):
        if name in LEFT_OUT:
            return ManifestRow(file, "vendored", mode, size)
        os.mkdir(name, dir_fd=copies)
        os.chmod(name, mode & 0o777 | 0o700, dir_fd=copies)
        return ManifestRow(file, "folder", mode, size)
    if not entry.is_file(follow_symlinks=False):
        return ManifestRow(file, "special", mode, size)
    if size > MAX_BYTES:
        return ManifestRow(file, "large", mode, size)
    data = _read(originals, name)
    if data is None:
        return ManifestRow(file, "unreadable", mode, size)
    write_new(name, data, mode & 0o777, sync=False, folder=copies)
    return ManifestRow(file, "file", mode, size, sha256=hashlib.sha256(data).hexdigest())


def _read(folder: int, name: str) -> bytes | None:
    try:
        return nofollow.read_in(folder, name, name, MAX_BYTES)
    except OSError:
        return None
