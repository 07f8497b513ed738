"""Draft tasks for runs: show them, let the user edit them, and save them in the skill only if the user agrees."""

from pathlib import Path
from typing import TYPE_CHECKING

from orchestrator.cli.input.offer_draft import SavedDrafts, offer_draft, show_draft
from orchestrator.cli.input.terminal import can_ask, is_started_by_model
from orchestrator.cli.output.text import safe, warn
from orchestrator.errors import BadInput, Interrupted, Refused
from orchestrator.signals import get_exit_code

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from orchestrator.tuning.trial.drafting import DraftForecast
    from orchestrator.tuning.trial.versions import Version
    from schemas.issues import Issue

_TASKS_FILE = "evals/tasks.yaml"


def can_draft() -> bool:
    """Return whether a user can see the drafted tasks before they run.

    Tasks contain commands, which must not run unseen, even with `--yes`. Raises Refused if a model started the
    command: drafting costs money, and only the user can allow the drafts.
    """
    if is_started_by_model():
        raise Refused("in Claude Code no tasks are drafted, because you must see their commands; use a terminal")
    return can_ask()


def draft_tasks(
    skill: Path, against: str, count: int, model: str, max_cost_usd: float,
    ensure: "Callable[[Version, Version, DraftForecast], None]", *, ask: bool,
) -> SavedDrafts:  # fmt: skip
    """Let a model draft tasks, and offer them to the user.

    against: the older version. The tasks test the findings that were fixed since this version. ensure: called with both
    versions before anything is paid; raises BadInput if the drafts would be of no use. ask: whether a user can answer.
    Raises BadInput if no tasks can be drafted.
    """
    from orchestrator.run.work_dirs import list_own_runs
    from orchestrator.tuning.trial.drafting import forecast_drafts
    from orchestrator.tuning.trial.versions import find_version, read_version

    runs = list_own_runs()
    before = find_version(skill, against, runs)
    issues = _find_issues(skill, against, before, runs)
    ensure(before, read_version(skill, "today"), forecast_drafts(skill, before, issues, count, model))
    return _offer_drafts(skill, before, issues, count, model, max_cost_usd, ask=ask)


def draft_tasks_of_open_findings(
    skill: Path, count: int, model: str, max_cost_usd: float, ensure: "Callable[[DraftForecast], None]", *, ask: bool
) -> SavedDrafts:
    """Draft tasks like `draft_tasks`, but for the open findings of the skill's newest run.

    If the skill has no run, the tasks test the proven findings of the skill. ensure: called before anything is paid;
    raises BadInput if the drafts would be of no use.
    """
    from orchestrator.tuning.trial.drafting import forecast_drafts
    from orchestrator.tuning.trial.fixed_findings import find_open_issues
    from orchestrator.tuning.trial.versions import read_version

    version = read_version(skill, "today")
    issues = _read_open_issues(skill) or find_open_issues(skill.resolve().name, version)
    ensure(forecast_drafts(skill, version, issues, count, model))
    return _offer_drafts(skill, version, issues, count, model, max_cost_usd, ask=ask)


def _offer_drafts(
    skill: Path, version: "Version", issues: "Sequence[Issue]", count: int, model: str, max_cost_usd: float, *,
    ask: bool,
) -> SavedDrafts:  # fmt: skip
    from orchestrator.run.store import system_clock
    from orchestrator.tuning.trial.drafter import TASKS, open_drafter
    from orchestrator.tuning.trial.drafting import draft_all

    with open_drafter(skill, system_clock(), max_cost_usd, warn) as drafter:
        drafted = draft_all(drafter, skill, version, issues, count, model)
        text, usd = drafted.format(), drafter.usd
        file = drafter.save(text, TASKS)
    for note in drafted.notes:
        warn(safe(note))
    show_draft(text)
    warn(f"the drafted tasks cost {usd:.2f} USD and are saved in {file}; to use them again, pass --tasks {file}")
    if drafted.is_interrupted:
        raise Interrupted("the tasks that were drafted are saved")
    is_accepted = (
        ask
        and not get_exit_code()
        and offer_draft(file, skill / _TASKS_FILE, "tasks", lambda: _find_problem(file, skill))
    )
    return SavedDrafts(file, usd, is_accepted)


def _read_open_issues(skill: Path) -> "list[Issue]":
    """Return the open issues of the newest run that tuned the skill, worst first. Returns [] if there is no run."""
    from orchestrator.fs.own_folders import read_trusted_skill
    from orchestrator.run.store import StateStore
    from orchestrator.run.work_dirs import list_own_runs
    from schemas.vocabulary import IssueStatus

    root = str(skill.resolve())
    newest = next((run for run in reversed(list_own_runs()) if read_trusted_skill(run) == root), None)
    if newest is None:
        return []
    state = StateStore(newest).load(read_only=True)
    open_issues = (issue for issue in state.issues if issue.status is IssueStatus.OPEN and not issue.is_about_session)
    return sorted(open_issues, key=lambda issue: (issue.priority, issue.id))


def _find_issues(skill: Path, against: str, before: "Version", runs: "Sequence[Path]") -> "list[Issue]":
    """Return the issues that were fixed since the version `against`, worst first.

    For "before", these are the issues that the run fixed. For other versions, these are the issues that a scan
    finds in the old version (`before`) but not in the current one.
    """
    from orchestrator.run.store import StateStore
    from orchestrator.tuning.trial.fixed_findings import find_fixed_issues
    from orchestrator.tuning.trial.versions import find_backup_run, read_version
    from schemas.vocabulary import FixStatus

    if against != "before":
        return find_fixed_issues(skill.resolve().name, before, read_version(skill, "today"))
    state = StateStore(find_backup_run(skill, runs)).load(read_only=True)
    fixed = {id for fix in state.proposed_fixes if fix.status is FixStatus.APPLIED for id in fix.issue_ids}
    return sorted((issue for issue in state.issues if issue.id in fixed), key=lambda issue: (issue.priority, issue.id))


def _find_problem(file: Path, skill: Path) -> str:
    from orchestrator.tuning.trial.tasks import read_tasks

    try:
        read_tasks(skill, str(file))
    except BadInput as error:
        return str(error)
    return ""
