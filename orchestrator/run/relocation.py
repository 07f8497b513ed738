"""Make the run of a copied or moved project change the copy: the unit at the same place relative to the work dir."""

import posixpath
from collections.abc import Callable
from pathlib import Path

from msgspec.structs import replace

from orchestrator.fs import durable
from orchestrator.fs.own_folders import find_holding_project
from orchestrator.fs.paths import resolve_links
from orchestrator.run.store import REPORT_FILE, StateStore
from orchestrator.run.workspace.journal import Journal
from schemas.records import State, TargetSkill


def has_moved(work_dir: Path, state: State) -> bool:
    """Return whether a work dir is at another path than the one in its state."""
    return state.work_dir is not None and state.work_dir != str(resolve_links(work_dir))


def is_outside(work_dir: Path, target: TargetSkill) -> bool:
    """Return whether a unit is outside of the project that holds the work dir of its run."""
    project = find_holding_project(work_dir)
    return any(not Path(path).is_relative_to(project) for path in (target.path or "", target.root))


def relocate(work_dir: Path, state: State) -> TargetSkill:
    """Return the unit of a run at its place relative to the work dir, which may have been copied or moved."""
    target = state.target_skill
    path, project = (_relocate_path(work_dir, state, old) for old in (target.path, target.project))
    return replace(target, path=path, project=project)


def relocate_state(work_dir: Path, state: State) -> State:
    """Return the state of a copied or moved run with its unit, and the paths in its work dir, at their new places."""
    backup, trial = (_relocate_path(work_dir, state, old) for old in (state.backup_dir, state.trial_folder))
    applied = tuple(replace(fix, backup_path=backup or "") for fix in state.applied_fixes)
    return replace(
        state, target_skill=relocate(work_dir, state), work_dir=str(resolve_links(work_dir)), backup_dir=backup,
        trial_folder=trial, applied_fixes=applied,
    )  # fmt: skip


def hide_original(work_dir: Path, state: State) -> State:
    """Return the state of a run that is not trusted, for output: a copy names nothing of the original.

    A unit outside of the project that holds the work dir has no path then, because it would be that of the original.
    """
    if not has_moved(work_dir, state):
        return state
    shown = relocate_state(work_dir, state)
    if not is_outside(work_dir, shown.target_skill):
        return shown
    return replace(shown, target_skill=replace(shown.target_skill, path=None, project=None))


def save_relocated(work_dir: Path, render: Callable[[State], str]) -> None:
    """Write the unit of a copied or moved run, and the paths in its work dir, to its journal, report and state.

    The state is saved last and in both generations. If a kill comes before, the next `relocate` returns the same unit.
    """
    store = StateStore(work_dir)
    state = store.load()
    moved = relocate_state(work_dir, state)
    Journal(work_dir / "journal.jsonl", Path(moved.target_skill.path or "")).rename_unit(state.target_skill.path or "")
    if moved.final_report is not None:
        moved = replace(moved, final_report=render(moved))
        durable.write_bytes(work_dir / REPORT_FILE, (moved.final_report or "").encode())
    store.save(moved)
    store.save(store.state)


def _relocate_path(work_dir: Path, state: State, path: str | None) -> str | None:
    if path is None or not has_moved(work_dir, state) or not Path(path).is_absolute():
        return path
    return posixpath.normpath(resolve_links(work_dir) / posixpath.relpath(path, state.work_dir))
