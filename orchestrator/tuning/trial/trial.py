"""Run a trial in rounds, both versions in turn, until it is decided, cannot be decided, or reaches its cost limit."""

import asyncio
from collections.abc import Iterator
from dataclasses import asdict
from math import ceil
from pathlib import Path
from typing import Any

from orchestrator.errors import Refused
from orchestrator.model.agent import Call, Session, SkillCall
from orchestrator.model.environment import Say
from orchestrator.model.query import Usage
from orchestrator.tuning.trial import checks, recording, rubric
from orchestrator.tuning.trial.change_guard import ChangeGuard
from orchestrator.tuning.trial.folders import SESSIONS
from orchestrator.tuning.trial.ledger import Key, Ledger
from orchestrator.tuning.trial.paid_runs import TOKENS, WEB, PaidRuns
from orchestrator.tuning.trial.plan import Plan
from orchestrator.tuning.trial.sandbox import (
    Sandbox,
    create_sandbox,
    find_offline_command,
    is_run_folder,
)
from orchestrator.tuning.trial.statistics import (
    Comparison,
    Pairs,
    compare,
    compute_last_level,
    decide,
    list_analyses,
    pair_runs,
)
from orchestrator.tuning.trial.tasks import Task

VERSIONS = ("before", "after")
_MAX_ATTEMPTS = 2


