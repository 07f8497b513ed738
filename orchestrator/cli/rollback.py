"""`rollback`: take fixes back, byte for byte."""

from typing import TYPE_CHECKING

import click

from orchestrator import durable
from orchestrator.cli.console import Console
from orchestrator.cli.exits import Exit
from orchestrator.cli.text import safe

if TYPE_CHECKING:
    from orchestrator.run import Run


@click.command()
@click.argument("run", required=False)
@click.argument("fixes", nargs=-1, metavar="[FIX-001 …]")
@click.option("--all", "all_", is_flag=True, help="Every fix: the original bytes.")
def rollback(run: str | None, fixes: tuple[str, ...], all_: bool) -> Exit:
    """Take fixes of RUN back. What someone edited since is never overwritten.

    \b
    Examples:
      tune-skill rollback 20261121-1200 FIX-001
      tune-skill rollback --all                  the newest run, every fix
    """
    if bool(fixes) == all_:
        raise click.UsageError("name fixes of a run, or say --all", click.get_current_context())
    from actions.rollback import named
    from orchestrator.cli.places import find_run
    from orchestrator.run import Run

    one = Run.opened(find_run(run), Console())
    with one.held():
        if all_ and not one.workspace.standing():
            click.echo("nothing to take back: no fix of this run stands")
            return Exit.OK
        done = one.workspace.rollback(None if all_ else fixes)
        one.store.update(**named(one.store.state, done.fixes))
        one.workspace.close()
        click.echo(f"taken back: {', '.join(done.fixes)}")
        for file in done.edited:
            click.echo(f"left alone, because someone edited it since: {safe(file)}")
        _told_in_state(one)
    return Exit.GATE if done.edited else Exit.OK


def _told_in_state(run: "Run") -> None:
    """Measure the skill as it is now, and write a report that was written before anew."""
    from actions.model import Case
    from actions.report import report
    from actions.rollback import measured
    from orchestrator.readers import read_skill
    from orchestrator.run import REPORT_FILE

    case = Case(read_skill(run.workspace.root))
    run.store.update(**measured(run.store.state, case))
    if run.store.state.final_report is not None:
        text = report(run.store.state, case)
        run.store.update(final_report=text)
        durable.write_bytes(run.store.path.with_name(REPORT_FILE), text.encode())
