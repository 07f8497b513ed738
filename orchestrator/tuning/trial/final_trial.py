"""Run the trial at the end of a run: compare the original skill (the run's backup) with the tuned one."""

from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from actions.reporting.hints import quote_run
from actions.scoring.issues import hash_files
from actions.skill.paths import MAIN
from orchestrator.errors import BadInput, Refused
from orchestrator.fs.own_folders import is_trusted, list_folders
from orchestrator.model.environment import Say
from orchestrator.project.skill_reader import read_skill
from orchestrator.tuning.trial import report
from orchestrator.tuning.trial.conduct import ensure_possible, find_trial_name, get_default_model, run_trial
from orchestrator.tuning.trial.consent import Consent, Request, build_request, find_changes, format_names
from orchestrator.tuning.trial.folders import FOLDER, list_plans, read_plan
from orchestrator.tuning.trial.ledger import Ledger
from orchestrator.tuning.trial.plan import Plan, describe_plan
from orchestrator.tuning.trial.statistics import is_harmless
from orchestrator.tuning.trial.tasks import Task, read_tasks
from orchestrator.tuning.trial.versions import read_version
from schemas.options import TrialOptions
from schemas.records import State, TrialRecord

_BACKUP = "backup"
"""The folder in a work dir with the original skill."""


def run_final_trial(
    state: State, root: Path, work_dir: Path, now: datetime, say: Say, remember: Callable[[Path], None]
) -> TrialRecord:
    """Run the trial of a run, or read its earlier result. Returns the result, and whether the fixes are kept.

    remember: called with the folder of the trial before anything is paid. Raises Refused if the user has not allowed
    the trial in its current form, or if a stopped trial of the run tested something else. Raises RunFailed if runs keep
    failing. The command `resume` then continues the trial.
    """
    options = _get_options(state)
    ensure_possible()
    before, after = read_version(work_dir / _BACKUP, "before"), read_version(root, "today")
    tasks, name = read_tasks(root, options.tasks), find_trial_name(root)
    plan = Plan(name, root, before, after, tasks, options.runs, options.max_cost_usd, get_default_model())
    state = find_lost_trial(state, root, work_dir)
    _ensure_same_trial(state, plan)
    for message in describe_plan(plan):
        say(message)
    others = (Path(state.trial_folder).parent,) if state.trial_folder else ()
    consent = get_run_consent(state, work_dir)
    result = run_trial(plan, now, say, consent, rerun=False, others=others, begin=remember)
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


def find_lost_trial(state: State, root: Path, work_dir: Path) -> State:
    """Return the state of a run with the folder of its trial, which states of earlier versions lack.

    It is the newest one since the start of the run that compares the original of the run under its options.
    """
    options, backup = state.options.trial, work_dir / _BACKUP
    if state.trial_folder or state.trial or options is None or not (backup / MAIN).is_file():
        return state
    skill, name = root.resolve(), Path(FOLDER).name
    wanted = {
        "skill": str(skill), "against": "before", "before": read_version(backup, "before").digest,
        "rounds": options.runs, "ceiling": options.max_cost_usd,
    }  # fmt: skip
    start = (state.started_at or "")[:19].replace("-", "").replace(":", "").replace("T", "-")
    for folder, plan in list_plans(others=(*list_folders(FOLDER, skill), work_dir.resolve().parent.parent / name)):
        if folder.name >= start and wanted.items() <= plan.items():
            return replace(state, trial_folder=str(folder))
    return state


def _ensure_same_trial(state: State, plan: Plan) -> None:
    """Raise Refused if a trial of the run was paid for and does not have this plan. A run has one trial and one limit.

    A trial whose folder was moved away, as the message about a damaged ledger advises, is forgotten.
    """
    if not (usd := _get_paid_cost(state)):
        return
    recorded = read_plan(Path(state.trial_folder or ""))
    if recorded and recorded.get("key") != plan.key:
        run, changes = quote_run(state), _name_changes(state, recorded, plan)
        raise Refused(
            f"the trial of this run was stopped after {usd:.2f} USD were paid, and {changes} "
            f"changed since; undo this and continue with `tune-skill resume {run}`, or end the run without its trial: "
            f"`tune-skill resume {run} --no-trial`"
        )


def _name_changes(state: State, recorded: Mapping[str, Any], plan: Plan) -> str:
    """Return what differs between the recorded plan of a trial and the current one, for a message."""
    changed = list[str]()
    if recorded.get("after") != plan.after.digest:
        files = find_changes(state.target_skill.files, hash_files(read_skill(plan.root)))
        changed.append(format_names(files) or "the skill")
    if recorded.get("model") != plan.model:
        changed.append("the model (ANTHROPIC_MODEL)")
    return " and ".join(changed) or "a task"


def describe_dropped_trial(state: State) -> str:
    """Return a note on what was paid for the stopped trial of a run that ends without it, or ""."""
    usd = _get_paid_cost(state)
    return f"the trial was not finished: {usd:.2f} USD were paid for its runs in {state.trial_folder}" if usd else ""


def _get_paid_cost(state: State) -> float:
    """Return the cost in USD of the stopped trial of a run, with what is reserved for runs that were cut off."""
    if state.trial_folder is None or state.trial is not None or not is_trusted(Path(state.trial_folder)):
        return 0.0
    with suppress(OSError):
        return Ledger.peek(Path(state.trial_folder))[0].spent
    return 0.0


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
