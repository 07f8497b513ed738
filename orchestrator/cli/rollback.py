"""`tune-skill rollback`: undo fixes, byte for byte."""

from collections.abc import Collection
from pathlib import Path
from typing import TYPE_CHECKING

import click

from orchestrator.cli.input.fix_ids import ensure_one_choice, split_run_and_fixes
from orchestrator.cli.output.console import Console
from orchestrator.cli.output.text import safe
from orchestrator.errors import BadInput, Refused
from orchestrator.exits import Exit

if TYPE_CHECKING:
    from orchestrator.run.run import Run
    from orchestrator.run.workspace.workspace import Rollback


@click.command()
@click.argument("run", required=False)
@click.argument("fixes", nargs=-1, metavar="[FIX-001 …]")
@click.option("--all", "all_", is_flag=True, help="Undo every fix, and restore the original bytes.")
def rollback(run: str | None, fixes: tuple[str, ...], all_: bool) -> Exit:
    """Undo fixes of RUN (default: the newest one). Files that were edited afterwards are never overwritten.

    \b
    Examples:
      tune-skill rollback FIX-001
      tune-skill rollback 20261121-1200 FIX-001
      tune-skill rollback --all
    """
    run, fixes = split_run_and_fixes(run, fixes)
    ensure_one_choice(run, fixes, {"--all": all_})
    from orchestrator.cli.input.chosen_run import find_chosen_run
    from orchestrator.cli.input.improvements import get_run
    from orchestrator.run.run import Run

    run = get_run(run)
    console = Console()
    tuned = Run.open(find_chosen_run(run, console), console)
    id = safe(tuned.store.state.run_id)
    with tuned.hold():
        if all_ and not tuned.list_applied():
            click.echo(f"nothing to undo: run {id} has no applied fix{'' if run else _suggest_other_run(tuned, ())}")
            return Exit.OK
        result = _roll_back(tuned, fixes, is_named=bool(run))
    if tuned.store.state.options.trial:
        from orchestrator.tuning.trial.leftovers import remove_leftovers

        remove_leftovers(console.say)
    if result.fixes:
        click.echo(f"rolled back: {', '.join(sorted(result.fixes))}")
    for fix in sorted(result.absent):
        click.echo(f"{fix}: the old text was already there; nothing was changed")
    for fix, files in result.left.items():
        what = "rolled back except where" if fix in result.partial else "not rolled back:"
        why = "its changes were edited afterwards or cannot be located with certainty"
        click.echo(f"{fix} was {what} {why}, in {', '.join(map(safe, files))}")
    if result.left:
        click.echo(_advise(tuned, set(result.edited_files)))
    return Exit.GATE if result.left else Exit.OK


def _roll_back(run: "Run", fixes: tuple[str, ...], *, is_named: bool) -> "Rollback":
    """Roll back some fixes, or all fixes if `fixes` is empty.

    Raises Refused, with advice, if that is not possible. Raises BadInput for an unknown fix. If the user named no
    run, the message suggests another run.
    """
    try:
        return run.roll_back(fixes or None)
    except Refused as refusal:
        raise Refused(f"{refusal}; {_advise(run, run.workspace.list_applied_files(fixes))}") from None
    except BadInput as error:
        raise error if is_named else BadInput(f"{error}{_suggest_other_run(run, fixes)}") from None


def _advise(run: "Run", files: Collection[str]) -> str:
    """Return advice for files that could not be restored."""
    name = _find_later_run(run, files)
    first = (
        f"run {name} changed the same file later; to undo that first: tune-skill rollback {name} --all; "
        if name
        else ""
    )
    return f"{first}to compare with the text from before the run: {safe(str(run.workspace.work_dir / 'backup'))}"


def _find_later_run(run: "Run", files: Collection[str]) -> str:
    """Return the name of the newest later run that applied a fix to one of these files of the unit, or ""."""
    from orchestrator.run.work_dirs import list_own_runs

    runs = list_own_runs()
    position = next((n for n, folder in enumerate(runs) if folder.resolve() == run.workspace.work_dir), len(runs))
    later = reversed(runs[position + 1 :])
    return next((safe(folder.name) for folder in later if _has_changed(folder, run.workspace.unit_path, files)), "")


def _has_changed(work_dir: Path, unit_path: Path, files: Collection[str]) -> bool:
    """Return whether a run still has an applied fix in one of these files of a unit, according to its journal."""
    from orchestrator.errors import TuneSkillError
    from orchestrator.run.work_dirs import open_workspace

    try:
        workspace = open_workspace(work_dir)
        return workspace.unit_path == unit_path and not workspace.list_applied_files().isdisjoint(files)
    except TuneSkillError:
        return False


def _suggest_other_run(run: "Run", fixes: Collection[str]) -> str:
    """Suggest the newest other run that has applied these fixes, or any fix if `fixes` is empty.

    Returns "" if there is no such run.
    """
    from orchestrator.run.work_dirs import list_own_runs

    folders = (folder for folder in reversed(list_own_runs()) if folder.resolve() != run.workspace.work_dir)
    name = next((folder.name for folder in folders if _has_applied(folder, fixes)), "")
    return f"; or name another run: tune-skill rollback {safe(name)} {' '.join(fixes) or '--all'}" if name else ""


def _has_applied(work_dir: Path, fixes: Collection[str]) -> bool:
    """Return whether a run has applied these fixes (empty: any fix), according to its journal."""
    from orchestrator.errors import TuneSkillError
    from orchestrator.run.work_dirs import open_workspace

    try:
        applied = open_workspace(work_dir).list_applied_fixes()
    except TuneSkillError:
        return False
    return bool(applied) and set(fixes) <= set(applied)
