"""Find the work dirs of runs in a project: by id, by a unique prefix of an id, or the newest."""

import posixpath
from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime
from pathlib import Path

from actions.regex import regex
from actions.reporting.hints import RUNS, quote_argument
from actions.skill.paths import MAIN
from orchestrator.errors import BadInput, Refused, StateDamaged, WriteFailed
from orchestrator.fs.disk import wrap_os_errors
from orchestrator.fs.own_folders import (
    INVALID_CHARACTERS,
    WORKFLOW,
    choose_path,
    ensure_trusted,
    explain_distrust,
    find_holding_project,
    is_trusted,
    list_folders,
    read_trusted_project,
    read_trusted_skill,
)
from orchestrator.fs.paths import is_in_git, resolve_links
from orchestrator.run.relocation import has_moved, is_outside, relocate
from orchestrator.run.store import STATE_FILE, StateStore, has_run, read_start_time
from orchestrator.run.unsaved import describe_unsaved
from orchestrator.run.workspace.journal import Journal
from orchestrator.run.workspace.workspace import Workspace
from schemas.records import State, TargetSkill
from templates.filters import did_you_mean

_NON_DIGITS = regex(r"[^0-9]+")
_TIME_DIGITS = 17


def choose_work_dir(skill: Path, option: str | None, now: datetime) -> Path:
    """Return the work dir for a new run: `option`, the path that the user gave, or a folder in the project.

    The name of the folder contains the time and the name of the skill.
    """
    if option:
        return Path(option)
    try:
        return choose_path(RUNS, skill, now)
    except WriteFailed as error:
        raise WriteFailed(f"{error} with --work-dir DIR") from error


def ensure_empty(folder: Path) -> None:
    """Raise Refused if a folder contains files, because a new run could overwrite them."""
    with wrap_os_errors(f"cannot list {folder}"):
        names = sorted(path.name for path in folder.iterdir()) if folder.is_dir() else []
    if names:
        raise Refused(f"{folder} has files, such as {names[0]}; --work-dir must be a new or empty folder")


def find_run(name: str | None) -> Path:
    """Return the work dir of a run.

    name: a work dir, a run id, or a unique prefix of a run id. None means the newest run.
    """
    if name == "":
        raise BadInput("RUN is empty; leave it out for the newest run")
    if name and has_run(Path(name)):
        return Path(name)
    if name:
        return _find_by_id(name)
    if own := list_own_runs():
        return own[-1]
    if others := _list_runs():
        why = f"{others[-1].name}: {explain_distrust(others[-1])}"
        raise BadInput(f"no run of yours in this project; {why}; give its id to read it")
    unsaved = describe_unsaved()
    raise BadInput(f"no run in this project; {unsaved or 'start one with `tune-skill run SKILL`, or give a work dir'}")


def _find_by_id(name: str) -> Path:
    """Return the run of this project whose id is `name`, or the only one whose id begins with it. Raises BadInput."""
    runs = _list_runs()
    ids = [run.name for run in runs]
    if name not in ids:
        _ensure_not_distrusted(Path(name).name)
    return runs[ids.index(match_run_id(name, ids, "in this project", f"the newest is {ids[-1]}" if ids else ""))]


def _ensure_not_distrusted(id: str) -> None:
    """Raise Refused if an untrusted folder of another kind has this name, which no command lists."""
    kinds = (kind for workflow in list_folders(WORKFLOW) for kind in workflow.glob("skill-*/"))
    for folder in (kind / id for kind in kinds if kind.name != Path(RUNS).name):
        if folder.is_dir() and not is_trusted(folder):
            raise Refused(f"{folder} cannot be used: {explain_distrust(folder)}; move it elsewhere and start a new one")


