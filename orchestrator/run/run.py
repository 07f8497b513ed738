"""The loop of a run: load -> act -> carry out -> save -> move. Whatever stops it, a resume goes on from here."""

from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from actions.case import Case
from actions.reporting.hints import quote_run
from actions.reporting.report import render_report
from actions.steps.outcome import (
    Apply,
    AskClarification,
    AskSelection,
    Backup,
    Effect,
    HoldTrial,
    Keep,
    Outcome,
    Tools,
    WriteReport,
)
from actions.steps.rollback import left_alone, measured, named, not_put_back, unmeasured
from actions.steps.rounds import step_limit
from actions.steps.table import Row, choose
from orchestrator.engine.units import ScanOptions, read_unit
from orchestrator.errors import BadInput, Interrupted, Refused, RunFailed, TuneSkillError, is_strict, reason
from orchestrator.fs import durable
from orchestrator.model import JudgeAccess, choose_judge
from orchestrator.project.settings import read_project_settings
from orchestrator.project.skill_reader import read_skill
from orchestrator.run.decisions import ensure_applied
from orchestrator.run.machine import moved, next_trigger
from orchestrator.run.store import REPORT_FILE, Clock, StateStore, system_clock, timestamp
from orchestrator.run.workspace.journal import Kind
from orchestrator.run.workspace.known import ensure_known, skill_for
from orchestrator.run.workspace.workspace import RolledBack, Workspace
from schemas.issues import Cost
from schemas.records import ChangeMade, ErrorEntry, HistoryEntry, State
from schemas.vocabulary import ActionResult, FixStatus, Pause, Phase

if TYPE_CHECKING:
    from orchestrator.engine.recorded_sessions import RecordedSessions

T = TypeVar("T")

_FREE = Cost()
_NOTE = 300


class Listener(Protocol):
    """Who watches a run and may be asked."""

    someone_there: bool

    def begin(self, state: State, action: str) -> None:
        """Hear of a step that begins."""
        ...

    def step(self, state: State, action: str, note: str) -> None:
        """Hear of a step that was made."""
        ...

    def say(self, sentence: str) -> None:
        """Hear of something that the user should know."""
        ...

    def clarify(self, question: AskClarification) -> Mapping[str, str] | None:
        """Answer questions; None pauses the run."""
        ...

    def select(self, question: AskSelection, keep: Callable[[str, bool], None]) -> tuple[str, ...] | None:
        """Choose fixes; None pauses the run. What `keep` hears of a fix is not lost until then."""
        ...


