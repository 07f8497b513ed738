"""Run the trial at the end of a run: compare the original skill (the run's backup) with the tuned one."""

from datetime import datetime
from pathlib import Path

from actions.reporting.hints import quote_run
from actions.skill.paths import MAIN
from orchestrator.errors import BadInput
from orchestrator.model.environment import Say
from orchestrator.tuning.trial import report
from orchestrator.tuning.trial.conduct import ensure_possible, find_trial_name, get_default_model, run_trial
from orchestrator.tuning.trial.consent import Consent, Request, build_request
from orchestrator.tuning.trial.plan import Plan, describe_plan
from orchestrator.tuning.trial.statistics import is_harmless
from orchestrator.tuning.trial.tasks import Task, read_tasks
from orchestrator.tuning.trial.versions import read_version
from schemas.options import TrialOptions
from schemas.records import State, TrialRecord

_BACKUP = "backup"
"""The folder in a work dir with the original skill."""


def run_final_trial(state: State, root: Path, work_dir: Path, now: datetime, say: Say) -> TrialRecord:
    """Run the trial of a run, or read its earlier result. Returns the result, and whether the fixes are kept.

    Raises Refused if the user has not allowed the trial in its current form, and RunFailed if runs keep failing. The
    command `resume` then continues the trial.
    """
    options = _get_options(state)
    ensure_possible()
    before, after = read_version(work_dir / _BACKUP, "before"), read_version(root, "today")
    tasks, name = read_tasks(root, options.tasks), find_trial_name(root)
    plan = Plan(name, root, before, after, tasks, options.runs, options.max_cost_usd, get_default_model())
    for message in describe_plan(plan):
        say(message)
    result = run_trial(plan, now, say, get_run_consent(state, work_dir), rerun=False)
    old, new, floor = result["before"], result["after"], result["noise_floor"]
    keeps = is_harmless(old["succeeded"], new["succeeded"], floor, result["verdict"])
    if old["runs"] != new["runs"]:  # the trial ended within a round, so the counts cannot be compared
        keeps = result["verdict"] != "worse"
    headline = report.format_headline(result)
    reason = f"in the trial {headline}" + ("" if keeps else "; worse by more than the noise")
    return TrialRecord(
        result["verdict"], old["succeeded"], old["runs"], new["succeeded"], new["runs"], floor, keeps, reason,
        result["cost"]["usd"], result["folder"],
    )  # fmt: skip


def get_run_consent(state: State, work_dir: Path) -> Consent:
    """Build the consent for the trial of a run, with the advice for a user who has not given it."""
    name = quote_run(state)
    return Consent(
        work_dir,
        f"run `tune-skill trust {name} --trial` to review and allow it, then `tune-skill resume {name}`; "
        f"`tune-skill resume {name} --no-trial` ends the run without it",
    )


def build_run_request(state: State, root: Path, work_dir: Path) -> tuple[tuple[Task, ...], Request]:
    """Return the tasks of a run's trial, and the request for the user's consent to them.

    Raises BadInput if the run has no trial.
    """
    options = _get_options(state)
    tasks = read_tasks(root, options.tasks)
    backup = work_dir / _BACKUP
    versions = [read_version(root, "today"), *([read_version(backup, "before")] if (backup / MAIN).is_file() else [])]
    return tasks, build_request(tasks, versions, options.max_cost_usd)


def _get_options(state: State) -> TrialOptions:
    if state.options.trial is None:
        raise BadInput(f"run {state.run_id} has no trial; `tune-skill trial` runs one for any skill")
    return state.options.trial
