"""Find the work dirs of runs in a project: by id, by a unique prefix of it, or the newest."""

import posixpath
import re
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

from actions.reporting.hints import RUNS
from actions.skill.paths import MAIN
from orchestrator.errors import BadInput, Refused, WriteFailed
from orchestrator.fs.durable import LAST_GOOD
from orchestrator.fs.own_folders import ODD, ensure_known, folders_of, is_known, name_by_time, project_of, skill_of
from orchestrator.fs.paths import is_in_git, real
from orchestrator.run.store import STATE_FILE, read_start_time
from orchestrator.run.workspace.journal import Journal
from orchestrator.run.workspace.workspace import Workspace
from schemas.records import TargetSkill
from templates.filters import did_you_mean

_NO_DIGIT = re.compile(r"[^0-9]+")
_TO_MILLISECONDS = 17


def new_work_dir(skill: Path, given: str | None, now: datetime) -> Path:
    """Return the work dir of a new run: `--work-dir`, else one in the project named by time and skill."""
    if given:
        return Path(given)
    try:
        return name_by_time(RUNS, skill, now)
    except WriteFailed as error:
        raise WriteFailed(f"{error} with --work-dir DIR") from error


def find_run(name: str | None) -> Path:
    """Return the work dir for `name`: a work dir, a run id or its unique prefix; None: this user's newest run."""
    if name == "":
        raise BadInput("RUN is empty; leave it out for the newest run")
    if name and _holds_run(Path(name)):
        return Path(name)
    if name:
        return _find_by_id(name)
    if own := own_runs():
        return own[-1]
    if others := _runs():
        raise BadInput(f"no run of yours in this project; {others[-1].name} came with the project: name it to read it")
    raise BadInput("no run in this project; start one with `tune-skill run SKILL`, or name a work dir")


def _find_by_id(name: str) -> Path:
    """Return the run of this project with an id or a unique prefix of it. Raises BadInput."""
    runs = _runs()
    ids = [run.name for run in runs]
    return runs[ids.index(match_run_id(name, ids, "in this project", f"the newest is {ids[-1]}" if ids else ""))]


def match_run_id(name: str, ids: Sequence[str], where: str, otherwise: str) -> str:
    """Return the one of the sorted `ids` that equals `name`, or the only one that begins with it.

    Raises BadInput, which names the ids with that prefix, else the last that contains the name (an id ends with the
    name of the skill), else the most similar one, else says `otherwise`.
    """
    found = [name] if name in ids else [id for id in ids if id.startswith(name)]
    if len(found) == 1:
        return found[0]
    if found:
        raise BadInput(f"{name}: {len(found)} runs begin with it; the newest are {', '.join(found[-4:])}")
    holding = [id for id in ids if name in id]
    raise BadInput(f"{name}: no such run {where}{did_you_mean((holding or [name])[-1], ids, otherwise)}")


def find_run_by_id(id: str) -> Path:
    """Return the work dir of this user's run with this id, or a unique prefix of it.

    Raises BadInput for anything but an id, as a path or a link, and Refused for another user's run.
    """
    if not id or ODD.search(id):
        raise BadInput(f"{id[:60]!r} is not a run id; `status` shows the newest")
    run = _ensure_no_link(_find_by_id(id))
    ensure_known(run)
    return run


def newest_run() -> Path:
    """Return the work dir of this user's newest run. Raises BadInput."""
    return _ensure_no_link(find_run(None))


def finished_runs() -> list[Path]:
    """Return the work dirs of this user's runs that have a report, newest first."""
    return [run for run in reversed(own_runs()) if (run / "report.md").is_file()]


def _ensure_no_link(run: Path) -> Path:
    """Return a work dir unchanged. Raises BadInput if it is a link to another folder."""
    if run.resolve() != run.parent.resolve() / run.name:
        raise BadInput(f"{run.name}: a link to another folder; name its work dir to the command `tune-skill`")
    return run


def _holds_run(folder: Path) -> bool:
    try:
        return any((folder / file).is_file() for file in (STATE_FILE, STATE_FILE + LAST_GOOD))
    except OSError:
        return False


def own_runs() -> list[Path]:
    """Return the work dirs of this user's runs in the project, oldest first."""
    return sorted(filter(is_known, _runs()), key=_start)


def _start(run: Path) -> str:
    """Return the digits of the start time of a run, from its state, else from its name."""
    return _NO_DIGIT.sub("", read_start_time(run) or run.name)[:_TO_MILLISECONDS]


def _runs() -> list[Path]:
    """Return the work dirs of the project's runs, sorted by name."""
    states = (state for folder in folders_of(RUNS) for state in folder.glob(f"*/{STATE_FILE}*"))
    runs = {state.parent for state in states if not state.is_symlink() and state.is_file()}
    return sorted(runs, key=lambda run: run.name)


def skill_for(work_dir: Path, target: TargetSkill) -> Path:
    """Return the unit that the run in a known work dir may change. Raises Refused if its state names another."""
    skill, project = skill_of(work_dir), project_of(work_dir)
    if skill != target.path:
        raise Refused(
            f"{work_dir}: its state names the skill {target.path}, but the run was created for {skill}; start a new run"
        )
    if project != (target.project or ""):
        raise Refused(
            f"{work_dir}: its state names the project {target.project}, but the run was created for one unit of "
            f"{project or 'no project'}; start a new run"
        )
    return usable(work_dir, target)


def open_workspace(work_dir: Path) -> Workspace:
    """Return the workspace of a work dir of this user, for the unit that it may change."""
    skill, project = skill_of(work_dir) or "", project_of(work_dir)
    return Workspace(Path(project or skill), work_dir, posixpath.relpath(skill, project) if project else "")


def usable(work_dir: Path, target: TargetSkill) -> Path:
    """Return the unit that the state in `work_dir` names if a run may change it. Raises Refused, BadInput.

    It must be the real, absolute path of a folder with a SKILL.md, or of a file in its project, and all journal entries
    must be about it.
    """
    skill, project = Path(target.path or ""), Path(target.project or "/")
    for path, named in ((skill, target.path), (project, target.project)):
        if not path.is_absolute() or real(path) != path:
            raise Refused(
                f"{work_dir}: its state names the skill {named!r}, not an absolute path without links; start a new run"
            )
    if target.project:
        if project not in skill.parents or is_in_git(skill) or not skill.is_file():
            copy = work_dir / "backup" / posixpath.relpath(skill, project)
            where = f" (as it was before the run: {copy})" if copy.is_file() else ""
            raise BadInput(f"{skill} is not a file of {project}; put it back there{where}, or start a new run")
    elif not (skill / MAIN).is_file():
        raise BadInput(f"{skill} has no {MAIN}; put the skill back there, or start a new run")
    journal = Journal(work_dir / "journal.jsonl", skill)
    for entry in journal.entries():
        where = f"{journal.path}: entry {entry.number}"
        if entry.skill != journal.skill:
            raise Refused(f"{where} belongs to {entry.skill!r}, not to {skill}; start a new run")
        for step in entry.steps:
            if is_in_git(Path(step.file)):
                raise Refused(f"{where} changes {step.file!r}, which belongs to git; start a new run")
    return skill
