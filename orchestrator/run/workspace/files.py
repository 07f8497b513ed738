"""Carry out or undo journal entries on the files of a skill. Both can be repeated safely."""

import os
import stat
from collections.abc import Iterable
from pathlib import Path

from msgspec.structs import replace

from orchestrator.errors import Refused
from orchestrator.fs.disk import (
    change_mode,
    make_parents,
    read_regular,
    remove_empty,
    remove_file,
    wrap_os_errors,
)
from orchestrator.fs.durable import remove_temp_files, write_bytes
from orchestrator.fs.paths import build_refusal, locate, resolve_inside
from orchestrator.run.workspace.blobs import Blobs, sha256
from orchestrator.run.workspace.hunks import is_reverted, lacks_change, revert_change
from orchestrator.run.workspace.journal import Entry, Kind, Step


class Files:
    """The files of a skill, or of a project, at `root` (a real path)."""

    def __init__(self, root: Path, blobs: Blobs) -> None:
        self.root = root
        self.blobs = blobs

    def read(self, file: str) -> bytes | None:
        """Return the content of `file`, or None if it is missing. Raises Refused if it is not a file of the skill."""
        try:
            return read_regular(locate(self.root, file))
        except OSError as error:
            raise build_refusal(file, f"cannot be read ({error.strerror})") from error

    def read_mode(self, file: str) -> int:
        """Return the mode of an existing file. Raises Refused as `read` does."""
        return stat.S_IMODE(self.read_status(file).st_mode)

    def read_status(self, file: str) -> os.stat_result:
        """Return the status of an existing file. Raises Refused as `read` does."""
        return locate(self.root, file).stat()

    def carry_out(self, entry: Entry) -> None:
        """Carry out all steps of an entry. Raises Refused at the first file that was edited meanwhile."""
        for step in entry.steps:
            if not self._change(step):
                raise build_refusal(step.file, "was edited meanwhile")
        if entry.kind is Kind.ROLLBACK:
            self._remove_folders(entry)

    def undo(self, entry: Entry) -> tuple[str, ...]:
        """Undo the steps of an entry that were carried out. Returns the edited files that were not changed.

        A fix is also undone in an edited file if the file still has the lines of the fix. A fix is undone in all files
        or in none, because one file may refer to another file that the fix created.
        """
        steps = entry.steps[::-1]
        if entry.kind is Kind.ROLLBACK:
            return self._change_all(step.inverse for step in steps)
        plans = [self._plan_undo(step) for step in steps]
        edited = tuple(step.file for step, plan in zip(steps, plans, strict=True) if plan is None)
        if edited:
            return edited
        edited = self._change_all(plan for plan in plans if plan)
        self._remove_folders(entry)
        return edited

    def list_changed(self, entry: Entry) -> tuple[str, ...]:
        """Return the files of an entry whose content differs from before the entry."""
        return tuple(step.file for step in entry.steps if step.before == step.after or not self._is_before(step))

    def finish(self, entry: Entry) -> tuple[str, ...]:
        """Finish an interrupted rollback. Returns the files that were not changed because a user had edited them.

        An interrupted fix is not finished.
        """
        if entry.kind is Kind.APPLY:
            return ()
        steps = {step.file: step for step in entry.steps}
        edited = self._change_all(entry.steps)
        self._remove_folders(entry)
        return tuple(file for file in edited if not self._has_result(steps[file]))

    def _plan_undo(self, step: Step) -> Step | None:
        """Return a step that undoes `step`, even in a file edited since. None if this is impossible."""
        try:
            self._clean(step)
            data = self.read(step.file)
        except Refused:
            return None
        now = None if data is None else sha256(data)
        if now in (step.before, step.after):
            return step.inverse
        if data is None or step.before is None or step.after is None:
            return None
        old, new = self.blobs.get(step.before), self.blobs.get(step.after)
        if old != new and lacks_change(old, new, data):
            return replace(step.inverse, after=now)
        reverted = revert_change(old, new, data)
        return None if reverted is None else replace(step.inverse, before=now, after=self.blobs.store(reverted))

    def _is_before(self, step: Step) -> bool:
        try:
            data = self.read(step.file)
        except Refused:
            return False
        return (None if data is None else sha256(data)) == step.before

    def _has_result(self, step: Step) -> bool:
        """Return whether an edited file contains all lines that a step writes, and none that it replaces."""
        try:
            data = self.read(step.file)
        except Refused:
            return False
        if data is None or step.before is None or step.after is None:
            return False
        return is_reverted(self.blobs.get(step.after), self.blobs.get(step.before), data)

    def _change_all(self, steps: Iterable[Step]) -> tuple[str, ...]:
        """Change the files of all steps. Returns the files that were not changed because a user had edited them."""
        return tuple(step.file for step in steps if not self._clean_and_change(step))

    def _clean_and_change(self, step: Step) -> bool:
        try:
            self._clean(step)
            return self._change(step)
        except Refused:
            return False

    def _clean(self, step: Step) -> None:
        path = resolve_inside(self.root, step.file)
        with wrap_os_errors(f"cannot clean {path.parent}"):
            remove_temp_files(path.parent, path.name)

    def _change(self, step: Step) -> bool:
        """Change one file from its `before` to its `after` content. Returns False if the file has neither content.

        If the user changed the mode meanwhile, that mode is kept.
        """
        data = self.read(step.file)
        now = None if data is None else sha256(data)
        if now != step.before:
            return now == step.after
        path = locate(self.root, step.file)
        if step.before == step.after:
            return change_mode(path, step.old_mode, step.mode)
        if step.after is None:
            remove_file(path)
        else:
            make_parents(path)
            found = step.old_mode if data is None else self.read_mode(step.file)
            mode = step.mode if found == step.old_mode else found
            write_bytes(path, self.blobs.get(step.after), mode=mode, before_rename=lambda: self._ensure_before(step))
        return True

    def _ensure_before(self, step: Step) -> None:
        data = self.read(step.file)
        if (None if data is None else sha256(data)) != step.before:
            raise build_refusal(step.file, "was edited meanwhile")

    def _remove_folders(self, entry: Entry) -> None:
        """Remove the folders that a fix created, if they are empty, innermost first."""
        for folder in sorted(entry.folders, reverse=True):
            remove_empty(resolve_inside(self.root, folder))
