"""Create and find the folders of a project's trials, and find the sessions that trials recorded."""

import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from datetime import datetime
from hashlib import sha256
from pathlib import Path
from typing import Any

import schemas
from orchestrator.errors import Busy, Interrupted, RunFailed, StateDamaged
from orchestrator.fs import nofollow
from orchestrator.fs.durable import encode_value, ensure_private_dir, write_bytes, write_json
from orchestrator.fs.own_folders import choose_path, is_trusted, list_folders, read_trusted_skill, trust_work_dir
from orchestrator.tuning.trial import temp_files
from orchestrator.tuning.trial.ledger import FILE, Ledger
from orchestrator.tuning.trial.versions import read_version

FOLDER = ".workflow/skill-trials"
"""The folder in a project that contains its trials."""

PLAN, RESULT, SESSIONS = temp_files.PLAN, "result.json", temp_files.SESSIONS
_SHOWN = "shown"
"""The file with the digest of the result that the user has seen. A trial that is continued gets another result."""


def is_trial(folder: Path) -> bool:
    """Return whether a folder is that of a trial, even if its plan is damaged or lost. A folder for drafts is not."""
    return any(os.path.lexists(folder / name) for name in (PLAN, RESULT, SESSIONS))


def list_plans(
    kind: str = FOLDER, others: Iterable[Path] = (), is_kind: Callable[[Path], bool] = is_trial
) -> Iterator[tuple[Path, dict[str, Any]]]:
    """Yield the folder and plan of each trial of this user in the project, newest first.

    kind: the folder that contains the trials, relative to the project. others: more such folders. is_kind: whether a
    folder is that of a trial. A plan that is missing or cannot be read is empty.
    """
    folders = dict.fromkeys(folder.resolve() for folder in (*list_folders(kind), *others))
    trials = (child for folder in folders for child in folder.glob("*/") if is_kind(child))
    for trial in sorted(trials, key=lambda trial: trial.name, reverse=True):
        if is_trusted(trial):
            yield trial, read_plan(trial)


def read_plan(folder: Path) -> dict[str, Any]:
    """Return the plan of the trial in a folder. A plan that is missing or cannot be read is empty."""
    with suppress(OSError, ValueError, RecursionError):
        plan = json.loads(nofollow.read(str(folder / PLAN)))
        if isinstance(plan, dict):
            return plan
    return {}


def find_stopped(key: str, kind: str, schema: str) -> Path | None:
    """Return the folder of the newest stopped trial with this key, or None. schema: the schema of its result.

    A trial with a damaged result counts as stopped, because its ledger still has the runs.
    """
    folders = (folder for folder, plan in list_plans(kind) if plan.get("key") == key)
    return next((folder for folder in folders if read_result(folder, schema) is None), None)


def read_result(folder: Path, schema: str) -> dict[str, Any] | None:
    """Return the result of a trial or trigger test, or None if it has not ended or the result is damaged."""
    with suppress(OSError, ValueError, RecursionError):
        result: dict[str, Any] = json.loads(nofollow.read(str(folder / RESULT)))
        schemas.check(schema, result)
        return result
    return None


def find_finished(key: str, kind: str, schema: str) -> tuple[Path, dict[str, Any]] | None:
    """Return the folder and result of the newest finished trial with this key, or None. schema: that of its result."""
    found = ((folder, read_result(folder, schema)) for folder, plan in list_plans(kind) if plan.get("key") == key)
    return next(((folder, result) for folder, result in found if result is not None), None)


def is_shown(folder: Path, result: Mapping[str, Any]) -> bool:
    """Return whether this result of a trial or trigger test was shown to the user."""
    with suppress(OSError, ValueError):
        return nofollow.read(str(folder / _SHOWN)) == _digest(result)
    return False


def mark_shown(folder: Path, result: Mapping[str, Any]) -> None:
    """Record that a result of a trial or trigger test was shown. If that fails, it is shown again."""
    if is_trusted(folder) and not is_shown(folder, result):
        with suppress(RunFailed):
            write_bytes(folder / _SHOWN, _digest(result))


