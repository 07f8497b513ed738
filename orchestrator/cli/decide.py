"""`answer`, `apply`, `resume`: go on with a run that waits or was stopped."""

import re
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import click

from orchestrator.cli.output.console import Console
from orchestrator.cli.output.progress import quiet_option
from orchestrator.errors import BadInput
from orchestrator.exits import Exit
from schemas.concerns import CONCERNS
from schemas.vocabulary import Phase

if TYPE_CHECKING:
    from orchestrator.run.run import Run


_FIX = re.compile(r"fix[-_ ]?([0-9]{1,6})|([0-9]{1,3})", re.IGNORECASE)
"""How people write the id of a fix; the beginning of a run's id has more digits."""


@click.command()
@click.argument("run")
@click.argument("answers", nargs=-1, required=True, metavar="DIM-001=READING …")
@quiet_option
def answer(run: str, answers: tuple[str, ...], quiet: bool) -> Exit:
    """Answer the questions of a paused RUN, and continue it.

    \b
    Example:
      tune-skill answer 20261121-1200 DIM-001=memory_loss
    """
    from orchestrator.run.decisions import meaning

    given = dict(_pair(text) for text in answers)
    return _go_on(run, lambda run: meaning(run.store.state, given), quiet=quiet)


def _pair(text: str) -> tuple[str, str]:
    id, mark, reading = text.partition("=")
    if not mark or reading not in CONCERNS:
        raise BadInput(f"{text}: write DIM-001=READING with one of {', '.join(CONCERNS)}")
    return id, reading


def fixes_apart(run: str | None, fixes: tuple[str, ...]) -> tuple[str | None, tuple[str, ...]]:
    """Return run and fixes as they were meant: `fix2`, `2` and `FIX-001,FIX-002`, too, and in place of a run."""
    first = _fixes_in(run or "")
    rest = [id for text in fixes for id in _fixes_in(text) or [text]]
    return (None if first else run), tuple(dict.fromkeys((*first, *rest)))


def _fixes_in(text: str) -> list[str]:
    """Return the ids of the fixes that an argument names; none where a part of it names no fix."""
    found = [_FIX.fullmatch(part.strip()) for part in text.strip(", ").split(",")]
    return [f"FIX-{int(match[1] or match[2]):03}" for match in found if match] if all(found) else []


def ensure_one_choice(run: str | None, fixes: tuple[str, ...], flags: Mapping[str, bool]) -> None:
    """Raise click.UsageError unless either fixes or one of the flags were given."""
    given = [*([" ".join(fixes)] if fixes else []), *(flag for flag, is_set in flags.items() if is_set)]
    context = click.get_current_context()
    if len(given) > 1:
        raise click.UsageError(f"{' and '.join(given)} exclude each other; give one of them", context)
    if not given:
        taken = f"{run} is taken as the run; " if run else ""
        raise click.UsageError(f"{taken}name fixes, as in FIX-001, or give {' or '.join(flags)}", context)


@click.command()
@click.argument("run", required=False)
@click.argument("fixes", nargs=-1, metavar="[FIX-001 …]")
@click.option("--all", "all_", is_flag=True, help="Every fix that is proposed.")
@click.option("--none", "none_", is_flag=True, help="No fix: only the report.")
@quiet_option
def apply(run: str | None, fixes: tuple[str, ...], all_: bool, none_: bool, quiet: bool) -> Exit:
    """Choose fixes of a paused RUN (by default the newest one) and continue; each is verified, or rolled back.

    \b
    Examples:
      tune-skill apply FIX-002
      tune-skill apply 20261121-1200 FIX-001 FIX-003
      tune-skill apply 20261121-1200 --all
    """
    run, fixes = fixes_apart(run, fixes)
    ensure_one_choice(run, fixes, {"--all": all_, "--none": none_})

    from orchestrator.run.decisions import selection

    return _go_on(run, lambda run: selection(run.store.state, None if all_ else fixes), quiet=quiet)


@click.command()
@click.argument("run", required=False)
@click.option("--yes", is_flag=True, help="Take the likeliest reading of what is unclear. It selects no fixes.")
@click.option(
    "--give-up", is_flag=True, help="Continue without the model: what an MCP client has not answered is not asked."
)
@click.option("--no-trial", is_flag=True, help="End the run without the trial that it asks for.")
@quiet_option
def resume(run: str | None, yes: bool, give_up: bool, no_trial: bool, quiet: bool) -> Exit:
    """Continue RUN (by default the newest one) from where it stopped, in this or another process.

    \b
    Example:
      tune-skill resume
    """
    from dataclasses import replace

    def changes(run: "Run") -> dict[str, Any]:
        if give_up:
            from orchestrator.model.question_queue import Desk

            Desk(run.store.path.parent).close("given up by the user")
        before = run.store.state.options
        options = replace(before, yes=before.yes or yes, trial=None if no_trial else before.trial)
        return {"options": options} if options != before else {}

    return _go_on(run, changes, quiet=quiet)


def _go_on(name: str | None, changes: "Callable[[Run], dict[str, Any]]", *, quiet: bool) -> Exit:
    from orchestrator.cli.output.result import finished, standing
    from orchestrator.run.run import Run
    from orchestrator.run.work_dirs import find_run
    from orchestrator.run.workspace.pending import inspect

    work_dir = find_run(name)
    listener = Console(quiet=quiet)
    run = Run.opened(work_dir, listener)
    if run.store.state.phase in (Phase.COMPLETED, Phase.FAILED):
        changes(run)
        waiting = inspect(run.workspace.root)
        if waiting and not waiting.at_work:
            with run.held():
                pass  # holding the skill puts right what a killed command left
        if not quiet:
            click.echo(f"{standing(run.store.state)}\n", err=True)
        return finished(run.store, run.store.state.options.format)
    with listener, run.held():
        made = changes(run)
        if made:
            run.store.update(**made)
        run.go()
    return finished(run.store, run.store.state.options.format, with_diffs=not listener.showed_diffs)
