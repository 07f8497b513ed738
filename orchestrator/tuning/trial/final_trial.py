"""The trial at the end of a run: the skill as it came, from the run's backup, against the tuned one."""

from datetime import datetime
from pathlib import Path

from actions.reporting.hints import quote_run
from actions.skill.paths import MAIN
from orchestrator.errors import BadInput
from orchestrator.run.workspace.workspace import Workspace
from orchestrator.tuning.trial import report
from orchestrator.tuning.trial.conduct import ensure_possible, find_trial_name, get_default_model, run_trial
from orchestrator.tuning.trial.consent import Consent, Request, build_request
from orchestrator.tuning.trial.plan import Plan, describe_plan
from orchestrator.tuning.trial.statistics import is_harmless
from orchestrator.tuning.trial.tasks import Task, read_tasks
from orchestrator.tuning.trial.trial import Say
from orchestrator.tuning.trial.versions import read_version
from schemas.options import TrialOptions
from schemas.records import State, TrialSeen


def run_final_trial(state: State, workspace: Workspace, now: datetime, say: Say) -> TrialSeen:
    """Hold the trial that a run was asked for, or take the result of the same one; returns what it means for the fixes.

    Raises Refused where the user did not allow it as it is now, RunFailed where runs stop coming about: `resume` goes
    on with it.
    """
    asked, root = _get_options(state), workspace.root
    ensure_possible()
    before, after = read_version(workspace.backup(), "before"), read_version(root, "today")
    tasks = read_tasks(root, asked.tasks)
    plan = Plan(find_trial_name(root), root, before, after, tasks, asked.runs, asked.max_cost_usd, get_default_model())
    for sentence in describe_plan(plan):
        say(sentence)
    result = run_trial(plan, now, say, get_run_consent(state, workspace.work_dir), again=False)
    one, other, floor = result["before"], result["after"], result["noise_floor"]
    stays = is_harmless(one["succeeded"], other["succeeded"], floor, result["verdict"])
    if one["runs"] != other["runs"]:  # cut off midway: what one version alone has run says nothing of the other
        stays = result["verdict"] != "worse"
    told = report.format_headline(result)
    reason = f"in the trial {told}" + ("" if stays else "; worse beyond noise")
    return TrialSeen(
        result["verdict"], one["succeeded"], one["runs"], other["succeeded"], other["runs"], floor, stays, reason,
        result["cost"]["usd"], result["folder"],
    )  # fmt: skip


def get_run_consent(state: State, work_dir: Path) -> Consent:
    """Return where the user allows the trial of a run, and what to do without."""
    name = quote_run(state)
    return Consent(
        work_dir,
        f"`tune-skill trust {name} --trial` shows and allows it, then `tune-skill resume {name}` goes on; "
        f"`tune-skill resume {name} --no-trial` ends the run without it",
    )


def build_run_request(state: State, root: Path, work_dir: Path) -> tuple[tuple[Task, ...], Request]:
    """Return the tasks of a run's trial, and the request for them as they are now. Raises BadInput without a trial."""
    asked = _get_options(state)
    tasks = read_tasks(root, asked.tasks)
    backup = work_dir / "backup"
    texts = (read_version(root, "today"), *((read_version(backup, "before"),) if (backup / MAIN).is_file() else ()))
    return tasks, build_request(tasks, texts, asked.max_cost_usd)


def _get_options(state: State) -> TrialOptions:
    if state.options.trial is None:
        raise BadInput(f"run {state.run_id} has no trial; `tune-skill trial` holds one of any skill")
    return state.options.trial
