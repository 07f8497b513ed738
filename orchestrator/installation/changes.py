"""Changes of files that belong to the user: planned first, made together or not at all, each with a backup."""

import os
import re
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from orchestrator.errors import Refused, TuneSkillError, WriteFailed
from orchestrator.fs import durable

_STAMP = r"\d{8}T\d{6}Z(?:-\d{1,3})?"
"""What stands behind `NAME.backup-` in a name that `backup_name` gave."""


@dataclass(frozen=True)
class Change:
    """A file before and after; None where there is none. `told` says what changes in it.

    backup: where the bytes before are kept; None when they need not be.
    spent: a backup that is no longer needed afterwards.
    """

    path: Path
    before: bytes | None
    after: bytes | None
    told: str
    backup: Path | None = None
    spent: Path | None = None

    @property
    def word(self) -> str:
        """What happens to the file, in a word."""
        if self.after is None:
            return "removed"
        if self.before is None:
            return "written"
        return "restored" if self.spent else "changed"


def resolve_target(path: Path) -> Path:
    """Give the file that `path` leads to, there or not. Raises Refused for a link to nothing: who put it there?"""
    if path.is_symlink() and not path.exists():
        raise Refused(f"{path}: a link to nothing; remove it, or create what it leads to; nothing was changed")
    return Path(os.path.realpath(path))


def backup_name(path: Path) -> Path:
    """Give a name beside `path` for a backup of now."""
    stem = f"{path.name}.backup-{time.strftime('%Y%m%dT%H%M%SZ', time.gmtime())}"
    return next(p for n in range(1, 1000) if not (p := path.with_name(stem if n == 1 else f"{stem}-{n}")).exists())


def find_backups(path: Path) -> list[Path]:
    """Give the backups of `path` that were made here, newest first: what the user called `NAME.backup-mine` is none."""
    name = re.compile(re.escape(f"{path.name}.backup-") + _STAMP, re.ASCII)
    return sorted((one for one in path.parent.glob("*") if name.fullmatch(one.name)), reverse=True)


def apply_changes(changes: Sequence[Change]) -> None:
    """Make the changes in their order; when one fails, those before it are taken back. Raises WriteFailed."""
    made: list[Change] = []
    try:
        for change in changes:
            _ensure_as_read(change)
            made.append(change)
            _make(change)
    except (OSError, TuneSkillError) as error:
        for change in reversed(made):
            with suppress(OSError, TuneSkillError):
                if _now(change.path) == change.after:  # else it was not written, or another program wrote since
                    _put(replace(change, before=change.after, after=change.before))
                if change.backup:
                    change.backup.unlink(missing_ok=True)
        if isinstance(error, OSError):
            why = f"cannot write {error.filename or made[-1].path}: {error.strerror}; nothing was changed"
            raise WriteFailed(why) from error
        raise
    for change in changes:
        if change.spent:
            change.spent.unlink(missing_ok=True)


def _ensure_as_read(change: Change) -> None:
    """See that a file still holds what its change was planned from: what another program wrote since must stand."""
    if _now(change.path) != change.before:
        raise WriteFailed(f"{change.path}: another program changed it just now; nothing was changed, try again")


def _now(path: Path) -> bytes | None:
    return path.read_bytes() if path.exists() else None


def _make(change: Change) -> None:
    change.path.parent.mkdir(parents=True, exist_ok=True)
    if change.backup and change.before is not None:
        durable.write_bytes(change.backup, change.before, mode=0o600)
    _put(change)


def _put(change: Change) -> None:
    """Let a file hold what it is to hold; with None it goes, and with it folders of Claude Code that are empty then."""
    if change.after is not None:
        durable.write_bytes(change.path, change.after, before_rename=lambda: _ensure_as_read(change))
        return
    _ensure_as_read(change)
    change.path.unlink(missing_ok=True)
    folder = change.path.parent
    while folder.name in _FOLDERS:
        try:
            folder.rmdir()
        except OSError:
            return
        folder = folder.parent


_FOLDERS = ("tune-skill", "skills", "agents", ".claude")
