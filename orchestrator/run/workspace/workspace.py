"""The workspace of a run: it changes a skill reversibly, and never leaves the skill folder.

An act (`apply`, `rollback`) goes: intent in the journal -> files -> the caller verifies and saves its state -> `close`.
Until then `undo` puts everything back; after a kill the next `hold` does, unless the saved state agrees with the act.
"""

import os
import stat
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from orchestrator.errors import BadInput
from orchestrator.fs.durable import remove_temp_files
from orchestrator.run.workspace import registry
from orchestrator.run.workspace.backup import back_up
from orchestrator.run.workspace.blobs import Blobs
from orchestrator.run.workspace.disk import missing_parents
from orchestrator.run.workspace.files import Files
from orchestrator.run.workspace.journal import Entry, Journal, Kind, Outcome, Step, kept
from orchestrator.run.workspace.paths import locate, real, refused
from orchestrator.run.workspace.recovery import Recovery, stands, verified_fixes
from orchestrator.run.workspace.rollback import Planner, choose
from schemas.records import ChangeMade, FileChange

NEW_FILE_MODE = 0o644
"""Permissions of a created file when the change names none."""

Verified = Callable[[Path], frozenset[str]]
"""Gives the ids of the fixes that the state in a work dir names as applied and verified."""


@dataclass(frozen=True)
class Rollback:
    """The fixes that a rollback took back, and what it made of the files.

    `left` names the fixes that stay, with the files that were edited since.
    """

    fixes: tuple[str, ...]
    left: Mapping[str, tuple[str, ...]]
    made: tuple[ChangeMade, ...] = ()

    @property
    def edited(self) -> tuple[str, ...]:
        """The files for which fixes stay."""
        return tuple(sorted({file for files in self.left.values() for file in files}))


