"""Change the files of a skill, or of another unit of a project, so that every change can be undone.

A change (`apply`, `rollback`) writes a journal entry, then the files. The caller verifies the change, saves the state
and calls `close`. Until then `undo` reverts the change. After a kill, the next `hold` reverts the change, unless the
saved state includes the change.
"""

import os
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path, PurePath

import msgspec
from msgspec.structs import replace

from orchestrator.errors import BadInput
from orchestrator.fs.disk import find_missing_parents
from orchestrator.fs.durable import remove_old_temp_files
from orchestrator.fs.paths import build_refusal, locate, resolve_links
from orchestrator.model.memory import FOLDER as ANSWERS
from orchestrator.run.workspace import registry
from orchestrator.run.workspace.backup import back_up
from orchestrator.run.workspace.blobs import Blobs
from orchestrator.run.workspace.files import Files
from orchestrator.run.workspace.journal import (
    Entry,
    EntryOutcome,
    Journal,
    Kind,
    Step,
    find_applied,
    list_undone_rollbacks,
)
from orchestrator.run.workspace.recovery import Recovery, matches_state, read_verified_fixes
from orchestrator.run.workspace.rollback_plan import RollbackPlanner, select_entries
from schemas.records import ChangeMade, FileChange

NEW_FILE_MODE = 0o644
"""Permissions of a created file if the change sets none."""

Verified = Callable[[Path], frozenset[str]]
"""A function that returns the ids of the applied and verified fixes in the state of a work dir."""


class Rollback(msgspec.Struct, frozen=True):
    """The result of a rollback.

    fixes: the fixes that were rolled back. left: the fixes that are still applied, with the files that a user edited.
    partial: the fixes in `left` whose other files or lines were rolled back. made: the changes of files. absent: the
    fixes whose files already have the text from before them. They are still applied, because another branch may be
    checked out.
    """

    fixes: tuple[str, ...]
    left: Mapping[str, tuple[str, ...]]
    partial: frozenset[str] = frozenset()
    made: tuple[ChangeMade, ...] = ()
    absent: tuple[str, ...] = ()

    @property
    def edited_files(self) -> tuple[str, ...]:
        """The edited files that prevented fixes from being rolled back."""
        return tuple(sorted({file for files in self.left.values() for file in files}))


