"""Find a run that is not listed, because it was stopped before its first save, or because its folder is gone."""

from contextlib import suppress
from datetime import datetime
from pathlib import Path
from shlex import quote

from actions.reporting.hints import RUNS
from orchestrator.errors import one_line
from orchestrator.fs.own_folders import is_in_project, is_trusted
from orchestrator.run.store import has_run, read_start_time
from orchestrator.run.workspace import registry
from orchestrator.run.workspace.registry import Claim


def describe_unsaved(shown: Path | None = None) -> str:
    """Return a clause about the newest run of this project if it has no saved state, else "".

    shown: the work dir of the newest run with a saved state. The result is also "" if that run started later.
    """
    if clause := _describe_improvement(shown):
        return clause
    for claim, time in registry.list_claims():
        if is_in_project(Path(claim.work_dir), RUNS, Path(claim.skill)):
            is_known = has_run(Path(claim.work_dir)) or (shown is not None and _has_started_since(shown, time))
            return "" if is_known else one_line(_describe(claim))
    return ""


def _describe_improvement(shown: Path | None) -> str:
    """Return a clause about the newest unfinished improvement, unless the run `shown` is newer or belongs to it."""
    from orchestrator.tuning.improve.history import find_newest_unfinished  # imported late: few projects have one
    from orchestrator.tuning.improve.unfinished import read_unfinished

    folder = find_newest_unfinished()
    if folder is None or (shown is not None and folder.name < shown.name):
        return ""
    found = read_unfinished(folder)
    if (found.state and found.state.is_continuable) or (shown and found.is_applied_in(shown)):
        return ""
    return found.sentence if found.is_running else f"{found.sentence}; continue it with `{found.resume}`"


def _has_started_since(run: Path, time: float) -> bool:
    with suppress(ValueError):
        return datetime.fromisoformat(read_start_time(run) or "").timestamp() > time
    return False


def _describe(claim: Claim) -> str:
    """Return a clause about a run that has no state, or "" if it belongs to an improvement that has ended."""
    from orchestrator.tuning.improve.history import find_improvement_of_run  # imported late: few runs are not saved
    from orchestrator.tuning.improve.unfinished import read_unfinished

    folder, command = Path(claim.work_dir), f"`tune-skill run {quote(claim.skill)}`"
    if registry.is_held(Path(claim.skill)):
        return f"run {claim.run_id} has just started and has not saved anything yet"
    if improvement := find_improvement_of_run(folder):
        found = read_unfinished(Path(improvement.folder))
        return "" if improvement.has_ended else f"{found.sentence}; continue it with `{found.resume}`"
    if is_trusted(folder) and not folder.exists():  # it was created, because a work dir is trusted when it is created
        return (
            f"the folder of run {claim.run_id} is gone ({folder}), so the run can be neither resumed nor rolled back; "
            f"start a new one with {command}"
        )
    return f"run {claim.run_id} was stopped before its first save and changed nothing; start it again with {command}"
