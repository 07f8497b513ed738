"""`tune-skill resume`: continue a run that is paused or was stopped. `apply` and `answer` also continue it."""

from collections.abc import Callable
from typing import TYPE_CHECKING

import click

from orchestrator.cli.input.options import check_amount, quiet_option
from orchestrator.cli.input.terminal import is_started_by_model
from orchestrator.cli.output.console import Console
from orchestrator.errors import Refused
from orchestrator.exits import Exit
from schemas.vocabulary import Phase

if TYPE_CHECKING:
    from pathlib import Path

    from orchestrator.run.run import Run
    from schemas.records import State


@click.command()
@click.argument("run", required=False)
@click.option("--yes", is_flag=True, help="Use the most likely meaning of an unclear request. No fixes are chosen.")
@click.option("--give-up", is_flag=True, help="Continue without the answers of a model that are still missing; end "
              "an improvement without its edits.")  # fmt: skip
@click.option("--no-trial", is_flag=True, help="End the run without its trial.")
@click.option(
    "--max-cost-usd", type=click.FloatRange(0, 1000), callback=check_amount, metavar="X",
    help="Maximum cost of the model in the whole run, with what it has paid so far, in USD.  [default: as before]",
)  # fmt: skip
@quiet_option
def resume(
    run: str | None, yes: bool, give_up: bool, no_trial: bool, max_cost_usd: float | None, quiet: bool
) -> Exit:  # fmt: skip
    """Continue RUN (default: the newest one) where it stopped, in this or another process.

    RUN may be an improvement as well.

    \b
    Examples:
      tune-skill resume
      tune-skill resume --max-cost-usd 5
    """
    from msgspec.structs import replace

    from orchestrator.cli.input import improvements
    from orchestrator.cli.input.chosen_run import name_chosen

    folder = improvements.find_named(run) if run else improvements.find_stopped()
    if max_cost_usd is not None:
        _ensure_limit_can_be_set(folder)
    if folder and give_up:
        return improvements.give_up(folder, is_named=run is not None)
    if folder:
        if not (run or quiet):
            name_chosen("improvement", folder)
        return improvements.resume(folder, quiet=quiet)

    def change_options(run: "Run") -> "State":
        if give_up:
            from orchestrator.model.question_queue import QuestionQueue

            QuestionQueue(run.store.path.parent).close("given up by the user")
        state = run.store.state
        before = state.options
        options = replace(before, yes=before.yes or yes, trial=None if no_trial else before.trial)
        if max_cost_usd is not None:
            options = replace(options, max_cost_usd=max_cost_usd)
        if no_trial and before.trial:
            state = _note_dropped_trial(run)
        return replace(state, options=options) if options != before else state

    return continue_run(run, change_options, quiet=quiet)


def _ensure_limit_can_be_set(improvement: "Path | None") -> None:
    """Raise UsageError for an improvement, and Refused if Claude Code started the command."""
    if improvement:
        raise click.UsageError(f"--max-cost-usd is only for runs; {improvement.name} keeps the limit that you allowed")
    if is_started_by_model():
        raise Refused("only the user can set another limit of cost, in a terminal; omit --max-cost-usd")


def _note_dropped_trial(run: "Run") -> "State":
    """Return the state of a run that ends without its stopped trial, with a note on what was paid for it."""
    from actions.steps.record_rollback import add_notes
    from orchestrator.tuning.trial.final_trial import describe_dropped_trial, find_lost_trial

    state = find_lost_trial(run.store.state, run.workspace.root, run.workspace.work_dir)
    note = describe_dropped_trial(state)
    return add_notes(state, (note,)) if note else state


def continue_run(name: str | None, change: "Callable[[Run], State]", *, quiet: bool) -> Exit:
    """Save the state that `change` returns, continue the run, and print the result.

    name: the run's name, or None for the newest run. If the run has ended and `change` does not reopen it, only its
    result is printed.
    """
    from orchestrator.cli.input.chosen_run import find_chosen_run
    from orchestrator.cli.input.finished import mark_trial_of_run
    from orchestrator.cli.output.next_steps import describe_status
    from orchestrator.cli.output.registry import print_result
    from orchestrator.cli.output.results import RunResult
    from orchestrator.exits import get_exit_code
    from orchestrator.run.run import Run
    from orchestrator.run.unfinished import ensure_not_improved
    from orchestrator.run.workspace.pending import find_pending

    listener = Console(quiet=quiet)
    work_dir = find_chosen_run(name, listener, quiet=quiet)
    run = Run.open(work_dir, listener)
    has_trial = run.store.state.options.trial is not None  # before `--no-trial` drops it
    ended = (Phase.COMPLETED, Phase.FAILED)
    if run.store.state.phase in ended and change(run).phase in ended:
        pending = find_pending(run.workspace.unit_path)
        if pending and not pending.at_work:
            with run.hold():
                pass  # entering the block recovers the changes of a killed command
        if not quiet:
            click.echo(f"{describe_status(run.store.state)}\n", err=True)
    else:
        ensure_not_improved(run.workspace.unit_path, run.workspace.work_dir)
        with listener, run.hold():
            changed = change(run)
            if changed is not run.store.state:
                run.store.save(changed)
            run.drive()
    if has_trial and run.store.state.phase in ended:
        from orchestrator.tuning.trial.leftovers import remove_leftovers

        remove_leftovers(listener.say)
    print_result(RunResult(run.store, with_diffs=not listener.showed_diffs), run.store.state.options.format)
    mark_trial_of_run(run.store.state)
    return get_exit_code(run.store.state)
