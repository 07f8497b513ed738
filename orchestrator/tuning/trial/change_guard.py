"""Stop a trial if a file that a task may start has changed since the user allowed it."""

from pathlib import Path

import msgspec

from orchestrator.errors import BadInput, Refused
from orchestrator.tuning.trial.consent import Request, find_changes, format_names, read_scripts
from orchestrator.tuning.trial.subject import Subject
from orchestrator.tuning.trial.tasks import Task
from orchestrator.tuning.trial.versions import Version, read_version


class ChangeGuard(msgspec.Struct, frozen=True):
    """The subject of a trial, the request that the user allowed, and what to advise if they no longer match."""

    subject: Subject
    request: Request
    advice: str

    def ensure_unchanged(self, task: Task) -> None:
        """Raise Refused if a file that the task may start on this machine has changed since the trial began."""
        if not task.commands:
            return
        changed = [f"{name} of the skill" for name in self._find_changed_programs()]
        changed += find_changes(self.request.scripts, read_scripts(self.subject.tasks))
        if changed:
            raise Refused(f"the trial stopped before the next run: {format_names(changed)} changed; {self.advice}")

    def _find_changed_programs(self) -> list[str]:
        return _find_changed(self.subject.versions[self.subject.current], self.subject.root, include_new=True)

    def find_rewritten(self, version: str, skill: Path) -> list[str]:
        """Return the files of the skill that the run has changed and that a command may start."""
        return _find_changed(self.subject.versions[version], skill, include_new=False)


def _find_changed(version: Version, folder: Path, *, include_new: bool) -> list[str]:
    """Return the programs that differ between a version and a folder: changed, missing or, with `include_new`, new."""
    try:
        now = read_version(folder, version.name).programs
    except BadInput:
        now = {}
    return [name for name in find_changes(version.programs, now) if include_new or name in version.programs]
