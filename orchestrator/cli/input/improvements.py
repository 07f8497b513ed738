"""Find, show, continue and end improvements for the commands that accept RUN.

An improvement is named by its id, a prefix of the id, or its folder.
"""

from pathlib import Path

from msgspec.structs import replace

from orchestrator.cli.input.terminal import is_started_by_model
from orchestrator.cli.output.registry import ensure_format
from orchestrator.cli.output.results import ImprovementResult
from orchestrator.cli.output.text import warn
from orchestrator.cli.output.write import write_result
from orchestrator.errors import BadInput, Refused
from orchestrator.exits import Exit
from schemas.improvement import Improvement


def find_named(name: str | None) -> Path | None:
    """Return the folder of the improvement that the user named as RUN, or None if no improvement has this name."""
    from orchestrator.run.work_dirs import list_own_runs
    from orchestrator.tuning.improve.history import find_improvement

    id = Path(name or "").name
    folder = (find_improvement(name or "") or find_improvement(id)) if id else None
    is_full_id = folder is not None and folder.name == id  # a run created in the same second adds `-2`
    return folder if is_full_id or not any(run.name.startswith(id) for run in list_own_runs()) else None


def find_stopped() -> Path | None:
    """Return the newest stopped improvement. None if there is none, or if a run that it did not start is newer."""
    from orchestrator.run.work_dirs import list_own_runs
    from orchestrator.tuning.improve import history
    from orchestrator.tuning.improve.store import FILE, read_state

    if (folder := history.find_newest_unfinished()) is None:
        return None
    state = read_state(folder / FILE)
    others = [run.name for run in list_own_runs() if not (state and Path(state.run).name == run.name)]
    return folder if not others or folder.name > others[-1] else None


def load(folder: Path) -> Improvement:
    """Read the state of an improvement. Raises StateDamaged."""
    from orchestrator.run.store import system_clock
    from orchestrator.tuning.improve.store import ImprovementStore

    return ImprovementStore(folder, system_clock).load()


def show(folder: Path, format_: str, output: str | None = None) -> Exit:
    """Print the state of an improvement. Raises BadInput if the format does not support improvements."""
    from orchestrator.tuning.improve.unfinished import read_unfinished

    state = load(folder)
    if not state.has_ended:  # the state lacks the cost of the current stage
        found = read_unfinished(folder)
        state = replace(state, usd=found.usd)
        if found.reserved:
            warn(found.sentence)
    result = ImprovementResult(state)
    ensure_format(result, format_)
    write_result(result, format_, output)
    return Exit.OK


def get_run(name: str | None) -> str | None:
    """Return the run that applied the steps of the improvement `name`. Any other name is returned unchanged."""
    from orchestrator.run.store import has_run

    folder = find_named(name)
    if folder is None:
        return name
    state = load(folder)
    is_applied = bool(state.run) and (state.has_ended or has_run(Path(state.run)))
    if not is_applied:
        raise BadInput(f"{state.id} has applied nothing, so there is nothing to undo: {state.why or state.stage.value}")
    return state.run


def ensure_user_continues(folder: Path) -> None:
    """Raise Refused if Claude Code started the command. Only the user is allowed to continue an improvement."""
    from orchestrator.tuning.improve.unfinished import quote_improvement

    if is_started_by_model():
        command = f"tune-skill resume {quote_improvement(folder)}"
        raise Refused(f"{folder.name} was stopped; continuing it costs money, so use a terminal: `{command}`")


def give_up(folder: Path, *, is_named: bool) -> Exit:
    """End an improvement without its edits, and print its result.

    Raises BadInput if the user has not named it, and Refused if Claude Code started the command.
    """
    from orchestrator.cli.improve import get_exit
    from orchestrator.cli.output.console import Console
    from orchestrator.run.improved import undo_improvement
    from orchestrator.run.store import system_clock
    from orchestrator.tuning.improve import conduct

    if not is_named:
        raise BadInput(f"to end an improvement, name it: `tune-skill resume {folder.name} --give-up`")
    if is_started_by_model():
        raise Refused(f"{folder.name} was paid for; only the user can give it up, in a terminal")
    if not (state := load(folder)).has_ended:
        console = Console(quiet=True, ask=False)
        undo_improvement(state, console)
        state = conduct.give_up(folder, system_clock, console.say)
    write_result(ImprovementResult(state), "text", None)
    return get_exit(state)


def resume(folder: Path, *, quiet: bool) -> Exit:
    """Continue an improvement, or print its result if it has ended."""
    from orchestrator.cli.improve import finish_applying, get_exit, run_plan
    from orchestrator.tuning.improve.conduct import read_plan
    from schemas.improvement import Stage

    state = load(folder)
    if state.stage is Stage.EXAMINED:
        state = finish_applying(folder, quiet=quiet)
    elif not state.has_ended:
        ensure_user_continues(folder)
        plan = read_plan(folder)
        advice = "start it with `tune-skill improve`, which asks you"
        state = run_plan(plan, advice, quiet=quiet, subject=folder)
    write_result(ImprovementResult(state), "text", None)
    return get_exit(state)