class Workspace:
    """One skill folder and one work dir. Whatever changes the skill needs `hold`, and one act is open at a time."""

    def __init__(self, skill_root: Path, work_dir: Path) -> None:
        """Touch nothing yet; raises BadInput when the work dir is inside the skill."""
        self.root = real(skill_root)
        self.work_dir = real(work_dir)
        if self.work_dir.is_relative_to(self.root):
            raise BadInput(f"{work_dir}: this work dir is inside the skill; choose another with --work-dir")
        self._journal = Journal(self.work_dir / "journal.jsonl", self.root)
        self._blobs = Blobs(self.work_dir / "blobs")
        self._files = Files(self.root, self._blobs)
        self._held = False

    def put(self, data: bytes) -> str:
        """Keep contents in the work dir and give their sha256."""
        return self._blobs.put(data)

    def get(self, name: str) -> bytes:
        """Give the contents with this sha256; raises StateDamaged when they are missing or damaged."""
        return self._blobs.get(name)

    def backup(self) -> Path:
        """Copy the whole skill to `<work_dir>/backup` (once) and give that folder."""
        return back_up(self.root, self.work_dir)

    @contextmanager
    def hold(self, run_id: str, verified: Verified = verified_fixes) -> Iterator[tuple[Recovery, ...]]:
        """Hold the skill for writing; gives what had to be recovered first, from whatever work dir.

        An act that is still open at the end is settled in the same way. Raises Busy when another run holds the
        skill, BadInput when the skill is gone, StateDamaged when what a killed run left cannot be read.
        """
        if not self.root.is_dir():
            raise BadInput(f"{self.root}: there is no such skill folder; check the path")
        with registry.lock(self.root) as fd:
            recovered = self._recover_all(verified)
            journal = str(self._journal.path)
            registry.claim(fd, registry.Claim(run_id, str(self.root), str(self.work_dir), journal, os.getpid()))
            self._held = True
            try:
                yield recovered
            finally:
                self._held = False
                self._recover(verified)

    def apply(self, fix_id: str, changes: Sequence[FileChange]) -> tuple[ChangeMade, ...]:
        """Carry out a fix whose contents were `put`; then verify, and `close` or `undo`.

        Raises Refused, naming file and reason, when one change may not be made; then none is.
        """
        self._ready()
        steps = [self._step(change) for change in changes]
        for file, times in Counter(step.file for step in steps).items():
            if times > 1:
                raise refused(file, f"{fix_id} changes it {times} times")
        self._carry_out(self._journal.begin(Kind.APPLY, [fix_id], steps, self._new_folders(steps)))
        return tuple(
            ChangeMade(change.file, change.action, step.mode, step.before, step.after)
            for change, step in zip(changes, steps, strict=True)
        )

    def rollback(self, fix_ids: Collection[str] | None = None) -> Rollback:
        """Take back the named fixes, or all (None); then save the state, all fixes at once, and `close`.

        All: to the original bytes; a fix of which a hunk was edited since stays whole and is named. Named: those that
        stand; raises Refused where a hunk no longer stands unchanged; then nothing is changed.
        """
        self._ready()
        standing = kept(self._journal.mine())
        chosen = standing if fix_ids is None else choose(standing, fix_ids)
        planner = Planner(standing, chosen, fix_ids is None, self._blobs, self._files.read)
        planner.walk()
        gone = [entry for entry in chosen if planner.left.keys().isdisjoint(entry.fixes)]
        done = Rollback(tuple(name for entry in gone for name in entry.fixes), planner.left)
        folders = [folder for entry in gone for folder in entry.folders]
        if not gone:
            return done
        entry = self._journal.begin(Kind.ROLLBACK, done.fixes, planner.steps(), folders, done.edited)
        self._carry_out(entry)
        return replace(done, made=entry.made)

    def standing(self) -> tuple[str, ...]:
        """Give the ids of the fixes that stand in the skill, oldest first, as the journal has them."""
        return tuple(name for entry in kept(self._journal.mine()) for name in entry.fixes)

    def close(self) -> None:
        """Let the act stand: its outcome is in the saved state."""
        for entry in self._journal.unfinished():
            self._journal.end(entry, Outcome.CLOSED)

    def undo(self) -> tuple[str, ...]:
        """Put the open act back byte for byte; gives the files left alone, as someone edited them since."""
        return tuple(file for entry in self._journal.unfinished() for file in self._settle(entry, stand=False))

    def _ready(self) -> None:
        if not self._held:
            raise RuntimeError("the skill would be changed without holding it")
        if self._journal.unfinished():
            raise RuntimeError("the last act was neither closed nor undone")

    def _step(self, change: FileChange) -> Step:
        """Check a change against what stands on the disk, and keep the old bytes."""
        named, path = self.root / change.file, locate(self.root, change.file)
        create, delete = change.action == "create", change.action == "delete"
        old = self._files.read(change.file)
        before = None if old is None else self.put(old)
        if create and os.path.lexists(named):
            raise refused(change.file, "is there already")
        if delete and named.is_symlink():
            raise refused(change.file, "is a link, and only files are deleted")
        if before != change.sha256_before or (before is None) is not create:
            raise refused(change.file, "was edited meanwhile, so it is not the text that was diagnosed")
        if (change.sha256_after is None) is not delete:
            raise refused(change.file, f"the change names no contents that fit '{change.action}'")
        if change.sha256_after:
            self.get(change.sha256_after)
        wanted = NEW_FILE_MODE if change.mode is None else change.mode & 0o777
        mode = wanted if create else stat.S_IMODE(path.stat().st_mode)
        return Step(str(path.relative_to(self.root)), before, change.sha256_after, mode)

    def _new_folders(self, steps: Iterable[Step]) -> list[str]:
        missing = (folder for step in steps if step.before is None for folder in missing_parents(self.root / step.file))
        return list(dict.fromkeys(str(folder.relative_to(self.root)) for folder in missing))

    def _carry_out(self, entry: Entry) -> None:
        try:
            self._files.carry_out(entry)
        except BaseException:
            self._settle(entry, stand=False)
            raise

    def _settle(self, entry: Entry, *, stand: bool) -> tuple[str, ...]:
        edited = self._files.finish(entry) if stand else self._files.put_back(entry)
        self._journal.end(entry, Outcome.CLOSED if stand else Outcome.ROLLED_BACK, edited)
        return edited

    def _recover_all(self, verified: Verified) -> tuple[Recovery, ...]:
        """Recover the run that held the skill last, and the run of this work dir."""
        last = registry.last_claim(self.root)
        others = [Workspace(self.root, Path(last.work_dir))] if last else []
        spaces = {space.work_dir: space for space in (*others, self)}
        return tuple(done for space in spaces.values() for done in space._recover(verified))

    def _recover(self, verified: Verified) -> list[Recovery]:
        recovered = []
        remove_temp_files(self._blobs.folder)
        for entry in self._journal.unfinished():
            stand = stands(entry, verified(self.work_dir))
            edited = self._settle(entry, stand=stand)
            recovered.append(Recovery(self.work_dir, entry.fixes, entry.kind, stand, edited, entry.made))
        return recovered
