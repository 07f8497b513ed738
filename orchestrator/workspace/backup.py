"""The full backup of a skill, made once at the start of a run."""

import hashlib
import os
import shutil
import stat
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from orchestrator.durable import ensure_private_dir, write_json, write_new
from orchestrator.workspace.disk import LIMIT, read_regular, sync, told
from schemas.codec import to_json


@dataclass(frozen=True)
class Listed:
    """A row of the manifest. `kind`: file, folder, link, or why there is no copy: large, special, unreadable."""

    file: str
    kind: str
    mode: int
    size: int
    sha256: str | None = None
    target: str | None = None


@told("cannot make the backup of the skill")
def back_up(skill: Path, work_dir: Path) -> Path:
    """Copy `skill` to `<work_dir>/backup`, with a manifest in `backup.json` beside it; gives the folder.

    Links are copied as links. A backup that is complete already is left as it is: it shows the skill as it came.
    """
    folder, partial = work_dir / "backup", work_dir / "backup.partial"
    if folder.is_dir():
        return folder
    ensure_private_dir(work_dir)
    shutil.rmtree(partial, ignore_errors=True)
    partial.mkdir(mode=0o700)
    rows: list[Listed] = []
    for entry in _walk(skill):
        with suppress(FileNotFoundError):  # gone since it was listed
            rows.append(_copy(entry, skill, partial))
    write_json(work_dir / "backup.json", {"skill": str(skill), "files": to_json(rows)})
    for row in rows:
        if row.kind in ("file", "folder"):  # all at the end: each file by itself takes twice as long
            sync(partial / row.file)
    sync(partial)
    partial.rename(folder)
    sync(work_dir)
    return folder


def _walk(skill: Path) -> Iterator[os.DirEntry[str]]:
    """All entries below `skill`, each folder before what it holds; links are never followed."""
    waiting: list[str | Path] = [skill]
    while waiting:
        try:
            with os.scandir(waiting.pop()) as found:
                entries = sorted(found, key=lambda entry: entry.name)
        except OSError:
            continue
        yield from entries
        waiting += [entry.path for entry in entries if entry.is_dir(follow_symlinks=False)]


def _copy(entry: os.DirEntry[str], skill: Path, partial: Path) -> Listed:
    name = os.path.relpath(entry.path, skill)
    copy = partial / name
    facts = entry.stat(follow_symlinks=False)
    mode, size = stat.S_IMODE(facts.st_mode), facts.st_size
    if entry.is_symlink():
        target = os.readlink(entry.path)  # noqa: PTH115 - Path would tidy the text of the link
        copy.symlink_to(target)
        return Listed(name, "link", mode, size, target=target)
    if entry.is_dir(follow_symlinks=False):
        copy.mkdir()
        copy.chmod(mode & 0o777 | 0o700)
        return Listed(name, "folder", mode, size)
    if not entry.is_file(follow_symlinks=False):
        return Listed(name, "special", mode, size)
    if size > LIMIT:
        return Listed(name, "large", mode, size)
    data = _read(entry.path)
    if data is None:
        return Listed(name, "unreadable", mode, size)
    write_new(copy, data, mode & 0o777, sync=False)
    return Listed(name, "file", mode, size, sha256=hashlib.sha256(data).hexdigest())


def _read(path: str) -> bytes | None:
    try:
        return read_regular(Path(path))
    except OSError:
        return None
