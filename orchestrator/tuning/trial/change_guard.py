"""Stop a trial if a file that a task can start has changed since the user allowed the trial."""

from pathlib import Path

import msgspec

from orchestrator.errors import BadInput, Refused
from orchestrator.tuning.trial.consent import Request, find_changes, format_names, hash_scripts
from orchestrator.tuning.trial.subject import Subject
from orchestrator.tuning.trial.tasks import Task
from orchestrator.tuning.trial.versions import Version, read_version


class ChangeGuard(msgspec.Struct, frozen=True):
    """Compares what a trial will run with the request that the user allowed. advice: what to do if they differ."""

    subject: Subject
    request: Request
    advice: str

    def ensure_unchanged(self, task: Task) -> None:
        """Raise Refused if a file that the task can start on this machine has changed since the user allowed it."""
        if not task.commands:
            return
        changed = [f"{name} of the skill" for name in self._find_changed_programs()]
        changed += find_changes(self.request.scripts, hash_scripts(self.subject.tasks))
        if changed:
            raise Refused(f"the trial stopped before the next run: {format_names(changed)} changed; {self.advice}")

    def _find_changed_programs(self) -> list[str]:
        return _find_changed_files(self.subject.versions[self.subject.current], self.subject.root, include_new=True)

    def find_rewritten(self, version: str, skill: Path) -> list[str]:
        """Return the files of the skill that a command can start and that the run has changed."""
        return _find_changed_files(self.subject.versions[version], skill, include_new=False)


def _find_changed_files(version: Version, folder: Path, *, include_new: bool) -> list[str]:
    """Return the programs of a version that a folder lacks or has with other content.

    include_new: also return programs that only the folder has.
    """
    try:
        now = read_version(folder, version.name).program_digests
    except BadInput:
        now = {}
    return [
        name for name in find_changes(version.program_digests, now) if include_new or name in version.program_digests
    ]
