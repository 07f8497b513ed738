"""Find the last run of a unit if it was stopped before its end. A new run must not ignore its fixes."""

from contextlib import suppress
from pathlib import Path

import msgspec

from actions.reporting.hints import quote_run
from orchestrator.errors import Refused, TuneSkillError
from orchestrator.fs.paths import resolve_links
from orchestrator.run.store import StateStore
from orchestrator.run.workspace.journal import EntryOutcome, Journal, Kind, find_applied
from orchestrator.run.workspace.registry import is_held, read_last_claim
from schemas.records import State
from schemas.vocabulary import Phase
from templates.filters import counted


class UnfinishedRun(msgspec.Struct, frozen=True):
    """A stopped run. fixes: the ids of the fixes that the run applied, or was just applying, and did not roll back."""

    state: State
    fixes: tuple[str, ...]


def find_unfinished(unit: Path) -> UnfinishedRun | None:
    """Return the last run of a unit if it was stopped. unit: the path of the unit.

    Returns None if the run has ended, is running or is damaged.
    """
    root = resolve_links(unit)
    last = read_last_claim(root)
    if last is None or is_held(root):
        return None
    store = StateStore(Path(last.work_dir))
    with suppress(TuneSkillError):
        store.load(read_only=True)
        if store.state.phase not in (Phase.COMPLETED, Phase.FAILED):
            return UnfinishedRun(store.state, _list_fixes(Journal(Path(last.journal), root)))
    return None


def _list_fixes(journal: Journal) -> tuple[str, ...]:
    entries = journal.read_own_entries()
    open_entries = (entry for entry in entries if entry.kind is Kind.APPLY and entry.outcome is EntryOutcome.OPEN)
    return tuple(fix for entry in (*find_applied(entries), *open_entries) for fix in entry.fixes)


def ensure_startable(unit: Path) -> None:
    """Raise Refused if a stopped run or improvement of a unit must be finished before a new run of the unit."""
    _ensure_trial_decided(unit)
    ensure_not_improved(resolve_links(unit))


def ensure_not_improved(root: Path, work_dir: Path | None = None) -> None:
    """Raise Refused if an improvement of a unit is unfinished and depends on the unit's text.

    The results of an improvement are valid only for one text of the unit. If a run changed this text, the user would
    have paid for the results in vain. root: the path of the unit, without links. work_dir: the work dir of the run.
    The run with which the improvement applies its edits is not refused.
    """
    from orchestrator.tuning.improve.unfinished import find_dependent  # imported late: few skills have an improvement

    improvement = None if is_held(root) else find_dependent(root)
    if improvement is None or (work_dir and improvement.is_applied_in(work_dir)):
        return
    if improvement.is_running:
        raise Refused(f"{improvement.sentence} and needs this text of the skill; wait until it ends, or stop it")
    raise Refused(
        f"{improvement.sentence}; finish it first: `{improvement.resume}` (it counts only for this text of the skill), "
        f"or end it: `{improvement.resume} --give-up`"
    )


def _ensure_trial_decided(unit: Path) -> None:
    """Raise Refused if the last run of a unit was stopped before its trial and its fixes are still in the unit.

    A new run would treat the text with these fixes as the original. No trial would then ever test the fixes.
    """
    stopped = find_unfinished(unit)
    if stopped is None or not stopped.fixes or stopped.state.options.trial is None:
        return
    run = quote_run(stopped.state)
    fixes = f"{counted(len(stopped.fixes), 'fix', 'fixes')} ({', '.join(stopped.fixes)})"
    raise Refused(
        f"run {stopped.state.run_id} was stopped before its trial decided about {fixes}; decide first: "
        f"`tune-skill resume {run}` continues the trial, `tune-skill resume {run} --no-trial` keeps the fixes, "
        f"`tune-skill rollback {run} --all` undoes them"
    )
