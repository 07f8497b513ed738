"""Find a run that is changing a skill, or was stopped while it changed one, for commands that only read."""

from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
from msgspec.structs import replace

from orchestrator.errors import StateDamaged
from orchestrator.fs.paths import resolve_links
from orchestrator.run.workspace import registry

if TYPE_CHECKING:
    from orchestrator.engine.rows import Row


class Pending(msgspec.Struct, frozen=True):
    """A run with an unfinished change of a unit.

    at_work: whether the run is changing the unit now. Otherwise it was stopped and needs recovery. what: "skill" or
    "file".
    """

    run_id: str
    work_dir: Path
    at_work: bool
    what: str = "skill"

    @property
    def sentence(self) -> str:
        """The message to the user."""
        if self.at_work:
            return f"Run {self.run_id} ({self.work_dir}) is changing this {self.what} right now."
        return (
            f"Run {self.run_id} ({self.work_dir}) was stopped while it changed this {self.what}; the next run, resume, "
            "apply or rollback repairs it."
        )


def add_note(row: "Row") -> "Row":
    """Add a note to the row of a skill if a run is changing the skill."""
    pending = find_pending(Path(row.path)) if row.error is None else None
    return replace(row, notes=(*row.notes, pending.sentence)) if pending else row


def find_pending(unit: Path) -> Pending | None:
    """Return the run that is changing a unit (a skill's folder, or a file) or needs recovery. None if there is none."""
    root = resolve_links(unit)
    last = registry.read_last_claim(root)
    if last is None:
        return None
    at_work = registry.is_held(root)
    if not at_work and not _is_unfinished(Path(last.journal), root):
        return None
    return Pending(last.run_id, Path(last.work_dir), at_work, "file" if root.is_file() else "skill")


def _is_unfinished(journal: Path, root: Path) -> bool:
    from orchestrator.run.workspace.journal import Journal  # rarely needed

    try:
        return bool(Journal(journal, root).read_open_entries())
    except StateDamaged:
        return True
