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

    Such a work dir comes from a clone, a CI cache, or a project that was copied or moved. Check its contents first:
    after this command, tune-skill carries out its options, fixes and rollbacks. In a copied or moved project, RUN
    changes the skill at the same place in that project from now on.

    \b
    Examples:
      tune-skill status 20261121-1200
      tune-skill trust 20261121-1200
      tune-skill trust 20261121-1200 --trial
    """
    from actions.reporting.report import render_report
    from orchestrator.fs.own_folders import trust_work_dir
    from orchestrator.run.relocation import has_moved, relocate, save_relocated
    from orchestrator.run.store import StateStore
    from orchestrator.run.work_dirs import check_unit_path, ensure_inside, find_run

    work_dir = find_run(run)
    if trial:
        return _trust_trial(work_dir, yes=yes)
    if yes:
        raise click.UsageError("--yes needs --trial", click.get_current_context())
    state = StateStore(work_dir).load(read_only=True)
    ensure_inside(work_dir, state)
    target = relocate(work_dir, state)
    skill = check_unit_path(work_dir, target, former=state.target_skill.path)
    if has_moved(work_dir, state):
        save_relocated(work_dir, render_report)
    trust_work_dir(work_dir, skill, target.project)
    click.echo(f"{safe(str(work_dir))} is trusted: it may change {safe(str(skill))}")
    return Exit.OK


def _trust_trial(work_dir: Path, *, yes: bool) -> Exit:
    """Ask the user to allow the trial of a run with its current tasks and the current skill."""
    from orchestrator.cli.trial import ensure_allowed
    from orchestrator.run.store import StateStore
    from orchestrator.run.work_dirs import ensure_run_trusted, find_unit_path
    from orchestrator.tuning.trial.final_trial import build_run_request

    ensure_run_trusted(work_dir)
    state = StateStore(work_dir).load(read_only=True)
    tasks, request = build_run_request(state, find_unit_path(work_dir, state), work_dir)
    cost = f"{counted(len(tasks), 'task')}, at most {request.max_cost_usd:.2f} USD"
    click.echo(f"trial of run {safe(state.run_id)}: {cost}", err=True)
    ensure_allowed(tasks, request, work_dir, yes=yes)
    click.echo(
        f"the trial of run {safe(state.run_id)} is allowed; continue: tune-skill resume {safe(quote_run(state))}"
    )
    return Exit.OK