def _digest(result: Mapping[str, Any]) -> bytes:
    return sha256(encode_value(result)).hexdigest().encode()


@contextmanager
def report_end_in_interrupt(folder: Path, what: str, has_ended: Callable[[], bool]) -> Iterator[None]:
    """Convert KeyboardInterrupt in the block to Interrupted if the result was saved, because a repeat would cost again.

    what: the word for a trial. has_ended: whether the result in `folder` is that of the block.
    """
    try:
        yield
    except KeyboardInterrupt:
        if not has_ended():
            raise
        raise Interrupted(
            f"the {what} has ended and its result is saved; see `tune-skill report {folder.name}`"
        ) from None


def advise_on_lost_plan(folder: Path) -> str:
    """Return what to do about an unfinished trial whose plan cannot be read. Returns "" for any other folder."""
    is_unfinished = is_trial(folder) and not (folder / RESULT).exists()
    return "move its folder elsewhere, and repeat the command" if is_unfinished else ""


def create_folder(
    root: Path, now: datetime, plan: Mapping[str, Any], kind: str = FOLDER,
    advise: Callable[[Path], str] = advise_on_lost_plan,
) -> Path:  # fmt: skip
    """Create the folder of a trial of the skill at `root`, with its plan and an empty ledger.

    advise: returns what to do about a folder whose plan cannot be read, or "". Raises StateDamaged if a paid trial
    could not be found because its plan is damaged.
    """
    _ensure_plans(root, kind, advise)
    _remove_leftovers(kind)
    folder = choose_path(kind, root, now)
    ensure_private_dir(folder)
    temp_files.remove_in_earlier_folders(kind)
    trust_work_dir(folder, root)
    with Ledger.open(folder) as ledger:
        ledger.begin()
        write_json(folder / PLAN, plan)
    return folder


def _ensure_plans(root: Path, kind: str, advise: Callable[[Path], str]) -> None:
    """Raise StateDamaged if the plan of a paid and unfinished trial of the skill at `root` cannot be read."""
    for parent in list_folders(kind):
        for file in parent.glob(f"*/{FILE}"):
            folder, skill = file.parent, read_trusted_skill(file.parent)
            if skill == str(root.resolve()) and not read_plan(folder) and (advice := advise(folder)):
                with suppress(OSError):
                    ledger, _ = Ledger.peek(folder)
                    if usd := ledger.spent:
                        raise StateDamaged(
                            f"{folder / PLAN} cannot be read, and {usd:.2f} USD were paid for it; {advice}"
                        )


def _remove_leftovers(kind: str) -> None:
    """Remove all temporary files in folders without a plan. (The process that created these was killed.)"""
    for folder in (child for parent in list_folders(kind) for child in parent.glob("*/")):
        if not (folder / PLAN).exists() and (folder / FILE).exists() and is_trusted(folder):
            with suppress(Busy, StateDamaged, OSError), Ledger.open(folder, patience=0.0):  # opening removes files
                pass


def create_drafts_folder(skill: Path, now: datetime, kind: str) -> Path:
    """Create a folder for drafts, and return it."""
    folder = choose_path(kind, skill, now)
    ensure_private_dir(folder)
    temp_files.remove_in_earlier_folders(kind)
    trust_work_dir(folder, skill)
    return folder


def find_recorded_sessions(skill: Path) -> list[Path]:
    """Return the sessions that trials recorded with the skill's current text."""
    root, sessions = skill.resolve(), list[Path]()
    current_digest = ""
    for folder, plan in list_plans():
        if plan.get("skill") == str(root):
            current_digest = current_digest or read_version(root, "today").digest
            for version in ("before", "after"):
                if plan.get(version) == current_digest:
                    sessions += sorted((folder / SESSIONS).glob(f"*.{version}.jsonl"))
    return sessions
