"""Find out whether a run is changing a skill, or was stopped while it did, for commands that only read."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from orchestrator.errors import StateDamaged
from orchestrator.fs.paths import real
from orchestrator.run.workspace import registry

if TYPE_CHECKING:
    from orchestrator.engine.rows import Row


@dataclass(frozen=True)
class Pending:
    """A run that is changing a skill or another unit (`what`), or that was stopped and needs recovery."""

    run_id: str
    work_dir: Path
    at_work: bool
    what: str = "skill"

    @property
    def sentence(self) -> str:
        """The message for the user."""
        if self.at_work:
            return f"Run {self.run_id} ({self.work_dir}) is changing this {self.what} right now."
        return (
            f"Run {self.run_id} ({self.work_dir}) was stopped while it changed this {self.what}; the next run, resume, "
            "apply or rollback repairs that."
        )


def add_note(row: "Row") -> "Row":
    """Return the row of a scanned skill with a note if a run is changing that skill."""
    pending = inspect(Path(row.path)) if row.error is None else None
    return replace(row, notes=(*row.notes, pending.sentence)) if pending else row


def inspect(place: Path) -> Pending | None:
    """Return the run that is changing a skill (its folder) or another unit (its file), or needs recovery, if any."""
    root = real(place)
    last = registry.last_claim(root)
    if last is None:
        return None
    at_work = registry.is_held(root)
    if not at_work and not _is_unfinished(Path(last.journal), root):
        return None
    return Pending(last.run_id, Path(last.work_dir), at_work, "file" if root.is_file() else "skill")


def _is_unfinished(journal: Path, root: Path) -> bool:
    from orchestrator.run.workspace.journal import Journal  # rarely needed

    try:
        return bool(Journal(journal, root).open_entries())
    except StateDamaged:
        return True
