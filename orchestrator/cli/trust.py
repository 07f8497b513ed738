"""`tune-skill trust`: let a run continue although its work dir was created elsewhere."""

from pathlib import Path

import click

from actions.reporting.hints import quote_run
from orchestrator.cli.output.text import safe
from orchestrator.exits import Exit
from templates.filters import counted


@click.command()
@click.argument("run")
@click.option("--trial", is_flag=True, help="Show the commands and the cost of the trial of your run, and allow it.")
@click.option("--yes", is_flag=True, help="With --trial: allow the tasks' commands without asking.")
def trust(run: str, trial: bool, yes: bool) -> Exit:
    """Let RUN change its skill, although its work dir was created elsewhere.

    Such a work dir comes from a clone, a CI cache, or a home folder that was moved. Check its contents first: after
    this command, tune-skill carries out its options, fixes and rollbacks.

    \b
    Examples:
      tune-skill status 20261121-1200
      tune-skill trust 20261121-1200
      tune-skill trust 20261121-1200 --trial
    """
    from orchestrator.fs.own_folders import trust_work_dir
    from orchestrator.run.store import StateStore
    from orchestrator.run.work_dirs import check_unit_path, find_run

    work_dir = find_run(run)
    if trial:
        return _trust_trial(work_dir, yes=yes)
    if yes:
        raise click.UsageError("--yes needs --trial", click.get_current_context())
    target = StateStore(work_dir).load(read_only=True).target_skill
    skill = check_unit_path(work_dir, target)
    trust_work_dir(work_dir, skill, target.project)
    click.echo(f"{safe(str(work_dir))} is trusted: it may change {safe(str(skill))}")
    return Exit.OK


def _trust_trial(work_dir: Path, *, yes: bool) -> Exit:
    """Ask the user to allow the trial of a run with its current tasks and the current skill."""
    from orchestrator.cli.trial import ensure_allowed
    from orchestrator.fs.own_folders import ensure_trusted
    from orchestrator.run.store import StateStore
    from orchestrator.run.work_dirs import find_unit_path
    from orchestrator.tuning.trial.final_trial import build_run_request

    ensure_trusted(work_dir)
    state = StateStore(work_dir).load(read_only=True)
    tasks, request = build_run_request(state, find_unit_path(work_dir, state.target_skill), work_dir)
    cost = f"{counted(len(tasks), 'task')}, at most {request.max_cost_usd:.2f} USD"
    click.echo(f"trial of run {safe(state.run_id)}: {cost}", err=True)
    ensure_allowed(tasks, request, work_dir, yes=yes)
    click.echo(
        f"the trial of run {safe(state.run_id)} is allowed; continue: tune-skill resume {safe(quote_run(state))}"
    )
    return Exit.OK
