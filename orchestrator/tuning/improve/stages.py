"""Run an improvement stage by stage. The transition table defines the next work, after which the next stage is saved.

All paid work is in the ledger before the state is saved, so a stopped improvement can repeat a stage without cost.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property

import msgspec
from msgspec.structs import replace

from actions.case import Case
from actions.improve import edits
from actions.improve.sorting import accept_sorting, build_sorting_question, make_unused_failure
from actions.improve.table import TABLE, find_next_row
from actions.improve.targets import choose_target, get_base, list_failing, list_guards
from actions.project.place import place_alone
from actions.review.asking import JudgeClient
from orchestrator.engine.units import ScanOptions, read_unit
from orchestrator.machine import TableMachine
from orchestrator.model.environment import Say
from orchestrator.tuning.improve.exam import run_exam
from orchestrator.tuning.improve.plan import ImprovementPlan
from orchestrator.tuning.improve.questions import QUESTION_TASK, LedgerJudge
from orchestrator.tuning.improve.runs import TaskRunner, build_version, name_version
from orchestrator.tuning.improve.screening import judge_screening
from orchestrator.tuning.improve.store import ImprovementStore
from orchestrator.tuning.trial.ledger import Key
from schemas.improvement import Cause, Counts, Improvement, Stage, Step, StepStatus
from templates.filters import counted

Apply = Callable[[Improvement, Callable[[str], None]], str]
"""A function that applies the kept steps in a separate run. It returns why they could not be applied, or "".