def match_run_id(name: str, ids: Sequence[str], where: str, otherwise: str) -> str:
    """Return the run id in the sorted `ids` that `name` identifies.

    This is the id that equals `name`, or the only id that begins with `name`. Raises BadInput if there is no such id.
    If several ids begin with `name`, the message lists them. If none does, the message suggests the last id that
    contains the name (an id ends with the name of the skill), or the most similar id. otherwise: the end of the message
    if there is nothing to suggest. where: a phrase that says where the ids come from.
    """
    matches = [name] if name in ids else [id for id in ids if id.startswith(name)]
    if len(matches) == 1:
        return matches[0]
    if matches:
        raise BadInput(f"{name}: {len(matches)} run ids begin with this; the newest are {', '.join(matches[-4:])}")
    similar = [id for id in ids if name in id]
    raise BadInput(f"{name}: no such run {where}{did_you_mean((similar or [name])[-1], ids, otherwise)}")


def find_run_by_id(id: str) -> Path:
    """Return the work dir of this user's run with this id, or a unique prefix of it.

    Raises BadInput for anything but an id (such as a path) and for a link, and Refused for another user's run.
    """
    if not id or INVALID_CHARACTERS.search(id):
        raise BadInput(f"{id[:60]!r} is not a run id; `status` shows the newest")
    run = _ensure_no_link(_find_by_id(id))
    ensure_run_trusted(run)
    return run


def note_unsaved(name: str | None, shown: Path) -> str:
    """Return a note if the newest run is not the one shown, because it was never saved or its folder is gone.

    Returns "" otherwise, and if the user named the run. shown: the work dir of the run that is shown.
    """
    unsaved = "" if name else describe_unsaved(shown)
    return f"{unsaved[:1].upper()}{unsaved[1:]}. This is an earlier run." if unsaved else ""


def find_newest_run() -> Path:
    """Return the work dir of this user's newest run. Raises BadInput."""
    return _ensure_no_link(find_run(None))


def list_finished_runs() -> list[Path]:
    """Return the work dirs of this user's runs that have a report, newest first."""
    return [run for run in reversed(list_own_runs()) if (run / "report.md").is_file()]


def _ensure_no_link(run: Path) -> Path:
    """Return a work dir unchanged. Raises BadInput if it is a link to another folder."""
    if run.resolve() != run.parent.resolve() / run.name:
        raise BadInput(f"{run.name}: a link to another folder; give its real path to the command `tune-skill`")
    return run


def list_own_runs() -> list[Path]:
    """Return the work dirs of this user's runs in the project, oldest first."""
    return sorted(filter(is_trusted, _list_runs()), key=_read_start)


def _read_start(run: Path) -> str:
    """Return the digits of a run's start time, from its state, or from its name if it has no state."""
    return _NON_DIGITS.sub("", read_start_time(run) or run.name)[:_TIME_DIGITS]


def _list_runs() -> list[Path]:
    states = (state for folder in list_folders(RUNS) for state in folder.glob(f"*/{STATE_FILE}*"))
    runs = {state.parent for state in states if not state.is_symlink() and state.is_file()}
    return sorted(runs, key=lambda run: run.name)


def find_unit_path(work_dir: Path, state: State) -> Path:
    """Return the path of the unit that the run in a trusted work dir is allowed to change.

    Raises Refused if its state names another unit, or a unit of the project from which the work dir was copied.
    """
    target = state.target_skill
    skill, project = read_trusted_skill(work_dir), read_trusted_project(work_dir)
    if skill != target.path:
        advice = "start a new run"
        if has_moved(work_dir, state):
            ensure_inside(work_dir, state)
            advice = (
                f"if you moved or copied the project: `tune-skill trust {quote_argument(work_dir)}`; otherwise {advice}"
            )
        raise Refused(
            f"{work_dir}: its state names the skill {target.path}, but the run was created for {skill}; {advice}"
        )
    if project != (target.project or ""):
        raise Refused(
            f"{work_dir}: its state is for {_describe_kind(target.project)}, but the run was created for "
            f"{_describe_kind(project)}; start a new run"
        )
    unit_path = check_unit_path(work_dir, target)
    if has_moved(work_dir, state) and is_outside(work_dir, target):
        ensure_inside(work_dir, state)
        raise Refused(
            f"{work_dir}: its run is for {unit_path}, outside of {find_holding_project(work_dir)}; to use it on the "
            f"{'file' if target.project else 'skill'} in there: `tune-skill trust {quote_argument(work_dir)}`"
        )
    return unit_path


