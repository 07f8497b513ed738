"""What `run` does: tunes the skill, and shows what came of it."""

from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from actions.reporting.hints import quote_run
from orchestrator.cli.output.console import Console
from orchestrator.cli.output.result import finished, standing
from orchestrator.errors import Interrupted, TuneSkillError
from orchestrator.exits import Exit
from orchestrator.project.skill_finder import find_skill
from orchestrator.run.create import begin
from orchestrator.run.store import StateStore
from orchestrator.run.workspace.paths import real
from orchestrator.run.workspace.registry import is_held, last_claim
from schemas.options import Options
from schemas.vocabulary import Phase

if TYPE_CHECKING:
    from orchestrator.tuning.trial.consent import Request


def start(
    skill: str, options: Options, work_dir: str | None, *,
    issue: str, focus: tuple[str, ...], rounds: int, quiet: bool, pause: bool, allowed: "Request | None" = None,
) -> Exit:  # fmt: skip
    """Tune the skill that `skill` names, in at most `rounds` rounds.

    pause: wait for each answer outside. allowed: what the user allowed for the trial of the run.
    """
    listener = Console(quiet=quiet, ask=options.format == "text", later=pause)
    if not quiet and (earlier := _unfinished(real(find_skill(skill)))):
        listener.say(earlier)
    with listener:
        run = begin(
            skill, options, listener, work_dir=work_dir, issue=issue, focus=focus, rounds=rounds, allowed=allowed
        )
    try:
        return finished(run.store, options.format, with_diffs=not listener.showed_diffs)
    except KeyboardInterrupt:
        raise Interrupted("the run is over, and its work is kept: tune-skill status shows it") from None


def _unfinished(root: Path) -> str:
    """Return what is to be said of the last run of a skill where it has not ended and nobody is at it; else ""."""
    last = last_claim(root)
    if last is None or is_held(root):
        return ""
    store = StateStore(Path(last.work_dir))
    with suppress(TuneSkillError):
        store.load(read_only=True)
        if store.state.phase not in (Phase.COMPLETED, Phase.FAILED):
            how = f"`tune-skill resume {quote_run(store.state)}` goes on with it; this is a new run"
            return f"{standing(store.state)}: {how}"
    return ""
