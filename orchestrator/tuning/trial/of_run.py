"""The trial at the end of a run: the skill as it came, from the run's backup, against the tuned one."""

from datetime import datetime
from pathlib import Path

from actions.reporting.hints import quote_run
from actions.skill.paths import MAIN
from orchestrator.errors import BadInput
from orchestrator.run.workspace.workspace import Workspace
from orchestrator.tuning.trial import report
from orchestrator.tuning.trial.conduct import ensure_possible, held, known_as, usual_model
from orchestrator.tuning.trial.consent import Consent, Request, build_request
from orchestrator.tuning.trial.plan import Plan, sentences
from orchestrator.tuning.trial.statistics import kept
from orchestrator.tuning.trial.tasks import Task, tasks_of
from orchestrator.tuning.trial.trial import Say
from orchestrator.tuning.trial.versions import version_in
from schemas.options import TrialOptions
from schemas.records import State, TrialSeen


def trial_of_run(state: State, workspace: Workspace, now: datetime, say: Say) -> TrialSeen:
    """Hold the trial that a run was asked for, or take the result of the same one; returns what it means for the fixes.

    Raises Refused where the user did not allow it as it is now, RunFailed where runs stop coming about: `resume` goes
    on with it.
    """
    asked, root = _options(state), workspace.root
    ensure_possible()
    before, after = version_in(workspace.backup(), "before"), version_in(root, "today")
    tasks = tasks_of(root, asked.tasks)
    plan = Plan(known_as(root), root, before, after, tasks, asked.runs, asked.max_cost_usd, usual_model())
    for sentence in sentences(plan):
        say(sentence)
    result = held(plan, now, say, consent_of_run(state, workspace.work_dir), again=False)
    one, other, floor = result["before"], result["after"], result["noise_floor"]
    stays = kept(one["succeeded"], other["succeeded"], floor, result["verdict"])
    if one["runs"] != other["runs"]:  # cut off midway: what one version alone has run says nothing of the other
        stays = result["verdict"] != "worse"
    told = report.headline(result)
    reason = f"in the trial {told}" + ("" if stays else "; worse beyond noise")
    return TrialSeen(
        result["verdict"], one["succeeded"], one["runs"], other["succeeded"], other["runs"], floor, stays, reason,
        result["cost"]["usd"], result["folder"],
    )  # fmt: skip


def consent_of_run(state: State, work_dir: Path) -> Consent:
    """Return where the user allows the trial of a run, and what to do without."""
    name = quote_run(state)
    return Consent(
        work_dir,
        f"`tune-skill trust {name} --trial` shows and allows it, then `tune-skill resume {name}` goes on; "
        f"`tune-skill resume {name} --no-trial` ends the run without it",
    )


def request_of_run(state: State, root: Path, work_dir: Path) -> tuple[tuple[Task, ...], Request]:
    """Return the tasks of a run's trial, and the request for them as they are now. Raises BadInput without a trial."""
    asked = _options(state)
    tasks = tasks_of(root, asked.tasks)
    backup = work_dir / "backup"
    texts = (version_in(root, "today"), *((version_in(backup, "before"),) if (backup / MAIN).is_file() else ()))
    return tasks, build_request(tasks, texts, asked.max_cost_usd)


def _options(state: State) -> TrialOptions:
    if state.options.trial is None:
        raise BadInput(f"run {state.run_id} has no trial; `tune-skill trial` holds one of any skill")
    return state.options.trial
