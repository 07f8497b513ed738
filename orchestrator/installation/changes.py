"""Change the user's files, with backups. Either all planned changes are made or none."""

import os
import re
import stat
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from hashlib import sha256
from itertools import count
from pathlib import Path

import msgspec
from msgspec.structs import replace

from orchestrator.errors import BadInput, Interrupted, Refused, TuneSkillError, WriteFailed, WriteUnsettled
from orchestrator.fs import append_log, durable, nofollow
from orchestrator.fs.notes import get_note_file, read_note, write_note
from orchestrator.installation.created import (
    create_folders,
    ensure_can_note,
    find_digest,
    forget_created,
    list_missing_folders,
    note_created,
    note_digest,
    note_written,
    remove_empty_folders,
    was_created,
)

_STAMP = r"(\d{8}T\d{6}Z)(?:-(\d{1,9}))?"
"""The suffix of a backup's name, after `NAME.backup-`."""
_MAX_ATTEMPTS, _DELAY = 200, 0.05  # seconds
_KIND = "backups"
"""The kind of notes with the SHA-256 of each backup, because a cloned repository could contain a forged backup."""


class Change(msgspec.Struct, frozen=True):
    """A change to a file.

    - `before`, `after`: the content of the file, or None if it does not exist.
    - `subject`: what is changed, for messages.
    - `backup`: the path that the old content is copied to, or None if no copy is needed.
    - `is_restored`: whether `after` is the content of a backup.
    - `is_noted`: whether a note keeps the digest of `after`, so that `uninstall` knows the file again.
    - `obsolete`: backups of tune-skill to delete after the change.
    """

    path: Path
    before: bytes | None
    after: bytes | None
    subject: str
    backup: Path | None = None
    is_restored: bool = False
    is_noted: bool = False
    obsolete: Sequence[Path] = ()

    @property
    def verb(self) -> str:
        """The kind of change as a participle, for messages."""
        if self.after is None:
            return "removed"
        if self.before is None:
            return "written"
        return "restored" if self.is_restored else "changed"


def resolve_target(path: Path) -> Path:
    """Return the path with all links resolved. The file need not exist. Raises Refused if `path` is a dangling link."""
    if path.is_symlink() and not path.exists():
        raise Refused(f"{path}: a dangling link; remove it or create its target; nothing was changed")
    return Path(os.path.realpath(path))


def choose_backup_name(path: Path) -> Path:
    """Return an unused path next to `path` for a new backup."""
    stem = f"{path.name}.backup-{time.strftime('%Y%m%dT%H%M%SZ', time.gmtime())}"
    names = (path.with_name(stem if number == 1 else f"{stem}-{number}") for number in count(1))
    return next(name for name in names if not os.path.lexists(name))


def find_backups(path: Path) -> list[Path]:
    """Return the unchanged backups of `path` that tune-skill made for this user, newest first."""
    match = re.compile(re.escape(f"{path.name}.backup-") + _STAMP, re.ASCII).fullmatch
    backups = [
        (stamp[1], int(stamp[2] or 1), file)
        for file in path.parent.glob("*")
        if (stamp := match(file.name)) and _is_own_backup(file)
    ]
    return [file for _, _, file in sorted(backups, reverse=True)]


def _is_own_backup(backup: Path) -> bool:
    """Return whether tune-skill made a backup for this user and it is unchanged, by the hash in the user's note."""
    with suppress(OSError):
        return bool(read_note(_KIND, _get_note_key(backup)) == sha256(nofollow.read(str(backup))).hexdigest())
    return False


def _get_note_key(backup: Path) -> Path:
    return Path(os.path.realpath(backup.parent), backup.name)


def _remove_backup(backup: Path) -> bool:
    """Delete a backup and its note. Returns False if the backup cannot be deleted."""
    try:
        backup.unlink(missing_ok=True)
    except OSError:
        return False
    with suppress(OSError, TuneSkillError):
        get_note_file(_KIND, _get_note_key(backup)).unlink(missing_ok=True)
    return True


