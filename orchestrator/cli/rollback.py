"""`rollback`: take fixes back, byte for byte."""

from collections.abc import Collection
from pathlib import Path
from typing import TYPE_CHECKING

import click

from orchestrator.cli.decide import ensure_one_choice, fixes_apart
from orchestrator.cli.output.console import Console
from orchestrator.cli.output.text import safe
from orchestrator.errors import BadInput
from orchestrator.exits import Exit

if TYPE_CHECKING:
    from orchestrator.run.run import Run
    from orchestrator.run.workspace.workspace import RolledBack


@click.command()
@click.argument("run", required=False)
@click.argument("fixes", nargs=-1, metavar="[FIX-001 …]")
@click.option("--all", "all_", is_flag=True, help="Undo every fix: the original bytes come back.")
def rollback(run: str | None, fixes: tuple[str, ...], all_: bool) -> Exit:
    """Undo fixes of RUN (by default the newest one). What someone has edited since is never overwritten.

    \b
    Examples:
      tune-skill rollback FIX-001
      tune-skill rollback 20261121-1200 FIX-001
      tune-skill rollback --all
    """
    run, fixes = fixes_apart(run, fixes)
    ensure_one_choice(run, fixes, {"--all": all_})
    from orchestrator.run.run import Run
    from orchestrator.run.work_dirs import find_run

    one = Run.opened(find_run(run), Console())
    id = safe(one.store.state.run_id)
    with one.held():
        if all_ and not one.workspace.standing():
            click.echo(f"nothing to undo: no fix of run {id} is applied{'' if run else _elsewhere(one, ())}")
            return Exit.OK
        done = _taken_back(one, fixes, is_named=bool(run))
    if not run:
        click.echo(f"run {id}")
    if done.fixes:
        click.echo(f"rolled back: {', '.join(sorted(done.fixes))}")
    for fix, files in done.left.items():
        click.echo(f"{fix} stays: what it wrote has been edited since, in {', '.join(map(safe, files))}")
    return Exit.GATE if done.left else Exit.OK


def _taken_back(one: "Run", fixes: tuple[str, ...], *, is_named: bool) -> "RolledBack":
    """Take back fixes (all, where none is named). Raises BadInput, which names another run where nobody named one."""
    try:
        return one.take_back(fixes or None)
    except BadInput as error:
        raise error if is_named else BadInput(f"{error}{_elsewhere(one, fixes)}") from None


def _elsewhere(one: "Run", fixes: Collection[str]) -> str:
    """Say how to undo fixes (all, where none is named) in the newest other run in which they are applied."""
    from orchestrator.run.work_dirs import own_runs

    others = (run for run in reversed(own_runs()) if run.resolve() != one.workspace.work_dir)
    name = next((run.name for run in others if _stands(run, fixes)), "")
    return f"; or name another run: tune-skill rollback {safe(name)} {' '.join(fixes) or '--all'}" if name else ""


def _stands(run: Path, fixes: Collection[str]) -> bool:
    """Return whether fixes (any, where none is named) are applied, as the journal of one's own run has it."""
    from orchestrator.errors import TuneSkillError
    from orchestrator.run.workspace.known import skill_of
    from orchestrator.run.workspace.workspace import Workspace

    try:
        standing = Workspace(Path(skill_of(run) or ""), run).standing()
    except TuneSkillError:
        return False
    return bool(standing) and set(fixes) <= set(standing)