@dataclass
class Run:
    """One run: its store, its workspace, who listens, and the clock."""

    store: StateStore
    workspace: Workspace
    listener: Listener
    clock: Clock = system_clock
    acts: int = 0
    recorded: "RecordedSessions | None" = None
    judge_access: JudgeAccess | None = None
    unbooked: Cost = _FREE

    @classmethod
    def opened(cls, work_dir: Path, listener: Listener, clock: Clock = system_clock) -> "Run":
        """Open a run of this user that was created before. Raises Refused for what is none, or names another skill."""
        ensure_known(work_dir)
        store = StateStore(work_dir, clock)
        state = store.load()
        if store.recovered:
            listener.say(store.recovered)
        return cls(store, Workspace(skill_for(work_dir, state.target_skill.path), work_dir), listener, clock)

    @contextmanager
    def held(self) -> Iterator[None]:
        """Hold the skill; what an earlier command left unfinished is put right first."""
        with self.workspace.hold(self.store.state.run_id) as recovered:
            for recovery in recovered:
                self.listener.say(recovery.sentence)
            self.store.load()  # another command may have gone on with this run before we held the skill
            for recovery in recovered:
                if recovery.kind is Kind.ROLLBACK and recovery.stands and recovery.work_dir == self.workspace.work_dir:
                    self._told_back(recovery.fixes, recovery.made)
            yield

    def take_back(self, fixes: Collection[str] | None) -> RolledBack:
        """Take back the named fixes, or all (None). State and report tell of the skill as it is then.

        Raises BadInput for a fix that is not applied, and as `Workspace.rollback` does.
        """
        ensure_applied(self.store.state, self.workspace.standing(), fixes or ())
        done = self.workspace.rollback(fixes)
        if done.fixes:
            self._told_back(done.fixes, done.made)
        self.workspace.close()
        return done

    def _told_back(self, ids: Collection[str], made: Collection[ChangeMade]) -> None:
        """Save in one step that fixes are taken back and what the skill is now; write an old report anew."""
        state = replace(self.store.state, **named(self.store.state, ids, made))
        changes = self._measured_anew(state)
        state = replace(state, **changes)
        if state.final_report is not None:
            state = replace(state, final_report=render_report(state))
        saved = ("proposed_fixes", "applied_fixes", "target_skill", *changes, "final_report")
        self.store.update(**{name: getattr(state, name) for name in saved})
        if state.final_report is not None:
            self._write_report(state.final_report)

    def _measured_anew(self, state: State) -> Mapping[str, Any]:
        try:
            case = self.case(state)
        except BadInput as error:
            self.listener.say(f"the skill could not be measured anew: {reason(error)}")
            return unmeasured(state, str(error))
        return measured(state, case)

    def _write_report(self, text: str) -> None:
        durable.write_bytes(self.store.path.with_name(REPORT_FILE), text.encode())

    def go(self) -> State:
        """Go on until the run ends or pauses. Raises Interrupted, and TuneSkillError where disk or skill forbid it."""
        try:
            while self.store.state.phase not in (Phase.COMPLETED, Phase.FAILED):
                if self.acts > step_limit(self.store.state):
                    raise RuntimeError(f"the run {self.store.path} goes in circles")
                if not self._step():
                    break
        except KeyboardInterrupt:
            name = quote_run(self.store.state)
            raise Interrupted(f"nothing is lost: `tune-skill resume {name}` goes on") from None
        return self.store.state

    def _step(self) -> bool:
        """Make one step; False when the run pauses."""
        state = self.store.state
        row = choose(state)
        if row is None:
            trigger = next_trigger(state)
            if trigger is None:
                raise RunFailed(f"run {state.run_id} cannot go on from {state.phase}")
            self.store.update(phase=moved(state, trigger))
            return True
        return self._act(row)

    def _act(self, row: Row) -> bool:
        self.acts += 1
        state = self.store.state
        began = self._now()
        tools = Tools(self._now, perf_counter, self.listener.someone_there, self._judges(state).judge)
        try:
            self.store.update(current_action=row.name)
            self.listener.begin(self.store.state, row.name)
            outcome = row.act(state, self.case(state), tools)
            if self._judges(state).waits():
                return self._paused(Pause.QUESTIONS)
            if outcome.result is ActionResult.FAILURE and state.phase is Phase.DIAGNOSIS and is_strict():
                raise RuntimeError(f"{row.name}: a pattern failed: {outcome.changes['notes'][-1:]}")
            changes = self._carried_out(outcome)
        except TuneSkillError:
            raise
        except Exception as error:
            if is_strict():
                raise
            self._failed(row.name, began, error)
            return True
        if changes is None:
            return False
        return self._saved(row.name, began, outcome, changes)

    def _judges(self, state: State) -> JudgeAccess:
        if self.judge_access is None:
            self.judge_access = choose_judge(state.options, self.listener.say, self.store.path.parent)
            self.unbooked = self.judge_access.find_unrecorded_cost(state.cost)
        return self.judge_access

    def _saved(self, name: str, began: str, outcome: Outcome, changes: Mapping[str, Any]) -> bool:
        state = self.store.state
        after = replace(state, **changes)
        phase = moved(after, outcome.trigger) if outcome.trigger else state.phase
        files = tuple(REPORT_FILE for e in outcome.effects if isinstance(e, WriteReport))
        entry = HistoryEntry(name, began, self._now(), outcome.result, files, state.phase, outcome.note[:_NOTE])
        saved = {
            **changes,
            "cost": self._booked(after.cost),
            "notes": tuple(dict.fromkeys((*after.notes, *self._judges(state).notes))),
            "phase": phase,
            "pause": None,
            "current_action": None,
            "completed_actions": tuple(dict.fromkeys((*state.completed_actions, name))),
            "action_history": (*state.action_history, entry),
        }
        self.store.update(**saved)
        self.workspace.close()
        self.listener.step(self.store.state, name, outcome.note)
        return True

    def _booked(self, cost: Cost) -> Cost:
        """Add, once, what the judge has cost outside of an action: reading sessions, and when a command was stopped."""
        more, self.unbooked = self.unbooked, _FREE
        return cost + more

    def _failed(self, name: str, began: str, error: Exception) -> None:
        left = self.workspace.undo()
        state = self.store.state
        message = f"{type(error).__name__}: {reason(error)}" + (f"; {left_alone(left)}" if left else "")
        now = self._now()
        self.store.update(
            current_action=None,
            errors=(*state.errors, ErrorEntry(name, message, now, recoverable=True)),
            error_count=state.error_count + 1,
            action_history=(
                *state.action_history,
                HistoryEntry(name, began, now, ActionResult.FAILURE, (), state.phase, message[:_NOTE]),
            ),
        )
        self.listener.say(f"{name} failed: {message}")

    def case(self, state: State) -> Case:
        """Give the skill as it stands, with its settings and the contents that waiting fixes write."""
        root = self.workspace.root
        case = read_unit(root, ScanOptions(project=read_project_settings())).case
        waiting = [fix for fix in state.proposed_fixes if fix.status is FixStatus.SELECTED]
        names = {c.sha256_after for fix in waiting for c in fix.changes if c.sha256_after}
        case = replace(case, contents={name: self.workspace.get(name) for name in names})
        if state.phase is not Phase.DIAGNOSIS:
            return case
        if self.recorded is None:
            from orchestrator.engine.recorded_sessions import read_sessions
            from orchestrator.tuning.trial.folders import find_recorded_sessions

            trials = find_recorded_sessions(root) if state.options.sessions == "discover" else ()
            self.recorded = read_sessions(state.options, case.skill, root, self._judges(state), trials)
            self.unbooked = self.unbooked + self.recorded.cost
        known = self.recorded
        return replace(
            case,
            sessions=known.sessions,
            considerations=known.considerations,
            session_notes=known.notes,
            judged=known.judged,
        )

    def _carried_out(self, outcome: Outcome) -> Mapping[str, Any] | None:
        """Carry out the effects and give all changes; None when someone must answer first."""
        changes: dict[str, Any] = dict(outcome.changes)
        for effect in outcome.effects:
            more = self._effect(effect)
            if more is None:
                return None
            changes.update(more)
        return changes

    def _effect(self, effect: Effect) -> Mapping[str, Any] | None:
        match effect:
            case Backup():
                return {"backup_dir": str(self.workspace.backup())}
            case Keep(contents):
                for data in contents:
                    self.workspace.put(data)
                return {}
            case WriteReport(text):
                self._write_report(text)
                return {}
            case Apply():
                return self._applied(effect)
            case HoldTrial():
                return self._tried()
            case AskClarification():
                said = self._heard(Pause.CLARIFICATION, partial(self.listener.clarify, effect))
                return self._answered(Pause.CLARIFICATION, said, effect.answered)
            case AskSelection():
                ask = partial(self.listener.select, effect, self._wanted)
                chosen = self._heard(Pause.FIX_SELECTION, ask) if self.listener.someone_there else None
                return self._answered(Pause.FIX_SELECTION, chosen, effect.selected)

    def _heard(self, pause: Pause, ask: Callable[[], T | None]) -> T | None:
        """Ask the user. Who breaks a question off with Ctrl-C answers later: the run waits as for one who said so."""
        try:
            return ask()
        except KeyboardInterrupt:
            self._paused(pause)
            raise

    def _wanted(self, id: str, is_wanted: bool) -> None:
        """Save what the user says of a fix as soon as it is said: a choice that is broken off goes on there."""
        fixes = self.store.state.proposed_fixes
        self.store.update(proposed_fixes=tuple(replace(f, wanted=is_wanted) if f.id == id else f for f in fixes))

    def _answered(
        self, pause: Pause, answer: T | None, changes: Callable[[T], Mapping[str, Any]]
    ) -> Mapping[str, Any] | None:
        if answer is not None:
            return changes(answer)
        self._paused(pause)
        return None

    def _paused(self, pause: Pause) -> bool:
        """Let the run wait; False, as a step that pauses gives."""
        self.store.update(pause=pause, current_action=None)
        self.store.update()  # a pause may last for days: the generation before, which recovery uses, waits too
        return False

    def _applied(self, effect: Apply) -> Mapping[str, Any]:
        """Write a fix, read what stands there, keep it or put every byte back."""
        try:
            made = self.workspace.apply(effect.fix.id, effect.fix.changes)
        except Refused as refusal:
            return effect.refused(str(refusal))
        try:
            settled = effect.settle(read_skill(self.workspace.root), made)
        except BadInput as error:
            return self._put_back(effect.fix.id, effect.refused(str(error)))
        return settled.changes if settled.stays else self._put_back(effect.fix.id, settled.changes)

    def _tried(self) -> Mapping[str, Any]:
        """Hold the trial of the tuned skill; where it is worse beyond noise every fix goes back."""
        from orchestrator.tuning.trial.final_trial import run_final_trial

        state = self.store.state
        seen = run_final_trial(state, self.workspace, self.clock(), self.listener.say)
        if seen.kept:
            return {"trial": seen}
        done = self.workspace.rollback(None)
        back = named(state, done.fixes, done.made, seen.reason)
        return {**back, **self._measured_anew(replace(state, **back)), "trial": seen}

    def _put_back(self, fix_id: str, changes: Mapping[str, Any]) -> Mapping[str, Any]:
        return not_put_back(self.store.state, changes, fix_id, self.workspace.undo())

    def _now(self) -> str:
        return timestamp(self.clock())