@contextmanager
def lock_folders(*folders: Path) -> Iterator[None]:
    """Lock the project or home folder of an installation during the block, while changes are planned and made.

    Waits for another installation, but not for long: any program may have locked such a folder, and without a lock the
    comparisons in `apply_changes` still protect the files. A folder on a disk without locks is not locked. After Ctrl-C
    raises Interrupted, which says that nothing was changed, unless the block says more.
    """
    try:
        with ExitStack() as stack:
            for folder in dict.fromkeys(map(os.path.realpath, folders)):
                with suppress(OSError):
                    fd = durable.open_listable(Path(folder))
                    stack.callback(os.close, fd)
                    _wait_for_lock(fd)
            yield
    except Interrupted:
        raise
    except KeyboardInterrupt:
        raise Interrupted("nothing was changed") from None


def _wait_for_lock(fd: int) -> None:
    """Lock an open folder, or give up after 10 seconds. Raises OSError if the disk has no locks."""
    for _ in range(_MAX_ATTEMPTS):
        try:
            append_log.lock(fd, wait=False)
        except BlockingIOError:
            time.sleep(_DELAY)
        else:
            return


class _ChangedMeanwhileError(WriteFailed):
    """Another program has changed a file since its change was planned. The file was not written."""


class _Made(msgspec.Struct, frozen=True):
    """A change that was made, or may have been: the mode of the old file, and the folders that were created.

    `was_own` and `digest` are what the notes said: whether an installation created the file, and what it wrote last.
    """

    change: Change
    mode: int | None
    folders: Sequence[Path]
    was_own: bool
    digest: str | None


def apply_changes(changes: Sequence[Change]) -> list[Path]:
    """Make the changes in order, and return the obsolete backups that could not be deleted.

    If a change fails, undo the earlier ones and raise WriteFailed, which says if a file could not be restored. After
    Ctrl-C they are undone too; Interrupted says so.
    """
    made: list[_Made] = []
    try:
        for change in changes:
            _ensure_unchanged(change)
        if any(change.before is None for change in changes):
            ensure_can_note()
        for change in changes:
            made.append(_begin(change))
            _apply(change)
    except (OSError, TuneSkillError) as error:
        unwritten = made[-1:] if isinstance(error, _ChangedMeanwhileError) else []
        changed = [step.change.path for step in reversed(made) if not _undo(step, was_written=step not in unwritten)]
        raise WriteFailed(_explain_failure(error, changes, changed)) from error
    except KeyboardInterrupt:
        raise Interrupted(_undo_interrupted(made)) from None
    try:
        for change in changes:
            if change.after is None:
                forget_created(change.path)
        return [backup for change in changes for backup in change.obsolete if not _remove_backup(backup)]
    except KeyboardInterrupt:
        raise Interrupted("all changes were made; a backup may be left") from None


def _undo_interrupted(made: Sequence[_Made]) -> str:
    """Undo the changes that were made before Ctrl-C, and return what was not undone, also after another Ctrl-C."""
    changed = [step.change.path for step in made]
    try:
        changed = [step.change.path for step in reversed(made) if not _undo(step, was_written=True)]
    except KeyboardInterrupt:
        where = ", ".join(map(str, changed))
        return f"not all changes were undone in {where}; repeat the command, or run `tune-skill uninstall`"
    return f"all changes were undone, except in {', '.join(map(str, changed))}" if changed else "nothing was changed"


def _begin(change: Change) -> _Made:
    """Return what is needed to undo a change."""
    folders = list_missing_folders(change.path)
    return _Made(change, _read_mode(change.path), folders, was_created(change.path), find_digest(change.path))


