"""Read what earlier improvements of a skill used: tasks for practice, opened exams and rejected edits."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec

from orchestrator.tuning.improve.store import FILE, read_state
from orchestrator.tuning.trial.folders import list_plans
from schemas.improvement import Improvement, Stage, StepStatus

FOLDER = ".workflow/skill-improvements"
"""The folder in a project that contains its improvements."""


class History(msgspec.Struct, frozen=True):
    """What earlier improvements of a skill have used.

    practice: the digests of tasks that a drafting model could have seen. opened: how many opened exams contained a
    task, by the digest of the task. rejected: why a text of the skill was rejected, by the digest of the text.
    """

    practice: frozenset[str] = frozenset()
    opened: Mapping[str, int] = msgspec.field(default_factory=dict)
    rejected: Mapping[str, str] = msgspec.field(default_factory=dict)


def find_stopped(key: str | None = None, skill: Path | None = None) -> Path | None:
    """Return the folder of the newest unfinished improvement. Returns None if there is none.

    key: only improvements whose plan has this key. skill: only improvements of this skill.
    """
    for folder, plan in list_plans(FOLDER):
        if key in (None, plan.get("key")) and (skill is None or plan.get("skill") == str(skill.resolve())):
            state = read_state(folder / FILE)
            if state is None or not state.has_ended:
                return folder
    return None


def find_applying(skill: Path) -> Path | None:
    """Return the folder of a skill's improvement that was stopped while it applied its steps, or None."""
    folders = (folder for folder, plan in list_plans(FOLDER) if plan.get("skill") == str(skill.resolve()))
    states = ((folder, read_state(folder / FILE)) for folder in folders)
    return next((folder for folder, state in states if state and state.stage is Stage.EXAMINED and state.run), None)


def find_improvement_of_run(work_dir: Path) -> Improvement | None:
    """Return the improvement that applies, or applied, its steps in the run with this work dir; None if none does."""
    states = (read_state(folder / FILE) for folder, _ in list_plans(FOLDER))
    path = work_dir.resolve()
    return next((state for state in states if state and state.run and Path(state.run).resolve() == path), None)


def find_improvement(name: str) -> Path | None:
    """Return the folder of this user's newest improvement whose id begins with `name`.

    Returns None if there is none.
    """
    return next((folder for folder, _ in list_plans(FOLDER) if folder.name.startswith(name)), None)


def read_history(skill: Path, current: Path | None) -> History:
    """Return what this user's improvements of a skill have used. current: the improvement that does not count."""
    practice, opened, rejected = set[str](), dict[str, int](), dict[str, str]()
    for plan, state in _list_states(str(skill.resolve()), current):
        digests = plan["digests"]
        practice |= {digests.get(name, "") for name in state.practice}
        if state.openings:
            for name in state.exam_tasks:
                digest = digests.get(name, "")
                opened[digest] = max(opened.get(digest, 0), state.openings)
        for step in state.steps:
            if step.status is StepStatus.REJECTED and step.digest:
                rejected[step.digest] = f"an earlier improvement rejected it ({step.reason})"
        if state.exam and state.exam.verdict != "better" and state.kept:
            rejected[state.kept[-1].digest] = f"it did not pass an earlier exam ({state.exam.verdict})"
    return History(frozenset(practice), opened, rejected)


def _list_states(skill: str, current: Path | None) -> Iterator[tuple[dict[str, Any], Improvement]]:
    for folder, plan in list_plans(FOLDER):
        is_earlier = plan.get("skill") == skill and folder != current
        state = read_state(folder / FILE) if is_earlier else None
        if state is not None and isinstance(plan.get("digests"), dict):
            yield plan, state
