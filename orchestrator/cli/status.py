"""`tune-skill status`: show the state of a run. The run is not changed."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from orchestrator.cli.output.console import Console
from orchestrator.cli.output.issue_lines import HANG
from orchestrator.cli.output.registry import ensure_format, format_option, print_result
from orchestrator.cli.output.results import RunResult
from orchestrator.cli.output.wrap import fit
from orchestrator.exits import Exit
from schemas.vocabulary import Pause

if TYPE_CHECKING:
    from orchestrator.run.store import StateStore


@click.command()
@click.argument("run", required=False)
@format_option(RunResult)
def status(run: str | None, format_: str) -> Exit:
    """Show the state of RUN (default: the newest one), and what it waits for; or the result of a trial or trigger test.

    \b
    Example:
      tune-skill status
    """
    from orchestrator.cli.input import finished, improvements
    from orchestrator.cli.output.next_steps import describe_status

    if folder := improvements.find_named(run):
        return improvements.show(folder, format_)
    if result := finished.find_result(run):
        ensure_format(result, format_)
        finished.warn_of_change(result)
        print_result(result, format_)
        return Exit.OK
    store = open_run(run, quiet=True)  # the first line of the text names the run
    if format_ != "json":
        for line in describe_status(store.state).splitlines():
            click.echo("\n".join(fit("", line, HANG)))
        click.echo()
    print_result(RunResult(store, with_diffs=store.state.pause is Pause.FIX_SELECTION), format_)
    return Exit.OK


def open_run(run: str | None, *, quiet: bool) -> "StateStore":
    """Load the state of a run, read-only. Warn if it was recovered, or if changes to its skill are unfinished.

    quiet: do not say which run is used if the user named none.

    The state of a run that is not trusted may name any skill, such as the one of the project that it was copied from.
    """
    from orchestrator.cli.input.chosen_run import find_chosen_run
    from orchestrator.fs.own_folders import is_trusted
    from orchestrator.run.relocation import hide_original
    from orchestrator.run.store import StateStore
    from orchestrator.run.workspace.pending import find_pending

    listener = Console()
    work_dir = find_chosen_run(run, listener, quiet=quiet)
    store = StateStore(work_dir)
    store.load(read_only=True)
    if store.recovered:
        listener.say(store.recovered)
    if not is_trusted(work_dir):
        store.show(hide_original(work_dir, store.state))
    elif pending := find_pending(Path(store.state.target_skill.path or "")):
        listener.say(pending.sentence)
    return store
