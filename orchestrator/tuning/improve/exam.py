"""Run the exam: compare the unchanged skill with the edited skill (with all kept steps) on unseen tasks, in rounds.

The verdict comes from the permutation test that trials use, with interim analyses. In a trial, a verdict needs several
tasks. In an exam one task is enough, because the model that edits has not seen the exam's tasks. The failing tasks are
split between practice and exam, so the exam often has only one or two of them.
"""

from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from orchestrator.tuning.improve.plan import ImprovementPlan
from orchestrator.tuning.improve.runs import TaskRunner, build_version, name_version
from orchestrator.tuning.improve.store import ImprovementStore
from orchestrator.tuning.trial.ledger import Key
from orchestrator.tuning.trial.statistics import (
    ALPHA,
    Comparison,
    Pairs,
    can_decide,
    compare,
    compute_last_level,
    decide,
    list_analyses,
)
from schemas.improvement import Exam, ExamPair, Improvement


def run_exam(plan: ImprovementPlan, runner: TaskRunner, store: ImprovementStore, state: Improvement) -> Improvement:
    """Run the exam and return the state with its result.

    Before the first run, the state is saved with a higher number of openings, so that the exam counts as used. If the
    cost limit pays for too few runs to decide anything, the exam is not run.
    """
    rounds, share = plan.settings.exam_runs, 1 / (plan.openings + 1)
    if not state.openings:
        payable = _count_payable(plan, runner, 0)
        if not _is_decidable(state, payable, rounds, share):
            why = f"the cost limit pays for {payable} of {rounds} runs of each exam task, too few for a result"
            return replace(state, limit=f"the exam was not run, because {why}", exam_unpaid=True)
        state = store.save(replace(state, openings=plan.openings + 1))
    comparison, why = _run_rounds(plan, runner, state, share)
    pairs = runner.pair(name_version(state.kept[-1].number), state.exam_tasks)
    interval = comparison.interval
    tasks = tuple(ExamPair(pair.task, pair.before, pair.after) for pair in pairs)
    exam = Exam(
        comparison.verdict, why, tasks, comparison.p_better,
        share * ALPHA, interval.low if interval else None, interval.high if interval else None,
    )  # fmt: skip
    return replace(state, exam=exam)


def _run_rounds(plan: ImprovementPlan, runner: TaskRunner, state: Improvement, share: float) -> tuple[Comparison, str]:
    """Run rounds until the exam ends. Returns the comparison, and why the exam ended.

    share: the fraction of the error rate that this exam can use. It is smaller if the tasks were used in an exam
    before.
    """
    rounds, number = plan.settings.exam_runs, 0
    unchanged, edited = build_version(plan.version, ()), build_version(plan.version, state.kept)
    versions = {version.name: version for version in (unchanged, edited)}
    last = name_version(state.kept[-1].number)
    for number in range(1, rounds + 1):
        stopped = runner.run(
            versions, _list_keys(state.exam_tasks, number, tuple(versions)), plan.settings.max_cost_usd
        )
        pairs = runner.pair(last, state.exam_tasks)
        if stopped:
            return compare(pairs, share * compute_last_level(number, rounds), over_tasks=False), stopped
        if number in list_analyses(rounds):
            payable = _count_payable(plan, runner, number)
            comparison, why = decide(pairs, number, rounds, payable, share=share, over_tasks=False)
            if why:
                return comparison, why
    raise RuntimeError("no analysis ended the exam, not even the last one")


def _list_keys(tasks: Sequence[str], number: int, versions: Sequence[str]) -> Iterator[Key]:
    """Yield the keys of the runs of a round: each task with both versions, whose order alternates."""
    for index, task in enumerate(tasks):
        ordered = versions if (number + index) % 2 else reversed(versions)
        yield from (Key(task, number, version) for version in ordered)


def _count_payable(plan: ImprovementPlan, runner: TaskRunner, number: int) -> int:
    remaining_usd = plan.settings.max_cost_usd - plan.exam_plan.reserve - runner.ledger.spent
    round_cost = 2 * len(plan.split.exam) * runner.mean_cost
    rounds = plan.settings.exam_runs - number
    return rounds if not round_cost else max(0, min(int(remaining_usd / round_cost), rounds))


def _is_decidable(state: Improvement, payable: int, rounds: int, share: float) -> bool:
    no_runs = [Pairs(task, (), ()) for task in state.exam_tasks]
    return payable > 0 and can_decide(no_runs, payable, share * compute_last_level(payable, rounds))
