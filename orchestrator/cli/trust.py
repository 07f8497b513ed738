"""`trust`: makes a work dir the user's own that no run of theirs made here."""

from pathlib import Path

import click

from actions.reporting.hints import quote_run
from orchestrator.cli.output.text import safe
from orchestrator.exits import Exit
from templates.filters import counted


@click.command()
@click.argument("run")
@click.option("--trial", is_flag=True, help="Show what the trial of a run of yours runs and costs, and allow it.")
@click.option("--yes", is_flag=True, help="With --trial: allow what the tasks run here without a question.")
def trust(run: str, trial: bool, yes: bool) -> Exit:
    """Let RUN change its skill, though none of your runs made its work dir here.

    A work dir comes with a clone, from a cache of CI, or with a home folder that was moved. What stands in it is
    obeyed from then on: its options, its fixes, its rollbacks. Look at it first.

    \b
    Examples:
      tune-skill status 20261121-1200
      tune-skill trust 20261121-1200
      tune-skill trust 20261121-1200 --trial
    """
    from orchestrator.run.store import StateStore
    from orchestrator.run.work_dirs import find_run
    from orchestrator.run.workspace.known import make_known, usable

    work_dir = find_run(run)
    if trial:
        return _trust_trial(work_dir, yes=yes)
    if yes:
        raise click.UsageError("--yes goes with --trial", click.get_current_context())
    skill = usable(work_dir, StateStore(work_dir).load(read_only=True).target_skill.path)
    make_known(work_dir, skill)
    click.echo(f"{safe(str(work_dir))} is yours now: it may change {safe(str(skill))}")
    return Exit.OK


def _trust_trial(work_dir: Path, *, yes: bool) -> Exit:
    """Let the user allow the trial of a run as its tasks and the skill stand now."""
    from orchestrator.cli.trial import ensure_allowed
    from orchestrator.run.store import StateStore
    from orchestrator.run.workspace.known import ensure_known, skill_for
    from orchestrator.tuning.trial.of_run import request_of_run

    ensure_known(work_dir)
    state = StateStore(work_dir).load(read_only=True)
    tasks, request = request_of_run(state, skill_for(work_dir, state.target_skill.path), work_dir)
    cost = f"{counted(len(tasks), 'task')}, at most {request.max_cost_usd:.2f} USD"
    click.echo(f"the trial of {safe(state.run_id)}: {cost}", err=True)
    ensure_allowed(tasks, request, work_dir, yes=yes)
    click.echo(f"the trial of {safe(state.run_id)} is allowed; `tune-skill resume {safe(quote_run(state))}` goes on")
    return Exit.OK