def ensure_run_trusted(work_dir: Path) -> None:
    """Raise Refused unless the work dir of a run is trusted. The message names `trust` only if that would accept it."""
    if is_trusted(work_dir):
        return
    with suppress(BadInput, StateDamaged):
        ensure_inside(work_dir, StateStore(work_dir).load(read_only=True))
    ensure_trusted(work_dir)


def ensure_inside(work_dir: Path, state: State) -> None:
    """Raise Refused if the unit of a run, at its new place, is outside of the project that holds the work dir."""
    if is_outside(work_dir, relocate(work_dir, state)):
        backup = work_dir / "backup"
        raise Refused(
            f"{work_dir}: its run is for {state.target_skill.path}, outside of {find_holding_project(work_dir)}, so it "
            f"cannot be trusted; {_advise_return(work_dir, state)}start a new run"
            f"{f' (the text from before this one: {backup})' if backup.is_dir() else ''}"
        )


def _advise_return(work_dir: Path, state: State) -> str:
    """Return how to use a run of this user whose work dir was moved or copied, or "" for any other run."""
    if not has_moved(work_dir, state) or not state.work_dir:
        return ""
    original = Path(state.work_dir)
    if read_trusted_skill(original) != state.target_skill.path:
        return ""
    return f"use {original}, or " if original.exists() else f"move it back to {original}, or "


def _describe_kind(project: str | None) -> str:
    return f"a unit of the project {project}" if project else "a skill"


def open_workspace(work_dir: Path) -> Workspace:
    """Open the workspace of a trusted work dir, for the unit that its run may change."""
    skill, project = read_trusted_skill(work_dir) or "", read_trusted_project(work_dir)
    return Workspace(Path(project or skill), work_dir, posixpath.relpath(skill, project) if project else "")


def check_unit_path(work_dir: Path, target: TargetSkill, former: str | None = None) -> Path:
    """Check that a run is allowed to change a unit, as its state names it. Returns the path of the unit.

    The path must be absolute and contain no links. It must lead to a folder with a SKILL.md, or to a file in the
    project. All journal entries must be about this unit, or about its `former` path, before the work dir was copied or
    moved. Raises Refused or BadInput if one of these is not true.
    """
    skill, project = Path(target.path or ""), Path(target.project or "/")
    for path, text, what in ((skill, target.path, "skill"), (project, target.project, "project")):
        if not path.is_absolute() or resolve_links(path) != path:
            raise Refused(
                f"{work_dir}: its state names the {what} {text!r}, not an absolute path without links; start a new run"
            )
    if target.project:
        if project not in skill.parents or is_in_git(skill) or not skill.is_file():
            copy = work_dir / "backup" / posixpath.relpath(skill, project)
            where = f" (as it was before the run: {copy})" if copy.is_file() else ""
            raise BadInput(f"{skill} is not a file of {project}; put it back there{where}, or start a new run")
    elif not (skill / MAIN).is_file():
        raise BadInput(f"{skill} has no {MAIN}; put the skill back there, or start a new run")
    journal = Journal(work_dir / "journal.jsonl", skill)
    for entry in journal.read_entries():
        where = f"{journal.path}: entry {entry.number}"
        if entry.skill not in (journal.skill, former):
            raise Refused(f"{where} belongs to {entry.skill!r}, not to {skill}; start a new run")
        for step in entry.steps:
            if is_in_git(Path(step.file)):
                raise Refused(f"{where} changes {step.file!r}, which belongs to git; start a new run")
    return skill
