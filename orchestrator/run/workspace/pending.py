"""What a command that only reads should know of a skill: whether a run writes to it, or was stopped while it did."""

from dataclasses import dataclass
from pathlib import Path

from orchestrator.errors import StateDamaged
from orchestrator.run.workspace import registry
from orchestrator.run.workspace.paths import real


@dataclass(frozen=True)
class Pending:
    """What a command that only reads should say about a skill: a run is at work, or a recovery is waiting."""

    run_id: str
    work_dir: Path
    at_work: bool

    @property
    def sentence(self) -> str:
        """What to tell the user."""
        if self.at_work:
            return f"Run {self.run_id} ({self.work_dir}) is changing this skill right now."
        return (
            f"Run {self.run_id} ({self.work_dir}) was stopped while it changed this skill; the next run, resume, "
            "apply or rollback repairs that."
        )


def inspect(skill_root: Path) -> Pending | None:
    """Say whether a run is at work on the skill or a recovery is waiting; changes nothing."""
    root = real(skill_root)
    last = registry.last_claim(root)
    if last is None:
        return None
    at_work = registry.is_held(root)
    if not at_work and not _is_unfinished(Path(last.journal), root):
        return None
    return Pending(last.run_id, Path(last.work_dir), at_work)


def _is_unfinished(journal: Path, root: Path) -> bool:
    from orchestrator.run.workspace.journal import Journal  # seldom needed

    try:
        return bool(Journal(journal, root).unfinished())
    except StateDamaged:
        return True
