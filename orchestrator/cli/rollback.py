"""`rollback`: take fixes back, byte for byte."""

import click

from orchestrator.cli.console import Console
from orchestrator.cli.decide import fixes_apart
from orchestrator.cli.exits import Exit
from orchestrator.cli.text import safe


@click.command()
@click.argument("run", required=False)
@click.argument("fixes", nargs=-1, metavar="[FIX-001 …]")
@click.option("--all", "all_", is_flag=True, help="Every fix: the original bytes.")
def rollback(run: str | None, fixes: tuple[str, ...], all_: bool) -> Exit:
    """Take fixes of RUN back. What someone edited since is never overwritten.

    \b
    Examples:
      tune-skill rollback FIX-001                the newest run, one fix
      tune-skill rollback 20261121-1200 FIX-001
      tune-skill rollback --all                  the newest run, every fix
    """
    run, fixes = fixes_apart(run, fixes)
    if bool(fixes) == all_:
        raise click.UsageError("name fixes of a run, or say --all", click.get_current_context())
    from orchestrator.places import find_run
    from orchestrator.run import Run

    one = Run.opened(find_run(run), Console())
    with one.held():
        if all_ and not one.workspace.standing():
            click.echo("nothing to take back: no fix of this run stands")
            return Exit.OK
        done = one.take_back(None if all_ else fixes)
    if done.fixes:
        click.echo(f"rolled back: {', '.join(done.fixes)}")
    for fix, files in done.left.items():
        click.echo(f"{fix} stays: what it wrote was edited since in {', '.join(map(safe, files))}")
    return Exit.GATE if done.left else Exit.OK
