"""Drive a run in a loop: read the case, do a step, carry out its effect, save. A stopped run can be resumed."""

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from time import perf_counter

from msgspec.structs import replace

from actions.case import Case
from actions.reporting.hints import quote_run
from actions.reporting.report import render_report
from actions.steps.continue_with import continue_with
from actions.steps.guards import compute_step_limit
from actions.steps.history import record_failure, record_step
from actions.steps.outcome import AskFindings, Outcome, RolledBack, Tools, WriteReport
from actions.steps.record_recovery import record_left_fix
from actions.steps.record_rollback import BY_USER, add_notes, describe_files_left, record_rollback
from actions.steps.table import Action, Row, find_next_row
from orchestrator.errors import Interrupted, RunFailed, StateDamaged, TuneSkillError, is_strict, reason
from orchestrator.model import JudgeAccess
from orchestrator.run.case_reader import CaseReader
from orchestrator.run.decisions import ensure_applied
from orchestrator.run.effects import Effects, write_report
from orchestrator.run.listener import Listener
from orchestrator.run.machine import RunMachine
from orchestrator.run.run_judge import RunJudge, format_resume
from orchestrator.run.store import REPORT_FILE, Clock, StateStore, system_clock, timestamp
from orchestrator.run.work_dirs import ensure_run_trusted, find_unit_path, open_workspace
from orchestrator.run.workspace.journal import Kind
from orchestrator.run.workspace.workspace import Rollback, Workspace
from schemas.records import ChangeMade, State
from schemas.vocabulary import ActionResult, FixStatus, Pause, Phase


def explain_interrupt(store: StateStore) -> Interrupted:
    """Return the error after Ctrl-C of a command of a run."""
    state = store.state
    if state.phase in (Phase.COMPLETED, Phase.FAILED):
        command = "status" if state.final_report is None else "report"
        return Interrupted(f"the run has ended and its work is saved; see `tune-skill {command} {quote_run(state)}`")
    resume, used = format_resume(state, store.path.parent)
    return Interrupted(f"nothing is lost: `{resume}` continues the run{f'; {used}' * bool(used)}")