class Trial(PaidRuns):
    """One trial in its folder. `comparison` is the result of its last analysis."""

    def __init__(self, plan: Plan, folder: Path, ledger: Ledger, say: Say, guard: ChangeGuard) -> None:
        super().__init__("trial", ledger, say, plan.reserve, plan.max_cost_usd)
        self.plan, self.folder = plan, folder
        self._guard = guard
        self.rounds = 0
        self.comparison: Comparison | None = None
        self._tasks = {task.name: task for task in plan.tasks}
        self._claude = ""

    def run(self) -> None:
        """Run what is missing. Raises BadInput if nothing can run here, RunFailed if runs keep failing."""
        from orchestrator.model.agent import find_claude_code

        if any(not task.network for task in self.plan.tasks):
            find_offline_command()
        self._claude = find_claude_code()
        self.run_all(self._run_rounds)

    async def _run_rounds(self) -> None:
        free = asyncio.Semaphore(self.plan.jobs)
        for number in range(1, self.plan.rounds + 1):
            await self.gather(self._complete(key, free) for key in self._list_keys(number))
            if self.broken:
                return
            if self.why:
                self.comparison = compare(self.pair_runs(), compute_last_level(number, self.plan.rounds))
                return
            self.rounds = number
            if number in list_analyses(self.plan.rounds) and self._decide(number):
                return

    def _list_keys(self, number: int) -> Iterator[Key]:
        """Yield the runs of a round: both versions of each task, in alternating order."""
        for index, task in enumerate(self.plan.tasks):
            versions = VERSIONS if (number + index) % 2 else VERSIONS[::-1]
            yield from (Key(task.name, number, version) for version in versions)

    def _decide(self, number: int) -> bool:
        """Analyze the runs so far; return whether the trial ends here."""
        self.comparison, self.why = decide(self.pair_runs(), number, self.plan.rounds, self._count_payable(number))
        no_use = not any(each["used"] for each in self.ledger.graded.values())
        needs_use = not any(task.expects_no_use for task in self.plan.tasks)
        if self.comparison.verdict == "not known" and no_use and needs_use:
            self.why = f"{self.plan.name} was not used in any run, so its text had no effect; give tasks that need it"
        return bool(self.why)

    def _count_payable(self, number: int) -> int:
        """Return how many more rounds the cost limit allows at the average cost so far, rounded up."""
        a_round, left = 2 * len(self.plan.tasks), self.plan.max_cost_usd - self.plan.reserve - self.ledger.spent
        each = self.ledger.spent / (number * a_round)
        if left < 0 or not each:
            return 0 if left < 0 else self.plan.rounds - number
        return min(ceil((left / each + 1) / a_round), self.plan.rounds - number)

    def pair_runs(self) -> list[Pairs]:
        """Return the runs with a known result, by task."""
        known = ((*key, record["passed"]) for key, record in self.ledger.graded.items() if record["passed"] is not None)
        order = list(self._tasks)
        return pair_runs(sorted(known, key=lambda run: order.index(run[0])))

    async def _complete(self, key: Key, free: asyncio.Semaphore) -> None:
        async with free:
            try:
                for _ in range(_MAX_ATTEMPTS):
                    if key in self.ledger.graded or self.broken:
                        return
                    self._guard.ensure_unchanged(self._tasks[key.task])
                    if key not in self.ledger.finished and not self.why:
                        await self._run_one(key)
                    if key in self.ledger.finished:
                        await self._grade(key)
            except Refused as refusal:
                self.broken = str(refusal)
                raise

    async def _run_one(self, key: Key) -> None:
        """Run one session if the cost limit allows it."""
        task = self._tasks[key.task]
        done = await self.pay(
            key,
            lambda place: create_sandbox(place, task, getattr(self.plan, key.version), self.plan.name),
            lambda sandbox: self._run_session(task, sandbox),
        )
        if done is None:
            return
        session = done.session
        facts = {**asdict(session), "fault": None, "usage": asdict(session.usage)}
        target = self.folder / SESSIONS / f"{key}.jsonl"
        facts["transcript"] = recording.save_transcript(done.sandbox, session.id, target)
        self.ledger.record("held", key, done.usd, folder=str(done.sandbox.base), session=facts)

    async def _run_session(self, task: Task, sandbox: Sandbox) -> Session:
        from orchestrator.model.agent import SessionRequest, run_session

        return await run_session(SessionRequest(
            prompt=task.prompt, folder=sandbox.project, claude=sandbox.write_launcher(self._claude, task),
            tools=task.tools,
            refused_tools=() if task.network else WEB, model=self.plan.model, usd=self.plan.reserve / 2,
            tokens=TOKENS, seconds=task.seconds, max_turns=task.max_turns,
            verbatim=not task.calls(self.plan.name),
        ))  # fmt: skip

    async def _grade(self, key: Key) -> None:
        """Evaluate the checks of a finished run, and remove its sandbox."""
        record, task = self.ledger.finished[key], self._tasks[key.task]
        sandbox, session = Sandbox(Path(record["folder"])), restore_session(record["session"])
        if not (is_run_folder(sandbox.base) and sandbox.base.is_dir() and not sandbox.base.is_symlink()):
            results = [checks.CheckResult("the run itself", None, "killed before its checks, and its files are gone")]
            usd = 0.0
        else:
            results, usd = await self._get_results(key, task, session, sandbox)
        if session.why:
            results.append(checks.CheckResult("the run itself", False, session.why))
        passed = None if any(each.passed is None for each in results) else all(each.passed for each in results)
        if any(each.passed is False for each in results):
            passed = False
        used = checks.is_skill_used(task, session, self.plan.name)
        self.ledger.record("graded", key, usd, passed=passed, used=used, checks=[asdict(each) for each in results])
        recording.remove_leftover(sandbox)
        self._say(_describe_run(key, passed, results, session, self.ledger.settled_cost))

    async def _get_results(
        self, key: Key, task: Task, session: Session, sandbox: Sandbox
    ) -> tuple[list[checks.CheckResult], float]:
        self._guard.ensure_unchanged(task)
        rewritten = self._guard.find_rewritten(key.version, sandbox.skill(self.plan.name))
        results = await checks.run_checks(task, session, sandbox, self.plan.name, rewritten)
        asking = rubric.build_query(task, session, sandbox, self.plan.model)
        if asking is None or any(each.passed is False for each in results):
            return results, 0.0
        if self.ledger.spent + asking.usd > self.plan.max_cost_usd:
            why = f"the cost limit of {self.plan.max_cost_usd:.2f} USD leaves no budget for this check"
            return [*results, *(checks.CheckResult(one.label, None, why) for one in rubric.list_criteria(task))], 0.0
        self.ledger.record("asked", key, asking.usd)
        graded, usd = await rubric.ask_reader(task, asking, sandbox, self._claude)
        return [*results, *graded], usd


def restore_session(facts: dict[str, Any]) -> Session:
    """Restore a session from its record in the ledger."""
    kept = {name: value for name, value in facts.items() if name in Session.__dataclass_fields__}
    kept["calls"] = [Call(**call) for call in facts["calls"]]
    kept["skills"] = [SkillCall(**call) for call in facts.get("skills", ())]
    kept["usage"] = Usage(**facts["usage"])
    return Session(**kept)


def _describe_run(
    key: Key, passed: bool | None, results: list[checks.CheckResult], session: Session, spent: float
) -> str:
    """Describe the result of a run in one line."""
    word = {True: "succeeded", False: "failed", None: "has no known result"}[passed]
    why = next((f": {each.label}: {each.why}" for each in results if not each.passed), "")
    return f"{key} {word} ({session.seconds:.0f} s, {spent:.2f} USD in all){why[:200]}"
