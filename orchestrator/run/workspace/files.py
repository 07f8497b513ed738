"""Carry out or undo journal entries on the files of a skill. Repeating either is harmless."""

import stat
from pathlib import Path

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
from orchestrator.fs.paths import inside, locate, refusal
from orchestrator.run.workspace.blobs import Blobs, sha256
from orchestrator.run.workspace.journal import Entry, Kind, Step


class Files:
    """The files of a skill, or of a project, at `root` (a real path)."""

    def __init__(self, root: Path, blobs: Blobs) -> None:
        self.root = root
        self.blobs = blobs

    def read(self, file: str) -> bytes | None:
        """Return the bytes of `file`; None if it is missing. Raises Refused for anything but a file of the skill."""
        try:
            return read_regular(locate(self.root, file))
        except OSError as error:
            raise refusal(file, f"cannot be read ({error.strerror})") from error

    def read_mode(self, file: str) -> int:
        """Return the mode of an existing file. Raises Refused as `read` does."""
        return stat.S_IMODE(locate(self.root, file).stat().st_mode)

    def carry_out(self, entry: Entry) -> None:
        """Do all steps of an entry. Raises Refused at the first file that was edited meanwhile."""
        for step in entry.steps:
            if not self._move(step):
                raise refusal(step.file, "was edited meanwhile")
        if entry.kind is Kind.ROLLBACK:
            self._clear(entry)

    def put_back(self, entry: Entry) -> tuple[str, ...]:
        """Undo the steps that were done. Return the files that were edited since and therefore not changed."""
        left = self._move_all(tuple(step.inverse for step in reversed(entry.steps)))
        if entry.kind is Kind.APPLY:
            self._clear(entry)
        return left

    def finish(self, entry: Entry) -> tuple[str, ...]:
        """Finish a rollback that was interrupted; nothing is left to do for a fix. Return the files not changed."""
        if entry.kind is Kind.APPLY:
            return ()
        left = self._move_all(entry.steps)
        self._clear(entry)
        return left

    def _move_all(self, steps: tuple[Step, ...]) -> tuple[str, ...]:
        return tuple(step.file for step in steps if not self._clean_and_move(step))

    def _clean_and_move(self, step: Step) -> bool:
        try:
            path = inside(self.root, step.file)
            with wrap_os_errors(f"cannot clean {path.parent}"):
                remove_temp_files(path.parent, path.name)
            return self._move(step)
        except Refused:
            return False

    def _move(self, step: Step) -> bool:
        """Change one file from `before` to `after`; return False if it has neither content."""
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
            write_bytes(
                path, self.blobs.get(step.after), mode=step.mode, before_rename=lambda: self._ensure_before(step)
            )
        return True

    def _ensure_before(self, step: Step) -> None:
        """Raise Refused if a file was edited while its new content was being written."""
        data = self.read(step.file)
        if (None if data is None else sha256(data)) != step.before:
            raise refusal(step.file, "was edited meanwhile")

    def _clear(self, entry: Entry) -> None:
        """Remove the empty folders that a fix created, innermost first."""
        for folder in sorted(entry.folders, reverse=True):
            remove_empty(inside(self.root, folder))
