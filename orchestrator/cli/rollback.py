"""`rollback`: take fixes back, byte for byte."""

from contextlib import suppress
from typing import TYPE_CHECKING

import click

from orchestrator.cli.console import Console
from orchestrator.cli.decide import fixes_apart
from orchestrator.cli.exits import Exit
from orchestrator.cli.text import safe

if TYPE_CHECKING:
    from orchestrator.run import Run


@click.command()
@click.argument("run", required=False)
@click.argument("fixes", nargs=-1, metavar="[FIX-001 …]")
@click.option("--all", "all_", is_flag=True, help="Undo every fix: the original bytes come back.")
def rollback(run: str | None, fixes: tuple[str, ...], all_: bool) -> Exit:
    """Undo fixes of RUN. What someone has edited since is never overwritten.

    \b
    Examples:
      tune-skill rollback FIX-001    in the newest run in which it is applied
      tune-skill rollback 20261121-1200 FIX-001
      tune-skill rollback --all      of the newest run with applied fixes
    """
    run, fixes = fixes_apart(run, fixes)
    if bool(fixes) == all_:
        raise click.UsageError("name the fixes to undo, or give --all", click.get_current_context())
    from orchestrator.places import find_run
    from orchestrator.run import Run

    one = Run.opened(find_run(run), Console()) if run else _last_with(fixes)
    with one.held():
        if all_ and not one.workspace.standing():
            click.echo(f"nothing to undo: no fix of run {safe(one.store.state.run_id)} is applied")
            return Exit.OK
        done = one.take_back(None if all_ else fixes)
    if done.fixes and not run:
        click.echo(f"run {safe(one.store.state.run_id)}", err=True)
    if done.fixes:
        click.echo(f"rolled back: {', '.join(sorted(done.fixes))}")
    for fix, files in done.left.items():
        click.echo(f"{fix} stays: what it wrote has been edited since, in {', '.join(map(safe, files))}")
    return Exit.GATE if done.left else Exit.OK


def _last_with(fixes: tuple[str, ...]) -> "Run":
    """Return the newest run in which one of these fixes (any, where none is named) is applied; else the newest."""
    from orchestrator.errors import TuneSkillError
    from orchestrator.places import find_run, own_runs
    from orchestrator.run import Run

    for folder in reversed(own_runs()):
        with suppress(TuneSkillError):  # an older run that cannot be opened is not the one that is meant
            one = Run.opened(folder, Console())
            if any(not fixes or fix in fixes for fix in one.workspace.standing()):
                return one
    return Run.opened(find_run(None), Console())