class Workspace:
    """One unit and one work dir. Changes require `hold`, one at a time.

    Paths are relative to `root`: the folder of a skill, or the project of the unit in `file`. unit_path: the unit.
    """

    def __init__(self, root: Path, work_dir: Path, file: str = "") -> None:
        """Prepare a workspace. Nothing is written yet. Raises BadInput if the work dir is inside the skill."""
        self.root = resolve_links(root)
        self.file = file
        self.unit_path = self.root / file
        self.work_dir = resolve_links(work_dir)
        if self.work_dir.is_relative_to(self.unit_path):
            raise BadInput(f"{work_dir}: this work dir is inside the skill; choose another with --work-dir")
        self._journal = Journal(self.work_dir / "journal.jsonl", self.unit_path)
        self._blobs = Blobs(self.work_dir / "blobs")
        self._files = Files(self.root, self._blobs)
        self._held = False

    def store(self, data: bytes) -> str:
        """Store contents in the work dir and return their sha256."""
        return self._blobs.store(data)

    def get(self, name: str) -> bytes:
        """Return the contents with this sha256. Raises StateDamaged if they are missing or damaged."""
        return self._blobs.get(name)

    def backup(self) -> Path:
        """Copy the whole skill, or the unit's file, to `<work_dir>/backup` (once) and return that folder."""
        return back_up(self.root, self.work_dir, self.file)

    @contextmanager
    def hold(self, run_id: str, verified: Verified = read_verified_fixes) -> Iterator[tuple[Recovery, ...]]:
        """Lock the skill for writing in the block. Yields the recoveries that were needed before, in any work dir.

        A change that is still open at the end of the block is recovered in the same way. Raises Busy if another run has
        locked the skill, BadInput if the skill is missing, and StateDamaged if the journal of a killed run cannot be
        read.
        """
        if not (self.unit_path.is_file() if self.file else self.root.is_dir()):
            raise BadInput(f"{self.unit_path}: no such {'file' if self.file else 'skill folder'}; check the path")
        with registry.lock(self.unit_path) as fd:
            recovered = self._recover_all(verified)
            journal = str(self._journal.path)
            registry.claim(fd, registry.Claim(run_id, str(self.unit_path), str(self.work_dir), journal, os.getpid()))
            self._held = True
            try:
                yield recovered
            finally:
                self._held = False
                self._recover(verified)

    def apply(self, fix_id: str, changes: Sequence[FileChange]) -> tuple[ChangeMade, ...]:
        """Write a fix, whose contents must have been stored. The caller verifies the fix, then calls `close` or `undo`.

        If a change is not allowed, no file is changed, and Refused is raised with the file and the reason.
        """
        self._ensure_ready()
        moved = {change.sha256_before: change.file for change in changes if change.action == "delete"}
        steps = [self._plan_step(change, moved.get(change.sha256_after)) for change in changes]
        written = tuple(dict.fromkeys(steps))  # a file that is changed in the same way under the name of a link to it
        for file, times in Counter(step.file for step in written).items():
            if times > 1:
                names = ", ".join(change.file for change, step in zip(changes, steps, strict=True) if step.file == file)
                raise build_refusal(file, f"is changed under several names, {names}; replace the links to it by files")
        self._carry_out(self._journal.begin(Kind.APPLY, [fix_id], written, self._list_new_folders(written)))
        return tuple(
            ChangeMade(change.file, change.action, step.mode, step.before, step.after)
            for change, step in zip(changes, steps, strict=True)
        )

    def rollback(
        self, fix_ids: Collection[str] | None = None, parts: Mapping[str, Sequence[Sequence[str]]] | None = None
    ) -> Rollback:
        """Roll back fixes. The caller then saves the state and calls `close`.

        fix_ids: None means all fixes. If a user has edited a hunk of a fix since it was applied, the fix cannot be
        rolled back. With fix_ids, Refused is raised, and no file is changed. Without them, the fix stays and is
        returned in `left`. parts: maps a merged fix to the files of each of its parts. Of such a fix, only the parts
        with an edited file stay.
        """
        self._ensure_ready()
        entries = self._journal.read_own_entries()
        applied, undone = find_applied(entries), list_undone_rollbacks(entries)
        chosen = applied if fix_ids is None else select_entries(applied, fix_ids)
        planner = RollbackPlanner(
            entries,
            applied,
            undone,
            chosen,
            fix_ids is None,
            parts or {},
            self._blobs,
            self._files.read,
            self._files.read_status,
        )
        planner.plan()
        kept = {*planner.left, *planner.absent}
        reverted = [entry for entry in chosen if kept.isdisjoint(entry.fixes)]
        names = tuple(name for entry in reverted for name in entry.fixes)
        result = Rollback(names, planner.left, frozenset(planner.partial), absent=tuple(planner.absent))
        steps = planner.list_steps()
        folders = dict.fromkeys(folder for entry in reverted for folder in entry.folders)
        folders |= dict.fromkeys(_list_created_parents(entries, steps))
        if not reverted and not steps:
            return result
        entry = self._journal.begin(Kind.ROLLBACK, result.fixes, steps, folders, result.edited_files, planner.partial)
        self._carry_out(entry)
        return replace(result, made=entry.changes)

    def list_applied_fixes(self) -> tuple[str, ...]:
        """Return the ids of the fixes that are applied according to the journal, oldest first."""
        return tuple(name for entry in find_applied(self._journal.read_own_entries()) for name in entry.fixes)

    def list_changes(self, fix_id: str) -> tuple[ChangeMade, ...]:
        """Return the changes of a fix that are applied according to the journal. Returns () if there are none."""
        entries = find_applied(self._journal.read_own_entries())
        return next((entry.changes for entry in entries if fix_id in entry.fixes), ())

    def list_applied_files(self, fix_ids: Collection[str] = ()) -> frozenset[str]:
        """Return the files that the named fixes, or all, have changed, according to the journal."""
        applied = find_applied(self._journal.read_own_entries())
        chosen = select_entries(applied, fix_ids) if fix_ids else applied
        return frozenset(step.file for entry in chosen for step in entry.steps)

    def close(self) -> None:
        """Close the open change. Call this after saving the state with its result."""
        for entry in self._journal.read_open_entries():
            self._journal.end(entry, EntryOutcome.CLOSED)

    def undo(self) -> tuple[str, ...]:
        """Undo the open change byte for byte.

        Returns the edited files in which this is impossible. If there are any, no file is changed.
        """
        entries = self._journal.read_open_entries()
        return tuple(file for entry in entries for file in self._close_entry(entry, complete=False))

    def _ensure_ready(self) -> None:
        if not self._held:
            raise RuntimeError("call `hold` before changing the skill")
        if self._journal.read_open_entries():
            raise RuntimeError("the last change was neither closed nor undone")

    def _plan_step(self, change: FileChange, moved: str | None) -> Step:
        """Check a change against the file on disk, and store the old bytes. moved: the old path of a moved file."""
        unresolved, path = self.root / change.file, locate(self.root, change.file)
        create, delete = change.action == "create", change.action == "delete"
        old = self._files.read(change.file)
        before = None if old is None else self.store(old)
        if create and os.path.lexists(unresolved):
            if moved and unresolved.samefile(self.root / moved):
                problem = f"is the same file as {moved} on this file system; rename {moved} with `git mv`"
                raise build_refusal(change.file, problem)
            raise build_refusal(change.file, "exists already")
        if delete and unresolved.is_symlink():
            raise build_refusal(change.file, "is a link; only files can be deleted")
        if before != change.sha256_before or (before is None) is not create:
            raise build_refusal(change.file, "was edited since the diagnosis")
        if (change.sha256_after is None) is not delete:
            raise build_refusal(
                change.file, f"cannot be changed: the new content does not match the action '{change.action}'"
            )
        if change.sha256_after:
            self.get(change.sha256_after)
        new_mode = NEW_FILE_MODE if change.mode is None else change.mode & 0o777
        file = str(path.relative_to(self.root))
        if create:
            mode = new_mode if moved is None else self._files.read_mode(moved)
            return Step(file, before, change.sha256_after, mode)
        mode = self._files.read_mode(file)
        if change.mode is None or before != change.sha256_after:
            return Step(file, before, change.sha256_after, mode)
        return Step(file, before, before, mode | (mode & 0o444) >> 2 & new_mode, mode)

    def _list_new_folders(self, steps: Iterable[Step]) -> list[str]:
        new_files = (self.root / step.file for step in steps if step.before is None)
        missing = (folder for file in new_files for folder in find_missing_parents(file))
        return list(dict.fromkeys(str(folder.relative_to(self.root)) for folder in missing))

    def _carry_out(self, entry: Entry) -> None:
        try:
            self._files.carry_out(entry)
        except BaseException:
            self._close_entry(entry, complete=False)
            raise

    def _close_entry(self, entry: Entry, *, complete: bool) -> tuple[str, ...]:
        """Finish or undo an open entry, and return the edited files.

        A fix that cannot be undone in one of its files remains applied.
        """
        edited = self._files.finish(entry) if complete else self._files.undo(entry)
        is_left = bool(edited) and entry.kind is Kind.APPLY
        remaining = self._files.list_changed(entry) if is_left else edited
        self._journal.end(entry, EntryOutcome.CLOSED if complete or is_left else EntryOutcome.ROLLED_BACK, remaining)
        return edited

    def _recover_all(self, verified: Verified) -> tuple[Recovery, ...]:
        """Recover the unfinished changes of the run that locked the skill last, and of the run in this work dir."""
        last = registry.read_last_claim(self.unit_path)
        others = [Workspace(self.root, Path(last.work_dir), self.file)] if last else []
        workspaces = {workspace.work_dir: workspace for workspace in (*others, self)}
        return tuple(recovery for workspace in workspaces.values() for recovery in workspace._recover(verified))

    def _remove_temp_files(self) -> None:
        """Remove temporary files of killed writers.

        Other processes may be writing answers, so only old files are removed among these.
        """
        self._blobs.remove_temp_files()
        remove_old_temp_files(self.work_dir, 0.0)
        remove_old_temp_files(self.work_dir / ANSWERS)

    def _recover(self, verified: Verified) -> list[Recovery]:
        recovered = []
        self._remove_temp_files()
        for entry in self._journal.read_open_entries():
            complete = matches_state(entry, verified(self.work_dir))
            edited = self._close_entry(entry, complete=complete)
            recovered.append(Recovery(self.work_dir, entry.fixes, entry.kind, complete, edited, entry.changes))
        return recovered


def _list_created_parents(entries: Iterable[Entry], steps: Iterable[Step]) -> Iterator[str]:
    """Yield the folders above deleted files that any fix created. The rollback of that fix may have left them."""
    created = {folder for entry in entries for folder in entry.folders}
    deleted = (PurePath(step.file) for step in steps if step.after is None)
    return (str(folder) for file in deleted for folder in file.parents if str(folder) in created)
