"""Draft tasks for a trial: show them, let the user edit them, and save them in the skill only if the user agrees."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from orchestrator.cli.input.prompt import ask_key
from orchestrator.cli.output.text import safe, warn
from orchestrator.errors import BadInput
from orchestrator.fs import durable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from orchestrator.tuning.trial.versions import Version
    from schemas.issues import Issue

_TASKS_FILE = "evals/tasks.yaml"
_WORDS = {"y": "yes", "e": "edit", "q": "quit"}
_HELP = """y - use these tasks
e - edit them first
q - decide later: the tasks are saved, nothing is run"""


def draft_tasks(
    skill: Path, against: str, count: int, model: str, max_cost_usd: float, *, ask: bool
) -> tuple[Path, float, bool]:
    """Return the file of drafted tasks, the cost of drafting in USD, and whether to use them now.

    against: the other version; what it has and the current one has not is tested. ask: a user can answer. Raises
    BadInput if no tasks can be drafted.
    """
    from orchestrator.run.store import system_clock
    from orchestrator.run.work_dirs import list_own_runs
    from orchestrator.tuning.trial.drafting import draft_all
    from orchestrator.tuning.trial.folders import create_drafts_path
    from orchestrator.tuning.trial.versions import find_version

    runs = list_own_runs()
    before = find_version(skill, against, runs)
    drafted = draft_all(skill, before, _find_issues(skill, against, before, runs), count, model, max_cost_usd)
    for note in drafted.notes:
        warn(safe(note))
    text = drafted.format()
    file = create_drafts_path(skill, system_clock())
    durable.write_bytes(file, text.encode())
    for line in text.splitlines():
        click.echo(f"  {_make_safe(line)}", err=True)
    warn(f"the drafted tasks cost {drafted.usd:.2f} USD and are saved in {file}; to use them again: --tasks {file}")
    return file, drafted.usd, ask and _ask_user(file, skill)


def _find_issues(skill: Path, against: str, before: "Version", runs: "Sequence[Path]") -> "list[Issue]":
    """Return the issues that were fixed since the other version, worst first: by the run, or what parsers prove."""
    from orchestrator.run.store import StateStore
    from orchestrator.tuning.trial.fixed_findings import find_fixed_issues
    from orchestrator.tuning.trial.versions import find_backup_run, read_version
    from schemas.vocabulary import FixStatus

    if against != "before":
        return find_fixed_issues(skill.resolve().name, before, read_version(skill, "today"))
    state = StateStore(find_backup_run(skill, runs)).load(read_only=True)
    fixed = {id for fix in state.proposed_fixes if fix.status is FixStatus.APPLIED for id in fix.issue_ids}
    return sorted((issue for issue in state.issues if issue.id in fixed), key=lambda issue: (issue.priority, issue.id))


def _make_safe(line: str) -> str:
    return line[: len(line) - len(line.lstrip())] + safe(line)


def _ask_user(file: Path, skill: Path) -> bool:
    """Let the user edit the tasks; return whether to use them."""
    while (answer := ask_key("Use these tasks?", _WORDS, _HELP)) != "q":
        if answer == "e":
            click.edit(filename=str(file))
        elif problem := _find_problem(file, skill):
            warn(problem)
        else:
            _save_in_skill(file, skill / _TASKS_FILE)
            return True
    return False


def _find_problem(file: Path, skill: Path) -> str:
    """Return what is wrong with the edited tasks; "" for nothing."""
    from orchestrator.tuning.trial.tasks import read_tasks

    try:
        read_tasks(skill, str(file))
    except BadInput as error:
        return str(error)
    return ""


def _save_in_skill(file: Path, target: Path) -> None:
    """Copy the tasks into the skill, if it has none and the user agrees."""
    if not target.exists() and click.confirm(f"Save them in {target}?", default=False, err=True):
        durable.ensure_dir(target.parent)
        durable.write_bytes(target, file.read_bytes(), mode=0o644)
