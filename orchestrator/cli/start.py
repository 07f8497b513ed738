"""What `run` does: tunes the skill, and shows what came of it."""

from orchestrator.begin import begin
from orchestrator.cli.console import Console
from orchestrator.cli.exits import Exit
from orchestrator.cli.result import finished
from orchestrator.errors import Interrupted
from schemas.options import Options


def start(
    skill: str, options: Options, work_dir: str | None, *,
    issue: str, focus: tuple[str, ...], rounds: int, quiet: bool, pause: bool,
) -> Exit:  # fmt: skip
    """Tune the skill that `skill` names, in at most `rounds` rounds. pause: wait for each answer outside."""
    listener = Console(quiet=quiet, ask=options.format == "text", later=pause)
    with listener:
        run = begin(skill, options, listener, work_dir=work_dir, issue=issue, focus=focus, rounds=rounds)
    try:
        return finished(run.store, options.format, with_diffs=not listener.showed_diffs)
    except KeyboardInterrupt:
        raise Interrupted("the run is over, and its work is kept: tune-skill status shows it") from None
