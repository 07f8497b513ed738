"""Where runs live: the work dirs of a project, found by id, by its beginning, or as the newest by their start."""

import re
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

from actions.reporting.hints import RUNS
from orchestrator.errors import BadInput, WriteFailed
from orchestrator.fs.durable import LAST_GOOD, ensure_private_dir
from orchestrator.guard.sessions.paths import find_project_root
from orchestrator.run.store import STATE_FILE, started
from orchestrator.run.workspace.known import ensure_known, is_known
from templates.filters import did_you_mean

_ODD, _NO_DIGIT = re.compile(r"[^\w.-]+"), re.compile(r"[^0-9]+")
_TO_MILLISECONDS = 17


def new_work_dir(skill: Path, given: str | None, now: datetime) -> Path:
    """Give the work dir of a new run: `--work-dir`, else one named by time and skill in the project."""
    if given:
        return Path(given)
    try:
        return named_by_time(RUNS, skill, now)
    except WriteFailed as error:
        raise WriteFailed(f"{error}, and name it with --work-dir DIR") from error


def named_by_time(kind: str, skill: Path, now: datetime) -> Path:
    """Return a folder that is not there yet, in one of ours (`kind`) of the project: by time and skill."""
    project = _outside(find_project_root(), skill.resolve())
    ensure_private_dir(project / kind.split("/")[0])
    name = _ODD.sub("-", skill.resolve().name).strip("-.")[:60] or "skill"
    base, places = f"{now:%Y%m%d-%H%M%S}-{name}", {project / kind, *folders_of(kind)}
    ids = (base if n == 1 else f"{base}-{n}" for n in range(1, 10_000))
    return project / kind / next(id for id in ids if not any((place / id).exists() for place in places))


def _outside(project: Path, skill: Path) -> Path:
    """Give the project itself, or the nearest folder above the skill when it lies inside."""
    return skill.parent if project.resolve().is_relative_to(skill) else project


def folders_of(kind: str) -> list[Path]:
    """Return the folders of ours (`kind`) that count here: of the project, and of each folder between it and here.

    Where they have none, it is the nearest one above.
    """
    project, above = find_project_root().resolve(), (Path.cwd(), *Path.cwd().parents)
    inside = above[: above.index(project) + 1] if project in above else (above[0], project)
    found = [folder / kind for folder in inside if (folder / kind).is_dir()]
    return found or [folder / kind for folder in above if (folder / kind).is_dir()][:1]


def find_run(name: str | None) -> Path:
    """Give the work dir that `name` (a work dir, a run id or its unique prefix) means; None: this user's newest run."""
    if name == "":
        raise BadInput("an empty name means no run; leave it out for the newest")
    if name and _holds_run(Path(name)):
        return Path(name)
    if name:
        return _one(name)
    if own := own_runs():
        return own[-1]
    if others := _runs():
        raise BadInput(f"no run of yours in this project; {others[-1].name} came with it: name it to look at it")
    raise BadInput("no run in this project; start one with `tune-skill run SKILL`, or name its work dir")


def _one(name: str) -> Path:
    """Return the run of this project that an id or its beginning means. Raises BadInput."""
    runs = _runs()
    ids = [run.name for run in runs]
    return runs[ids.index(run_meant(name, ids, "in this project", f"the newest is {ids[-1]}" if ids else ""))]


def run_meant(name: str, ids: Sequence[str], where: str, otherwise: str) -> str:
    """Return which of the sorted `ids` a name means: a whole one, or the only one that begins so.

    Raises BadInput, which names those that begin so, the last that holds the name (a run's id ends with its skill's),
    or the one that is spelled nearly so; else it says `otherwise`.
    """
    found = [name] if name in ids else [id for id in ids if id.startswith(name)]
    if len(found) == 1:
        return found[0]
    if found:
        raise BadInput(f"{name}: {len(found)} runs begin so, the newest are {', '.join(found[-4:])}")
    holding = [id for id in ids if name in id]
    raise BadInput(f"{name}: no such run {where}{did_you_mean((holding or [name])[-1], ids, otherwise)}")


def run_named(id: str) -> Path:
    """Return the work dir of this user's run with this id, or its unique beginning.

    A path is no id, nor is what leads away. Raises BadInput, Refused for a run of others.
    """
    if not id or _ODD.search(id):
        raise BadInput(f"{id[:60]!r} is not the id of a run; `status` names the newest")
    run = _below(_one(id))
    ensure_known(run)
    return run


def newest_run() -> Path:
    """Return the work dir of the run that was started last."""
    return _below(find_run(None))


def finished_runs() -> list[Path]:
    """Return the work dirs of this user's runs that have a report, newest first."""
    return [run for run in reversed(own_runs()) if (run / "report.md").is_file()]


def _below(run: Path) -> Path:
    """Return a work dir that lies where it seems to. Raises BadInput for a link to elsewhere."""
    if run.resolve() != run.parent.resolve() / run.name:
        raise BadInput(f"{run.name}: this run is a link to elsewhere; name its work dir to the command `tune-skill`")
    return run


def _holds_run(folder: Path) -> bool:
    try:
        return any((folder / file).is_file() for file in (STATE_FILE, STATE_FILE + LAST_GOOD))
    except OSError:
        return False


def own_runs() -> list[Path]:
    """Return the work dirs of this user's runs in the project, by their start, the oldest first."""
    return sorted(filter(is_known, _runs()), key=_start)


def _start(run: Path) -> str:
    """Return the digits of the moment when a run started; those of its name where no state tells."""
    return _NO_DIGIT.sub("", started(run) or run.name)[:_TO_MILLISECONDS]


def _runs() -> list[Path]:
    """Give the work dirs of the project's runs, by name."""
    states = (state for folder in folders_of(RUNS) for state in folder.glob(f"*/{STATE_FILE}*"))
    runs = {state.parent for state in states if not state.is_symlink() and state.is_file()}
    return sorted(runs, key=lambda run: run.name)
