"""Plan a trial and run it until it has a result, or continue a stopped trial."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from os import environ
from pathlib import Path
from typing import Any

import schemas
from actions.skill.frontmatter_keys import is_well_formed
from orchestrator.errors import BadInput, call_all
from orchestrator.fs import durable
from orchestrator.model.environment import Say, describe_recipient, find_start_problem, has_env_access
from orchestrator.project.skill_finder import find_skill
from orchestrator.project.skill_reader import read_skill
from orchestrator.tuning.trial.change_guard import ChangeGuard
from orchestrator.tuning.trial.consent import Consent, build_request, save_consent
from orchestrator.tuning.trial.drafting import DraftForecast
from orchestrator.tuning.trial.folders import RESULT, create_folder, list_plans, read_result, report_end_in_interrupt
from orchestrator.tuning.trial.ledger import Ledger
from orchestrator.tuning.trial.leftovers import remove_leftovers
from orchestrator.tuning.trial.plan import Plan, explain_futility, explain_low_limit
from orchestrator.tuning.trial.result import build_result
from orchestrator.tuning.trial.tasks import Task, read_tasks
from orchestrator.tuning.trial.trial import Trial
from orchestrator.tuning.trial.versions import Version, find_version, read_version
from templates.filters import counted


def ensure_possible(what: str = "trial") -> None:
    """Raise BadInput, with everything that is missing, if no trial can run here. what: the word for a trial."""
    call_all(lambda: _ensure_access(what), lambda: _ensure_claude(what))


def _ensure_access(what: str) -> None:
    if not has_env_access(environ):
        raise BadInput(
            f"{what} runs use an empty HOME, so your login is not available: set ANTHROPIC_API_KEY, or "
            "CLAUDE_CODE_OAUTH_TOKEN to the output of `claude setup-token`"
        )


def _ensure_claude(what: str) -> None:
    if why := find_start_problem(environ):
        raise BadInput(f"a {what} needs Claude Code: {why}")


def plan_trial(
    skill: str,
    against: str,
    tasks: str | None,
    *,
    rounds: int,
    max_cost_usd: float,
    jobs: int,
    model: str,
    runs: Sequence[Path] = (),
) -> Plan:
    """Build the plan of a requested trial. against, runs: see `find_version`.

    Raises BadInput if a version or the tasks cannot be used.
    """
    root = find_skill(skill)
    name = find_trial_name(root)
    before, after, read = call_all(
        lambda: find_version(root, against, runs),
        lambda: read_version(root, "today"),
        lambda: read_tasks(root, tasks, against),
    )
    return Plan(name, root, before, after, read, rounds, max_cost_usd, model or get_default_model(), jobs)


def ensure_draftable(
    root: Path, before: Version, after: Version, drafts: DraftForecast, *, rounds: int, max_cost_usd: float, model: str,
    say: Say,
) -> None:  # fmt: skip
    """Raise BadInput if a trial with drafted tasks cannot have a result, before the drafts are paid.

    say: informs the user if the cost limit is too low by the estimate, which may be wrong.
    """
    names = (f"drafted-{number}" for number in range(1, drafts.tasks + 1))
    tasks = tuple(Task(name, name, (), name) for name in names)
    limit = max_cost_usd - drafts.usd
    plan = Plan(find_trial_name(root), root, before, after, tasks, rounds, limit, model or get_default_model())
    if why := explain_futility(plan):
        raise BadInput(f"no tasks are drafted: {why}")
    if low_limit := explain_low_limit(plan):
        say(f"with {counted(drafts.tasks, 'task')} {low_limit}")


def find_trial_name(root: Path) -> str:
    """Return the name of the skill's folder in runs: the skill's name, or the name of its folder if that is invalid."""
    skill = read_skill(root)
    return skill.name if is_well_formed(skill.name) else skill.folder


def get_default_model() -> str:
    """Return the model that the environment sets for Claude Code, or ""."""
    return environ.get("ANTHROPIC_MODEL", "")


def run_trial(
    plan: Plan, now: datetime, say: Say, consent: Consent, *, rerun: bool = True, others: Sequence[Path] = (),
    begin: Callable[[Path], None] = lambda folder: None,
) -> dict[str, Any]:  # fmt: skip
    """Run a trial, or continue one that was stopped or that reached a lower cost limit.

    Returns the result in the format of `trial.schema.json`. consent: where the user's consent is recorded, and the
    advice if it is missing. rerun: whether to run the trial even if it has finished before. Otherwise the earlier
    result is returned. others: more folders of trials, see `list_plans`. begin: called with the folder of the trial
    before anything is paid.

    Raises Refused if the user has not consented, RunFailed if runs keep failing, and Busy if another command is
    running the same trial.
    """
    request = build_request(plan.tasks, (plan.before, plan.after), plan.max_cost_usd)
    consent.ensure_given(request)
    earlier = None if rerun else _find_result(plan, others)
    if earlier is not None:
        return earlier
    folder = find_continued(plan, others) or _create_folder(plan, now)
    begin(folder)
    save_consent(request, folder)  # a higher cost limit needs a new consent of the user
    say(f"the texts of the skill and its tasks are sent to {describe_recipient(environ)} through Claude Code")
    guard = ChangeGuard(plan.subject, request, consent.advice)
    with report_end_in_interrupt(folder, "trial", lambda: _has_ended(folder, plan)):
        result = _complete_trial(plan, folder, guard, say)
        durable.write_json(folder / RESULT, result)
        return result


def _complete_trial(plan: Plan, folder: Path, guard: ChangeGuard, say: Say) -> dict[str, Any]:
    """Run the missing runs of the trial in a folder, and return its result."""
    with Ledger.open(folder) as ledger:
        remove_leftovers(say)  # of other trials
        if ledger.finished or ledger.started:
            say(f"continuing {folder}: {len(ledger.graded)} runs are done, {ledger.describe_cost()}")
        trial = Trial(plan, folder, ledger, say, guard)
        trial.run()
        result = build_result(trial)
    schemas.check("trial", result)
    return result


def find_continued(plan: Plan, others: Sequence[Path] = ()) -> Path | None:
    """Return the folder of the newest trial of this plan that can be continued, or None. others: see `list_plans`.

    A trial can be continued if it was stopped, or if it reached a lower cost limit than the plan's.
    """
    for folder in _list_folders(plan, others):
        result = read_result(folder, "trial")
        if result is None or _is_limited(result, plan):  # the ledger has the runs of a damaged result
            return folder
    return None


def _has_ended(folder: Path, plan: Plan) -> bool:
    result = read_result(folder, "trial")
    return result is not None and not _is_limited(result, plan)


def _find_result(plan: Plan, others: Sequence[Path]) -> dict[str, Any] | None:
    found = (read_result(folder, "trial") for folder in _list_folders(plan, others))
    return next((result for result in found if result and not _is_limited(result, plan)), None)


def _list_folders(plan: Plan, others: Sequence[Path]) -> Iterator[Path]:
    return (folder for folder, recorded in list_plans(others=others) if recorded.get("key") == plan.key)


def _is_limited(result: Mapping[str, Any], plan: Plan) -> bool:
    return bool(result.get("is_continuable")) and result["cost"]["ceiling"] < plan.max_cost_usd


def _create_folder(plan: Plan, now: datetime) -> Path:
    description = {
        "key": plan.key, "skill": str(plan.root.resolve()), "against": plan.before.name, "before": plan.before.digest,
        "after": plan.after.digest, "model": plan.model,
        "tasks": [task.name for task in plan.tasks], "rounds": plan.rounds, "ceiling": plan.max_cost_usd,
    }  # fmt: skip
    return create_folder(plan.root, now, description)
