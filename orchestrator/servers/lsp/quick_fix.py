"""Apply a fix that the user chose in the editor. Each fix is a run of its own, which can be rolled back."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import chdir

import msgspec

from actions.steps.outcome import AskClarification, AskSelection
from orchestrator.errors import Refused
from orchestrator.run.create import start_run
from orchestrator.servers.lsp.snapshot import Snapshot
from schemas.options import Options
from schemas.records import Fix, State
from schemas.vocabulary import FixStatus


class FixResult(msgspec.Struct, frozen=True):
    """The result of a fix. message: for the user. run: the id of the run that applied it."""

    applied: bool
    message: str
    run: str


class _FixChooser:
    """A listener of a run that selects the fixes of one finding."""

    can_ask = True
    picks_findings = False

    def __init__(self, fingerprint: str, list_unsaved: Callable[[], Sequence[str]]) -> None:
        self._fingerprint, self._list_unsaved = fingerprint, list_unsaved
        self.messages: list[str] = []

    def begin(self, state: State, action: str) -> None:
        """Do nothing."""

    def step(self, state: State, action: str, note: str) -> None:
        """Do nothing."""

    def say(self, message: str) -> None:
        """Collect a message for the user."""
        self.messages.append(message)

    def clarify(self, question: AskClarification) -> Mapping[str, str] | None:
        """Return None. A quick fix has no request by the user that could be unclear."""
        return None

    def select(self, question: AskSelection, save: Callable[[str, bool], None]) -> tuple[str, ...]:
        """Select the fixes of the finding."""
        return tuple(fix.id for fix in question.fixes if self._fingerprint in fix.claims)

    def begin_write(self) -> None:
        """Raise Refused if the user has typed since the fix was chosen."""
        if unsaved := self._list_unsaved():
            raise Refused(ask_to_save(unsaved))


def ask_to_save(unsaved: Sequence[str]) -> str:
    """Return the message for a fix that is refused because of unsaved files."""
    return f"save {', '.join(unsaved)} first: a fix changes the files on disk"


def apply_fix(snapshot: Snapshot, fingerprint: str, list_unsaved: Callable[[], Sequence[str]]) -> FixResult:
    """Fix a finding of a unit in a run with one round. Raises TuneSkillError if the run fails.

    `list_unsaved` returns the unsaved files of the unit. It is called just before the fix is written.
    """
    listener = _FixChooser(fingerprint, list_unsaved)
    options = Options(sessions="none", judge="none", apply="ask", finding=fingerprint)
    with chdir(snapshot.unit.folder):
        state = start_run(snapshot.target, options, listener, rounds=1).store.state
    tried = [fix for fix in state.proposed_fixes if fix.status is not FixStatus.PROPOSED]
    messages = [_describe_fix(state.run_id, fix) for fix in tried] or [f"no fix was applied; see run {state.run_id}"]
    is_applied = any(fix.status is FixStatus.APPLIED for fix in tried)
    return FixResult(is_applied, "; ".join([*messages, *listener.messages]), state.run_id)


def _describe_fix(run: str, fix: Fix) -> str:
    if fix.status is FixStatus.APPLIED:
        return f"fixed; to undo it: tune-skill rollback {run} {fix.id} (verified: {fix.description})"
    if fix.status is FixStatus.REFUSED:
        return f"{fix.id} was not applied: {fix.reason}"
    return f"{fix.id} was rolled back, so nothing was changed: {fix.reason}"
