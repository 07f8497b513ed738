"""`rollback`: take fixes back, byte for byte."""

from dataclasses import replace

import click

from actions.model import Case
from actions.report import report
from orchestrator import durable
from orchestrator.cli.console import Console
from orchestrator.cli.exits import Exit
from orchestrator.cli.places import find_run
from orchestrator.errors import BadInput
from orchestrator.readers import read_skill
from orchestrator.run import Run
from schemas.vocabulary import FixStatus, Verification

_BY_USER = "taken back by the user"


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
    one = Run.opened(find_run(run), Console())
    with one.held():
        standing = [f.id for f in one.store.state.proposed_fixes if f.status is FixStatus.APPLIED]
        for id in fixes:
            if id not in standing:
                raise BadInput(
                    f"{id}: not applied in run {one.store.state.run_id}; applied are {', '.join(standing) or 'none'}"
                )
        if not standing:
            click.echo("nothing to take back: no fix of this run stands")
            return Exit.OK
        done = one.workspace.rollback(None if all_ else fixes)
        _saved(one, done.fixes)
        one.workspace.close()
    click.echo(f"taken back: {', '.join(done.fixes)}")
    for file in done.edited:
        click.echo(f"left alone, because someone edited it since: {file}")
    return Exit.GATE if done.edited else Exit.OK


def _saved(run: Run, ids: tuple[str, ...]) -> None:
    state = run.store.state
    fixes = tuple(
        replace(f, status=FixStatus.ROLLED_BACK, reason=_BY_USER) if f.id in ids else f for f in state.proposed_fixes
    )
    applied = tuple(
        replace(a, verification_result=Verification.ROLLED_BACK, rollback_available=False, reason=_BY_USER)
        if a.fix_id in ids and a.verification_result is Verification.PASS
        else a
        for a in state.applied_fixes
    )
    run.store.update(proposed_fixes=fixes, applied_fixes=applied)
    state = run.store.state
    if state.final_report is not None:
        text = report(state, Case(read_skill(run.workspace.root)))
        run.store.update(final_report=text)
        durable.write_bytes(run.store.path.with_name("report.md"), text.encode())
