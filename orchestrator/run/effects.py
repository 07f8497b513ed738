"""Carry out the effects that steps return, for example write to the skill, ask the user, or run a trial."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TypeVar

import msgspec
from msgspec.structs import replace

from actions.steps.outcome import (
    Apply,
    AskClarification,
    AskFindings,
    AskSelection,
    BackedUp,
    Backup,
    Clarified,
    Effect,
    Keep,
    NotWritten,
    Result,
    RollBackAll,
    RolledBack,
    RunTrial,
    Selected,
    Undo,
    Undone,
    WriteReport,
    Written,
)
from orchestrator.errors import BadInput, Refused
from orchestrator.fs import durable
from orchestrator.run.case_reader import CaseReader
from orchestrator.run.listener import Listener
from orchestrator.run.store import REPORT_FILE, Clock, StateStore
from orchestrator.run.workspace.workspace import Workspace
from schemas.records import TrialRecord
from schemas.vocabulary import Pause

T = TypeVar("T")


class Effects(msgspec.Struct, frozen=True):
    """Carries out the effects of one run."""

    store: StateStore
    workspace: Workspace
    cases: CaseReader
    listener: Listener
    clock: Clock

    def carry_out(self, effect: Effect) -> Result | Pause | None:
        """Carry out an effect. Returns its result, None if it has none, or a Pause if the run must wait."""
        match effect:
            case Backup():
                return BackedUp(str(self.workspace.backup()))
            case Keep(contents):
                self._store(contents)
                return None
            case WriteReport(text):
                write_report(self.store, text)
                return None
            case Apply():
                return self._apply(effect)
            case Undo(fix_id):
                return Undone(fix_id, self.workspace.undo())
            case RunTrial():
                return self._run_trial()
            case RollBackAll(why):
                rollback = self.workspace.rollback(None, self.store.state.fix_parts)
                return RolledBack(rollback.fixes, rollback.made, self.cases.try_read(self.store.state), why)
            case AskClarification():
                categories = self._ask(Pause.CLARIFICATION, partial(self.listener.clarify, effect))
                return Pause.CLARIFICATION if categories is None else Clarified(categories)
            case AskFindings():
                return Pause.FINDING_SELECTION
            case AskSelection():
                select = partial(self.listener.select, effect, self._save_answer)
                ids = self._ask(Pause.FIX_SELECTION, select) if self.listener.can_ask else None
                return Pause.FIX_SELECTION if ids is None else Selected(ids)

    def _store(self, contents: tuple[bytes, ...]) -> None:
        for data in contents:
            self.workspace.store(data)

    def _apply(self, apply: Apply) -> Written | NotWritten:
        """Write a fix and read the skill again. If the skill cannot be read, undo the fix."""
        self._store(apply.contents)
        try:
            self.listener.begin_write()
            made = self.workspace.apply(apply.fix.id, apply.fix.changes)
        except Refused as refusal:
            return NotWritten(apply, str(refusal))
        try:
            after = self.cases.read_unit()
            return Written(apply, after.skill, made, after.locate)
        except BadInput as error:
            return NotWritten(apply, str(error), self.workspace.undo())

    def _run_trial(self) -> TrialRecord:
        from orchestrator.tuning.trial.final_trial import run_final_trial

        def remember(folder: Path) -> None:
            self.store.save(replace(self.store.state, trial_folder=str(folder)))

        root, work_dir, say = self.workspace.root, self.workspace.work_dir, self.listener.say
        return run_final_trial(self.store.state, root, work_dir, self.clock(), say, remember)

    def _ask(self, pause: Pause, ask: Callable[[], T]) -> T:
        """Ask the user. Ctrl-C pauses the run, as if the user had chosen to answer later."""
        try:
            return ask()
        except KeyboardInterrupt:
            self.store.pause(pause)
            raise

    def _save_answer(self, id: str, is_wanted: bool) -> None:
        """Save the answer about one fix, so that it is not asked again after an interruption."""
        state = self.store.state
        fixes = tuple(replace(fix, wanted=is_wanted) if fix.id == id else fix for fix in state.proposed_fixes)
        self.store.save(replace(state, proposed_fixes=fixes))


def write_report(store: StateStore, text: str) -> None:
    """Write the report of a run into its work dir."""
    durable.write_bytes(store.path.with_name(REPORT_FILE), text.encode())
