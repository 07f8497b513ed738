"""Define what a run tests: a version of a skill, on a task."""

from collections.abc import Mapping
from pathlib import Path

import msgspec

from orchestrator.tuning.trial.tasks import Task
from orchestrator.tuning.trial.versions import Version


class Subject(msgspec.Struct, frozen=True):
    """The versions of the skill at `root`, the tasks, and the model of the runs.

    name: the name of the skill's folder in runs. current: the name of the version that is on disk.
    """

    name: str
    root: Path
    versions: Mapping[str, Version]
    current: str
    tasks: tuple[Task, ...]
    model: str = ""
