"""Carrying out journal entries on the files of a skill, forwards or backwards, as often as one likes."""

from pathlib import Path

from orchestrator.errors import Refused
from orchestrator.fs.durable import remove_temp_files, write_bytes
from orchestrator.run.workspace.blobs import Blobs, sha256
from orchestrator.run.workspace.disk import make_parents, read_regular, remove_empty, remove_file, told
from orchestrator.run.workspace.journal import Entry, Kind, Step
from orchestrator.run.workspace.paths import inside, locate, refused


class Files:
    """The files of the skill at `root` (a real path)."""

    def __init__(self, root: Path, blobs: Blobs) -> None:
        self.root = root
        self.blobs = blobs

    def read(self, file: str) -> bytes | None:
        """The bytes of `file`, None when there is none; raises Refused for what is not a file of the skill."""
        try:
            return read_regular(locate(self.root, file))
        except OSError as error:
            raise refused(file, f"cannot be read ({error.strerror})") from error

    def carry_out(self, entry: Entry) -> None:
        """Do all steps; raises Refused at the first file that was edited meanwhile."""
        for step in entry.steps:
            if not self._move(step):
                raise refused(step.file, "was edited meanwhile")
        if entry.kind is Kind.ROLLBACK:
            self._clear(entry)

    def put_back(self, entry: Entry) -> tuple[str, ...]:
        """Undo all steps that were done; gives the files left alone, as someone edited them since."""
        left = self._move_all(tuple(step.reversed for step in reversed(entry.steps)))
        if entry.kind is Kind.APPLY:
            self._clear(entry)
        return left

    def finish(self, entry: Entry) -> tuple[str, ...]:
        """Do what is left of a rollback; gives the files left alone. A fix that stands is done already."""
        if entry.kind is Kind.APPLY:
            return ()
        left = self._move_all(entry.steps)
        self._clear(entry)
        return left

    def _move_all(self, steps: tuple[Step, ...]) -> tuple[str, ...]:
        return tuple(step.file for step in steps if not self._swept_and_moved(step))

    def _swept_and_moved(self, step: Step) -> bool:
        try:
            folder = inside(self.root, step.file).parent
            with told(f"cannot clean {folder}"):
                remove_temp_files(folder)
            return self._move(step)
        except Refused:
            return False

    def _move(self, step: Step) -> bool:
        """Take one file to `after`; False when it is neither there nor at `before`."""
        data = self.read(step.file)
        now = None if data is None else sha256(data)
        if now == step.after:
            return True
        if now != step.before:
            return False
        path = locate(self.root, step.file)
        if step.after is None:
            remove_file(path)
        else:
            make_parents(path)
            write_bytes(
                path, self.blobs.get(step.after), mode=step.mode, before_rename=lambda: self._ensure_before(step)
            )
        return True

    def _ensure_before(self, step: Step) -> None:
        """Raise Refused when a file is no longer at `before`: someone edited it in the moment of the write."""
        data = self.read(step.file)
        if (None if data is None else sha256(data)) != step.before:
            raise refused(step.file, "was edited meanwhile")

    def _clear(self, entry: Entry) -> None:
        """Remove the folders that a fix created, innermost first, where they are empty."""
        for folder in sorted(entry.folders, reverse=True):
            remove_empty(inside(self.root, folder))
