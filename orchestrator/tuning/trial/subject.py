"""Define what runs: versions of a skill, and the tasks that they work on."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from orchestrator.tuning.trial.tasks import Task
from orchestrator.tuning.trial.versions import Version


@dataclass(frozen=True)
class Subject:
    """The versions of the skill at `root`, the tasks, and the model of the runs.

    name: the skill's folder in the project of a run. current: the name of the version that is on the disk.
    """

    name: str
    root: Path
    versions: Mapping[str, Version]
    current: str
    tasks: tuple[Task, ...]
    model: str = ""
