"""The trial at the end of a run: the skill as it came, from the run's backup, against the tuned one."""

from datetime import datetime

from orchestrator.run.workspace.workspace import Workspace
from orchestrator.tuning.trial import report
from orchestrator.tuning.trial.conduct import ensure_possible, held, known_as, usual_model
from orchestrator.tuning.trial.plan import Plan, sentences
from orchestrator.tuning.trial.statistics import kept
from orchestrator.tuning.trial.tasks import tasks_of
from orchestrator.tuning.trial.trial import Say
from orchestrator.tuning.trial.versions import version_in
from schemas.options import Options
from schemas.records import TrialSeen


def trial_of_run(options: Options, workspace: Workspace, now: datetime, say: Say) -> TrialSeen:
    """Hold the trial that a run was asked for, or take the result of the same one; returns what it means for the fixes.

    Raises RunFailed where runs stop coming about: `resume` goes on with it.
    """
    if options.trial is None:
        raise LookupError("the run asked for no trial")
    asked, root = options.trial, workspace.root
    ensure_possible()
    before, after = version_in(workspace.backup(), "before"), version_in(root, "today")
    tasks = tasks_of(root, asked.tasks)
    plan = Plan(known_as(root), root, before, after, tasks, asked.runs, asked.max_cost_usd, usual_model())
    for sentence in sentences(plan):
        say(sentence)
    result = held(plan, now, say, again=False)
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