def _explain_failure(error: OSError | TuneSkillError, changes: Sequence[Change], changed: Sequence[Path]) -> str:
    why = str(error)
    if isinstance(error, OSError):
        why = f"cannot write {error.filename or changes[-1].path}: {error.strerror}"
    if changed:
        return f"{why}; the other changes were undone, except in {', '.join(map(str, changed))}"
    return f"{why}; {'all changes were undone' if isinstance(error, WriteUnsettled) else 'nothing was changed'}"


def _undo(made: _Made, *, was_written: bool) -> bool:
    """Restore the file of a change, and remove what was created for it. Returns False if the file is not restored.

    A file that was not written is left as it is: its content may be what another installation wrote.
    """
    change = made.change
    try:
        if was_written and (current := _read_current(change.path)) != change.before:
            if current != change.after:
                return False  # another program has changed it since
            _restore(change, made.mode)
    except (OSError, TuneSkillError):
        return False
    if change.backup:
        _remove_backup(change.backup)
    with suppress(TuneSkillError):
        note_digest(change.path, made.digest)
        if made.was_own:
            note_created(change.path)
    if change.before is None:
        forget_created(change.path)
    for folder in made.folders:
        with suppress(OSError):
            if folder.exists():
                folder.rmdir()
            forget_created(folder)
    return True


def _restore(change: Change, mode: int | None) -> None:
    """Write the old content of a changed file, with its folders, or remove the file if it did not exist."""
    if change.before is None:
        change.path.unlink(missing_ok=True)
        return
    with suppress(WriteFailed):  # without room for notes
        create_folders(change.path)  # the removal of a file removes only folders that an installation created
    change.path.parent.mkdir(parents=True, exist_ok=True)
    undoing = replace(change, before=change.after, after=change.before)
    durable.write_bytes(change.path, change.before, mode=mode, before_rename=lambda: _ensure_unchanged(undoing))


def _read_mode(path: Path) -> int | None:
    return stat.S_IMODE(path.stat().st_mode) if path.exists() else None


def _ensure_unchanged(change: Change) -> None:
    """Raise _ChangedMeanwhileError if another program has changed the file since the change was planned."""
    if _read_current(change.path) != change.before:
        raise _ChangedMeanwhileError(f"{change.path}: another program has just changed it, try again")


def _read_current(path: Path) -> bytes | None:
    return path.read_bytes() if path.exists() else None


def _apply(change: Change) -> None:
    """Make one change, after a backup of the old content if one is planned."""
    create_folders(change.path)
    if change.before is None:
        note_created(change.path)
    if change.backup and change.before is not None:
        with suppress(BadInput):  # without a home folder
            write_note(_KIND, _get_note_key(change.backup), sha256(change.before).hexdigest())
        durable.write_bytes(change.backup, change.before, mode=0o600, temp_key=change.path.name)
    note_written(change.path, change.after if change.is_noted else None)
    if change.backup and change.before is not None:
        forget_created(change.path)  # from here on the backup says what the file was before
    _write(change)


def _write(change: Change) -> None:
    """Write the new content of a file. If it is None, remove the file and the folders that are then empty."""
    if change.after is not None:
        durable.write_bytes(change.path, change.after, before_rename=lambda: _ensure_unchanged(change))
        return
    _ensure_unchanged(change)
    change.path.unlink(missing_ok=True)
    remove_empty_folders(change.path.parent)


def remove_leftovers(paths: Iterable[Path]) -> None:
    """Remove the temporary files, unneeded backups and empty folders that a killed installation left."""
    for path in map(Path, map(os.path.realpath, paths)):
        _remove_equal_backups(path)
        with suppress(OSError):
            durable.remove_temp_files(path.parent, path.name)
        remove_empty_folders(path.parent)


def _remove_equal_backups(path: Path) -> None:
    """Remove backups that equal the file, which a killed installation leaves."""
    with suppress(OSError):
        content = nofollow.read(str(path))
        for backup in find_backups(path):
            if nofollow.read(str(backup)) == content:
                _remove_backup(backup)