class Run:
    """One run: its state, its workspace, and the listener that shows it."""

    def __init__(
        self,
        store: StateStore,
        workspace: Workspace,
        listener: Listener,
        clock: Clock = system_clock,
        access: JudgeAccess | None = None,
        first: Case | None = None,
    ) -> None:
        """Prepare a run.

        access: the judge to use. By default, the options of the run choose the judge. first: the case for the first
        step, if the case has already been read.
        """
        self.store, self.workspace, self.listener = store, workspace, listener
        self._clock = clock
        self._machine = RunMachine()
        self._judge = RunJudge(store.path.parent, listener.say, access)
        self._cases = CaseReader(workspace, self._judge, listener.say, first)
        self._effects = Effects(store, workspace, self._cases, listener, clock)
        self._actions = 0

    @classmethod
    def open(cls, work_dir: Path, listener: Listener, clock: Clock = system_clock) -> "Run":
        """Open an existing run.

        Raises Refused if the work dir of the run is not trusted, or if the state of the run names another skill.
        """
        ensure_run_trusted(work_dir)
        store = StateStore(work_dir, clock)
        state = store.load()
        if store.recovered:
            listener.say(store.recovered)
        find_unit_path(work_dir, state)
        return cls(store, open_workspace(work_dir), listener, clock)

    @contextmanager
    def hold(self) -> Iterator[None]:
        """Lock the skill during the block, after recovering changes that an earlier command left unfinished."""
        with self.workspace.hold(self.store.state.run_id) as recovered:
            for recovery in recovered:
                self.listener.say(recovery.sentence)
            self.store.load()  # another command may have continued this run before we held the lock
            for recovery in recovered:
                is_ours = recovery.work_dir == self.workspace.work_dir
                if is_ours and recovery.kind is Kind.ROLLBACK and recovery.is_completed:
                    self._save_rollback(recovery.fixes, recovery.made)
            self._save_left_fixes()
            yield

    def _save_left_fixes(self) -> None:
        """Record as applied each pending fix that a recovery could not undo in edited files."""
        for id in self.store.state.pending_fixes:
            if made := self.workspace.list_changes(id):
                after = self._cases.try_read(self.store.state)
                self.store.save(record_left_fix(self.store.state, id, made, after, self._now()))

    def list_applied(self) -> tuple[str, ...]:
        """Return the ids of the applied fixes.

        Raises StateDamaged if the state lists a fix that the journal lacks.
        """
        applied = self.workspace.list_applied_fixes()
        fixes = self.store.state.proposed_fixes
        if missing := [fix.id for fix in fixes if fix.status is FixStatus.APPLIED and fix.id not in applied]:
            folder, ids = self.workspace.work_dir, ", ".join(missing)
            raise StateDamaged(
                f"{folder / 'journal.jsonl'}: the entries of {ids} are missing, so nothing can be undone; "
                f"compare the skill with {folder / 'backup'}"
            )
        return applied

    def roll_back(self, fixes: Collection[str] | None) -> Rollback:
        """Roll back the given fixes, or all fixes (None). Update the state and the report.

        Raises BadInput for a fix that is not applied. Raises the errors of `list_applied` and `Workspace.rollback`.
        """
        ensure_applied(self.store.state, self.list_applied(), fixes or ())
        rollback = self.workspace.rollback(fixes, self.store.state.fix_parts)
        if rollback.fixes or rollback.made:
            notes = (
                f"{id}: rolled back except where it was edited meanwhile, in {', '.join(rollback.left[id])}"
                for id in sorted(rollback.partial)
            )
            self._save_rollback(rollback.fixes, rollback.made, tuple(notes))
        self.workspace.close()
        return rollback

    def _save_rollback(self, ids: tuple[str, ...], made: tuple[ChangeMade, ...], notes: tuple[str, ...] = ()) -> None:
        """Save a rollback by the user, and write the report again. made: the changes of the rollback."""
        state = add_notes(self.store.state, notes)
        rolled_back = RolledBack(ids, made, self._cases.try_read(state), BY_USER)
        report = self.store.save(record_rollback(state, rolled_back)).final_report
        if report is not None:
            self._update_report(report)

    def record_late_cost(self) -> None:
        """Record the cost of answers that came after the end of the run, and write its report again."""
        state = self.store.state
        cost = self._judge.get_access(state).get_total_cost(state.cost)
        if cost != state.cost and state.final_report is not None:
            state = replace(state, cost=cost)
            report = render_report(state)
            self.store.save(replace(state, final_report=report))
            write_report(self.store, report)
        self.workspace.close()

    def _update_report(self, report: str) -> None:
        """Write the report again after a saved rollback. A failure is only shown, because the rollback is done."""
        try:
            write_report(self.store, report)
        except RunFailed as error:
            run, problem = quote_run(self.store.state), reason(error.__cause__ or error)
            self.listener.say(
                f"the rollback is done, but {REPORT_FILE} is from before it: {problem}; "
                f"to see the new report: `tune-skill report {run}`"
            )

    def drive(self) -> State:
        """Drive the run until it ends or pauses. Raises Interrupted, or TuneSkillError if it cannot continue."""
        try:
            while (row := find_next_row(self.store.state)) is not None and self._step(row):
                pass
        except KeyboardInterrupt:
            raise explain_interrupt(self.store) from None
        return self.store.state

    def _step(self, row: Row) -> bool:
        """Execute one row of the table. Returns False if the run pauses."""
        if row.action is None:
            self._save(self.store.state, row)
            return True
        self._actions += 1
        if self._actions > compute_step_limit(self.store.state):  # not inside the try, which would repeat the action
            raise RuntimeError(f"the run {self.store.path} is in a loop")
        began = self._now()
        try:
            outcome = self._act(row.action)
        except TuneSkillError:
            raise
        except Exception as error:
            if is_strict():
                raise
            self._save_failure(row.action, began, error)
            return True
        if isinstance(outcome, Pause):
            self.store.pause(outcome)
            return False
        self._save_outcome(outcome, row, row.action, began)
        return True

    def _act(self, action: Action) -> Outcome | Pause:
        """Do the work of a row with its effects. Returns the outcome, or the Pause if the run must wait."""
        state = self.store.state
        listener = self.listener
        tools = Tools(self._now, perf_counter, listener.can_ask, self._judge.get_judge(state), listener.picks_findings)
        self.store.save(replace(state, current_action=action.name))
        self.listener.begin(self.store.state, action.name)
        case = self._cases.read(state)
        outcome = action.act(state, case, tools)
        if self._judge.queue_open_questions():
            return Pause.QUESTIONS
        if outcome.result is ActionResult.FAILURE and state.phase is Phase.DIAGNOSIS and is_strict():
            raise RuntimeError(f"{action.name}: a pattern failed: {outcome.state.notes[-1:]}")
        while outcome.effect is not None:
            result = self._effects.carry_out(outcome.effect)
            if isinstance(result, Pause):
                if isinstance(outcome.effect, AskFindings):  # the page of this pause shows the notes of the step
                    self.store.save(replace(outcome.state, current_action=action.name))
                return result
            if result is None:  # the effect stays in the outcome, to show what was written
                break
            outcome = continue_with(result, outcome, case, tools)
        return outcome

    def _save_outcome(self, outcome: Outcome, row: Row, action: Action, began: str) -> None:
        files = (REPORT_FILE,) if isinstance(outcome.effect, WriteReport) else ()
        phase = self.store.state.phase
        state = record_step(outcome, action.name, phase, (began, self._now()), files)
        self._save(self._judge.add_costs(state), row)
        self.workspace.close()
        self.listener.step(self.store.state, action.name, outcome.note)

    def _save(self, state: State, row: Row) -> None:
        """Save a state in the phase to which the row leads."""
        self.store.save(replace(state, phase=self._machine.move(self.store.state, row.trigger)))

    def _save_failure(self, action: Action, began: str, error: Exception) -> None:
        """Undo what a failed action wrote, and save the error. The table decides whether the action is repeated."""
        files_left = self.workspace.undo()
        message = f"{type(error).__name__}: {reason(error)}"
        message += f"; {describe_files_left(files_left)}" if files_left else ""
        self.store.save(record_failure(self.store.state, action.name, message, (began, self._now())))
        self.listener.say(f"{action.name} failed: {message}")

    def _now(self) -> str:
        return timestamp(self._clock())
