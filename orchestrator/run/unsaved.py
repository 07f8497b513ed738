"""Find a run that is not listed, because it was stopped before its first save, or because its folder is gone."""

from pathlib import Path
from shlex import quote

from orchestrator.errors import one_line
from orchestrator.fs.own_folders import is_trusted
from orchestrator.fs.project_root import find_project_root
from orchestrator.run.store import has_run
from orchestrator.run.workspace import registry
from orchestrator.run.workspace.registry import Claim


def describe_unsaved() -> str:
    """Return a clause about the newest run of a skill in this project, if it has no state. Otherwise returns ""."""
    project = Path(find_project_root()).resolve()
    last = next((claim for claim in registry.list_claims() if Path(claim.skill).is_relative_to(project)), None)
    return "" if last is None or has_run(Path(last.work_dir)) else one_line(_describe(last))


def _describe(claim: Claim) -> str:
    """Return a clause about a run that has no state; "" if it belongs to an improvement that has ended."""
    from orchestrator.tuning.improve.history import find_improvement_of_run  # imported late: few runs are not saved

    folder, command = Path(claim.work_dir), f"`tune-skill run {quote(claim.skill)}`"
    if registry.is_held(Path(claim.skill)):
        return f"run {claim.run_id} has just started and has not saved anything yet"
    if improvement := find_improvement_of_run(folder):
        return (
            ""
            if improvement.has_ended
            else (
                f"improvement {improvement.id} was stopped while applying its edits; "
                f"continue it with `tune-skill resume {quote(improvement.id)}`"
            )
        )
    if is_trusted(folder) and not folder.exists():  # it is trusted when it is created
        return (
            f"the folder of run {claim.run_id} is gone ({folder}), so the run can be neither resumed nor rolled back; "
            f"start a new one with {command}"
        )
    return f"run {claim.run_id} was stopped before its first save and changed nothing; start it again with {command}"
