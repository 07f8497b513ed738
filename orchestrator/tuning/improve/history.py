"""Read what earlier improvements of a skill used: practice tasks, exam tasks and rejected edits."""

import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec

from orchestrator.fs.disk import wrap_os_errors
from orchestrator.fs.notes import read_note, write_note
from orchestrator.fs.own_folders import list_folders, read_trusted_skill
from orchestrator.fs.paths import resolve_links
from orchestrator.tuning.improve.store import FILE, has_state, read_state
from orchestrator.tuning.trial.folders import is_trial, list_plans
from orchestrator.tuning.trial.ledger import Ledger
from schemas.improvement import Improvement, StepStatus

FOLDER = ".workflow/skill-improvements"
"""The folder in a project that contains its improvements."""
_NOTES = "improvements"
"""The kind of the user's notes with the location of the newest improvement of a skill."""


class History(msgspec.Struct, frozen=True):
    """Data about earlier improvements of a skill.

    practice: the digests of the tasks that a drafting model may have seen. opened: for each task, by digest, the number
    of earlier exams that used it. rejected: for each rejected text of the skill, by digest, the reason.
    """

    practice: frozenset[str] = frozenset()
    opened: Mapping[str, int] = msgspec.field(default_factory=dict)
    rejected: Mapping[str, str] = msgspec.field(default_factory=dict)


def find_stopped(skill: Path, key: str | None = None) -> Path | None:
    """Return the folder of the newest unfinished improvement of a skill, or None.

    key: only improvements whose plan has this key.
    """
    for folder, plan in list_plans_of_skill(skill):
        if key in (None, plan.get("key")):
            state = read_state(folder / FILE)
            if state is None or not state.has_ended:
                return folder
    return None


def find_newest_unfinished() -> Path | None:
    """Return the folder of the newest unfinished improvement of the project, or None."""
    states = ((folder, read_state(folder / FILE)) for folder, _ in _list_plans())
    return next((folder for folder, state in states if state is None or not state.has_ended), None)


def find_applying(skill: Path) -> Path | None:
    """Return the folder of a skill's improvement that has passed but not applied all its steps, or None."""
    states = ((folder, read_state(folder / FILE)) for folder, _ in list_plans_of_skill(skill))
    return next((folder for folder, state in states if state and state.has_passed), None)


def remember_folder(skill: Path, folder: Path) -> None:
    """Record where the newest improvement of a skill is, so that it is found from any folder. Raises WriteFailed."""
    with wrap_os_errors(f"cannot record {folder}"):
        write_note(_NOTES, resolve_links(skill), str(folder.resolve()))


def list_plans_of_skill(skill: Path) -> Iterator[tuple[Path, dict[str, Any]]]:
    """Yield the folder and plan of each improvement of a skill, newest first.

    The improvements are searched from the working directory, from the skill, and where the newest one was started.
    """
    root = resolve_links(skill)
    noted = read_note(_NOTES, root)
    others = (Path(noted).parent,) if isinstance(noted, str) else ()
    plans = _list_plans((*list_folders(FOLDER, root), *others))
    return ((folder, plan) for folder, plan in plans if _read_skill(folder, plan) == str(root))


def _read_skill(folder: Path, plan: Mapping[str, Any]) -> str | None:
    """Return the path of the skill of an improvement. A damaged plan does not have it, but the user's notes do."""
    skill = plan.get("skill")
    return skill if isinstance(skill, str) and skill else read_trusted_skill(folder)


def _list_plans(others: Iterable[Path] = ()) -> Iterator[tuple[Path, dict[str, Any]]]:
    return list_plans(FOLDER, others, is_improvement)


def is_improvement(folder: Path) -> bool:
    """Return whether a folder is that of an improvement, even if its plan is missing.

    A folder with neither a plan nor a state counts only if something was paid. Otherwise the improvement was killed
    before it began.
    """
    if is_trial(folder) or has_state(folder / FILE):
        return True
    with suppress(OSError):
        return Ledger.peek(folder)[0].spent > 0
    return False


def find_improvement_of_run(work_dir: Path) -> Improvement | None:
    """Return the improvement that applies, or has applied, its steps in the run with this work dir, or None."""
    states = (read_state(folder / FILE) for folder, _ in _list_plans())
    path = work_dir.resolve()
    return next((state for state in states if state and state.run and Path(state.run).resolve() == path), None)


def find_improvement(name: str) -> Path | None:
    """Return the folder of this user's newest improvement with this path or with an id that begins with `name`.

    Returns None if there is none.
    """
    if os.sep in name:
        folder = Path(name).resolve()
        return next((found for found, _ in _list_plans((folder.parent,)) if found == folder), None)
    return next((folder for folder, _ in _list_plans() if folder.name.startswith(name)), None)


def read_history(skill: Path, current: Path | None) -> History:
    """Return what this user's improvements of a skill have used, except the improvement `current`."""
    practice, opened, rejected = set[str](), dict[str, int](), dict[str, str]()
    for plan, state in _list_states(skill, current):
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


def _list_states(skill: Path, current: Path | None) -> Iterator[tuple[dict[str, Any], Improvement]]:
    for folder, plan in list_plans_of_skill(skill):
        state = read_state(folder / FILE) if folder != current else None
        if state is not None and isinstance(plan.get("digests"), dict):
            yield plan, state
