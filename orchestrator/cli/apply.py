"""`tune-skill apply`: choose the fixes of a paused run."""

import click

from orchestrator.cli.input.fix_ids import ensure_one_choice, split_run_and_fixes
from orchestrator.cli.input.options import quiet_option
from orchestrator.cli.resume import continue_run
from orchestrator.exits import Exit


@click.command()
@click.argument("run", required=False)
@click.argument("fixes", nargs=-1, metavar="[FIX-001 …]")
@click.option("--all", "all_", is_flag=True, help="Apply every proposed fix.")
@click.option("--none", "none_", is_flag=True, help="Apply no fix, and write the report.")
@quiet_option
def apply(run: str | None, fixes: tuple[str, ...], all_: bool, none_: bool, quiet: bool) -> Exit:
    """Choose fixes of a paused RUN (default: the newest one) and continue it. Each fix is verified, or rolled back.

    \b
    Examples:
      tune-skill apply FIX-002
      tune-skill apply 20261121-1200 FIX-001 FIX-003
      tune-skill apply 20261121-1200 --all
    """
    run, fixes = split_run_and_fixes(run, fixes)
    ensure_one_choice(run, fixes, {"--all": all_, "--none": none_})

    from orchestrator.run import decisions

    return continue_run(run, lambda run: decisions.choose_fixes(run.store.state, None if all_ else fixes), quiet=quiet)
