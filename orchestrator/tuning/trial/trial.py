"""Run a trial in rounds. It ends when it is decided, when it can no longer be decided, or at its cost limit."""

from collections.abc import Iterator
from math import ceil
from pathlib import Path

from orchestrator.model.environment import Say
from orchestrator.tuning.trial.change_guard import ChangeGuard
from orchestrator.tuning.trial.ledger import Key, Ledger
from orchestrator.tuning.trial.plan import Plan
from orchestrator.tuning.trial.statistics import (
    TOO_FEW_RUNS,
    Comparison,
    GradedRun,
    Pairs,
    can_decide,
    compare,
    compute_last_level,
    decide,
    list_analyses,
    pair_runs,
)
from orchestrator.tuning.trial.task_runs import TaskRuns

VERSIONS = ("before", "after")


class Trial(TaskRuns):
    """One trial. rounds: the number of completed rounds. comparison: the result of the last analysis."""

    def __init__(self, plan: Plan, folder: Path, ledger: Ledger, say: Say, guard: ChangeGuard) -> None:
        super().__init__(
            "trial", plan.subject, folder, ledger, say, guard,
            reserve=plan.reserve, max_cost_usd=plan.max_cost_usd, jobs=plan.jobs,
        )  # fmt: skip
        self.plan = plan
        self.rounds = 0
        self.comparison: Comparison | None = None
        self.is_continuable = False
        """Whether the trial can be continued with a higher cost limit after it has ended."""

    def run(self) -> None:
        """Run the runs that are missing. Raises BadInput if nothing can run here, RunFailed if runs keep failing."""
        self.prepare()
        self.run_all(self._run_rounds)

    async def _run_rounds(self) -> None:
        await self.run_proofs()
        if not self.tasks and not self.failure:
            self.why = self.why or "no finding has a test, so there is nothing to compare"
        if not self.tasks or self.failure:
            return
        for number in range(1, self.plan.rounds + 1):
            await self.complete(self._list_keys(number))
            if self.failure:
                return
            if self.why:
                self._analyze_at_limit(number)
                return
            self.rounds = number
            if number in list_analyses(self.plan.rounds) and self._decide(number):
                return

    def _analyze_at_limit(self, number: int) -> None:
        """Analyze a trial that reached its cost limit in a round, at the remaining error rate.

        If there are too few runs to decide anything, no error rate is used, and the trial can be continued later.
        """
        level = compute_last_level(number, self.plan.rounds)
        self.comparison = compare(self.pair_runs(), level)
        self.is_continuable = not can_decide([Pairs(task.name, (), ()) for task in self.tasks], number, level)

    def _list_keys(self, number: int) -> Iterator[Key]:
        """Yield the keys of the runs of a round: each task with both versions, whose order alternates."""
        for index, task in enumerate(self.tasks):
            versions = VERSIONS if (number + index) % 2 else VERSIONS[::-1]
            yield from (Key(task.name, number, version) for version in versions)

    def _decide(self, number: int) -> bool:
        """Analyze the runs so far. Return whether the trial ends after this round."""
        self.comparison, self.why = decide(self.pair_runs(), number, self.plan.rounds, self._count_payable(number))
        self.is_continuable = self.why.endswith(TOO_FEW_RUNS)
        known = [record for record in self.ledger.graded.values() if record["passed"] is not None]
        is_unused = bool(known) and not any(record["used"] for record in known)
        needs_use = not any(task.expects_no_use for task in self.tasks)
        if self.comparison.verdict == "not known" and is_unused and needs_use:
            self.why = f"{self.plan.name} was not used in any run, so its text had no effect; use tasks that need it"
        return bool(self.why)

    def _count_payable(self, number: int) -> int:
        """Return how many further rounds the cost limit pays for at the average cost so far, rounded up."""
        runs_per_round = 2 * len(self.tasks)
        remaining_usd = self.plan.max_cost_usd - self.plan.reserve - self.ledger.spent
        usd_per_run = self.ledger.spent / (number * runs_per_round)
        if remaining_usd < 0 or not usd_per_run:
            return 0 if remaining_usd < 0 else self.plan.rounds - number
        return min(ceil((remaining_usd / usd_per_run + 1) / runs_per_round), self.plan.rounds - number)

    def pair_runs(self) -> list[Pairs]:
        """Return the runs with a known result, by task."""
        order = [task.name for task in self.tasks]
        runs = [GradedRun(*key, self.ledger.graded[key]["passed"]) for key in self.list_compared()]
        known = [run for run in runs if run.passed is not None]
        return pair_runs(sorted(known, key=lambda run: order.index(run.task)))