Its arguments are the state, and a function that saves the run's work dir before the run begins.
"""
Work = Callable[[str, Improvement], Improvement]
"""A function that does the work of a trigger (the name of a table row). It returns the state with the result."""


class StageRunner(msgspec.Struct, frozen=True, dict=True):
    """Does the work of each stage of one improvement."""

    plan: ImprovementPlan
    runner: TaskRunner
    store: ImprovementStore
    apply: Apply

    def run(self, state: Improvement) -> Improvement:
        """Continue the improvement to its end. Returns its last state. Raises TuneSkillError if it cannot continue."""
        return run_stages(state, self._do_work, self.store, self.runner.say)

    def _do_work(self, trigger: str, state: Improvement) -> Improvement:
        work = {
            "split": self._split, "measure": self._measure, "diagnose": self._diagnose, "draft": self._draft,
            "prove": self._prove, "screen": self._screen, "examine": self._examine,
        }  # fmt: skip
        if trigger in work:
            return self._count_costs(work[trigger](state))
        return finish(trigger, state, self.store, self.apply)

    def _count_costs(self, state: Improvement) -> Improvement:
        ledger = self.runner.ledger
        questions = sum(key.task == QUESTION_TASK for key in ledger.finished)
        return replace(
            state, usd=ledger.spent, runs=len(ledger.finished) - questions, questions=questions,
            model=next((run["session"]["model"] for run in ledger.finished.values() if "session" in run), state.model),
        )  # fmt: skip

    @cached_property
    def _case(self) -> Case:
        """The skill in its project. Its tasks are left out."""
        case = read_unit(self.plan.root, ScanOptions()).case
        hidden = {path: None for path in self.plan.hidden if path in case.skill.by_path}
        return case.with_files(hidden) if hidden else case

    def _make_judge(self) -> LedgerJudge:
        limit = self.plan.settings.max_cost_usd - self.runner.exam_reserve
        return LedgerJudge(self.runner.ledger, self.plan.settings.model, limit, self.plan.exam_phrases, self.runner.say)

    def _run(self, steps: Sequence[Step], tasks: Sequence[str], numbers: Sequence[int]) -> str:
        """Run practice tasks with the skill after these steps. Returns why some runs were not possible, or ""."""
        version = build_version(self.plan.version, steps)
        keys = [Key(task, number, version.name) for number in numbers for task in tasks]
        limit = self.plan.settings.max_cost_usd - self.runner.exam_reserve
        return self.runner.run({version.name: version}, keys, limit)

    def _split(self, state: Improvement) -> Improvement:
        split = self.plan.split
        return replace(
            state, practice=split.practice, exam_tasks=split.exam, exam_digest=self.plan.exam_digest,
            notes=(*state.notes, *split.notes),
        )  # fmt: skip

    def _measure(self, state: Improvement) -> Improvement:
        limit = self._run((), state.practice, range(1, self.plan.settings.practice_runs + 1))
        return replace(state, base=self.runner.count(name_version(0), state.practice), limit=limit)

    def _diagnose(self, state: Improvement) -> Improvement:
        judge, before = self._make_judge(), state
        shown_case = _hide_project(self._case)
        for run in self.runner.list_failed(name_version(0), state.practice):
            if not run.is_used:
                state = replace(state, failures=(*state.failures, make_unused_failure(run)))
                continue
            passed_run = self.runner.find_passed(name_version(0), run.task)
            (answer,) = JudgeClient(judge).ask([build_sorting_question(run, shown_case, passed_run)])
            state = accept_sorting(state, run, answer.value if answer else None, self._case, judge.name)
        return replace(before, limit=judge.why) if judge.why else state

    def _draft(self, state: Improvement) -> Improvement:
        issue, judge = choose_target(state), self._make_judge()
        assert issue is not None, "the guard of this row has found a target"
        runs = [
            run
            for run in self.runner.list_failed(name_version(0), state.practice)
            if self._has_caused(state, run.key, issue.id)
        ]
        case = edits.apply_steps(self._case, state.kept)
        (answer,) = JudgeClient(judge).ask([edits.build_draft_question(state, issue, _hide_project(case), runs)])
        if judge.why:
            return replace(state, limit=judge.why)
        step = edits.draft_step(state, issue, answer.value if answer else None, case, self.plan.exam_phrases)
        if step.fix:
            version = build_version(self.plan.version, (*state.kept, step))
            step = replace(step, digest=version.digest)
        if step.status is StepStatus.PROPOSED:
            step = edits.reject_repeated(state, step, self.plan.history.rejected)
        return replace(state, steps=(*state.steps, step))

    @staticmethod
    def _has_caused(state: Improvement, run: str, issue: str) -> bool:
        return any(failure.run == run and failure.issue == issue for failure in state.failures)

    def _prove(self, state: Improvement) -> Improvement:
        judge, case = self._make_judge(), edits.apply_steps(self._case, state.kept)
        step = edits.review_step(state, state.steps[-1], case, _hide_project(case), JudgeClient(judge))
        return replace(state, limit=judge.why) if judge.why else replace(state, steps=(*state.steps[:-1], step))

    def _screen(self, state: Improvement) -> Improvement:
        """Run the failing tasks with a step, and decide whether to keep the step.

        First, each failing task runs once. If that improves the results, the remaining runs of these tasks follow,
        and then a few tasks that passed before.
        """
        step, failing, guards = state.steps[-1], list_failing(state), list_guards(state)
        steps, base = (*state.kept, step), get_base(state)
        rounds = range(1, self.plan.settings.practice_runs + 1)
        batches = [(failing, rounds[:1]), (failing, rounds[1:]), (guards, rounds)]
        reason = ""
        with_step: tuple[Counts, ...] = ()
        for index, (tasks, numbers) in enumerate(batches):
            limit = self._run(steps, tasks, numbers) if tasks and numbers else ""
            if limit:
                return replace(state, limit=limit)
            with_step = self.runner.count(name_version(step.number), (*failing, *guards))
            reason = judge_screening(list(base.values()), with_step, failing)
            none_passed = not any(any(counts.passed) for counts in with_step)
            if none_passed or (reason and index > 0):
                break
        step = replace(step, base=tuple(base[task] for task in (*failing, *guards)), screening=with_step)
        step = edits.reject(step, reason) if reason else replace(step, status=StepStatus.KEPT)
        return replace(state, steps=(*state.steps[:-1], step))

    def _examine(self, state: Improvement) -> Improvement:
        return run_exam(self.plan, self.runner, self.store, state)


def run_stages(state: Improvement, work: Work, store: ImprovementStore, say: Say) -> Improvement:
    """Advance the improvement through the table of stages until it ends. Return the last state.

    For each row, do the work of the row and then save the state with the row's stage.
    """
    machine = TableMachine(TABLE, Stage)
    while (row := find_next_row(state)) is not None:
        say(f"{row.trigger}: {_ROW_DESCRIPTIONS[row.trigger]}")
        result = work(row.trigger, state)
        is_interrupted = (result.problem, result.limit) != (state.problem, state.limit)
        if is_interrupted:  # the work is not done, so the stage is kept
            state = store.save(result)
            continue
        state = store.save(replace(result, stage=machine.move(state, state.stage, row.trigger)), has_new_stage=True)
    return state


def finish(trigger: str, state: Improvement, store: ImprovementStore, apply: Apply) -> Improvement:
    """Do the work of a final row: apply the steps that passed the exam, or leave the skill unchanged."""
    if trigger == "leave":
        return replace(state, why=next(_list_reasons(state)))
    saved = [state]
    problem = apply(state, lambda work_dir: saved.append(store.save(replace(state, run=work_dir))))
    return replace(saved[-1], problem=problem)


def _hide_project(case: Case) -> Case:
    """Return the case without its project, which could contain texts of the exam, for questions to a model."""
    return replace(case, locate=place_alone)


def _list_reasons(state: Improvement) -> Iterator[str]:
    """Yield the reasons why the skill is left unchanged. The first one is the most important."""
    if state.problem:
        yield state.problem
    if state.limit and not state.exam:
        yield f"{state.limit}; to continue, repeat the command with a higher --max-cost-usd"
    if state.exam:
        yield f"the edits did not pass the exam ({state.exam.verdict}; {state.exam.why})"
    if not any(counts.failures for counts in state.base):
        yield "every practice run succeeded, so there is nothing to improve; use harder tasks"
    if not state.issues:
        unknown = [failure.reason for failure in state.failures if failure.cause is Cause.UNKNOWN]
        if unknown:
            runs = counted(len(unknown), "failed run")
            yield f"nothing was edited, because the cause of {runs} is unknown ({unknown[0]})"
        yield "no run failed because of the skill's text, so nothing was edited"
    yield f"none of {counted(len(state.steps), 'step')} helped"


_ROW_DESCRIPTIONS = {
    "split": "divide the tasks into practice tasks and unseen exam tasks",
    "measure": "run the unchanged skill on the practice tasks",
    "diagnose": "find out why the failed runs failed",
    "draft": "draft one bounded edit for a defect",
    "prove": "check the edit's invariants, and ask a second reader",
    "screen": "try the edit on the failing practice tasks, then on some passing ones",
    "examine": "run the exam tasks, once",
    "apply": "apply the edits that passed the exam",
    "leave": "leave the skill as it is",
}
