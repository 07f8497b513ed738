"""Run a trial in rounds, both versions in turn, until it is decided, cannot be decided, or reaches its cost limit.

Each cost is in the ledger before anything else happens, so a killed trial continues and pays for no run twice.
"""

import asyncio
from collections.abc import Iterator
from dataclasses import asdict
from math import ceil
from pathlib import Path
from typing import Any

from orchestrator.errors import Refused, RunFailed
from orchestrator.model.agent import Call, Session
from orchestrator.model.environment import Say
from orchestrator.model.loop import run
from orchestrator.model.query import Fault, Usage
from orchestrator.tuning.trial import checks, recording, rubric
from orchestrator.tuning.trial.change_guard import ChangeGuard
from orchestrator.tuning.trial.folders import SESSIONS
from orchestrator.tuning.trial.ledger import Key, Ledger
from orchestrator.tuning.trial.plan import Plan
from orchestrator.tuning.trial.sandbox import (
    Sandbox,
    choose_folder,
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
_WEB = ("WebFetch", "WebSearch")
_IN_A_ROW = 2
"""The number of consecutive failed runs after which the trial stops."""

_ATTEMPTS = 2
_TOKENS = 16_000
"""The output limit of one turn: the cost of a run is checked between turns only."""


class Trial:
    """One trial in its folder. `why` says why it ended; `comparison` is the result of its last analysis."""

    def __init__(self, plan: Plan, folder: Path, ledger: Ledger, say: Say, guard: ChangeGuard) -> None:
        self.plan, self.folder, self.ledger = plan, folder, ledger
        self._guard = guard
        self.why = ""
        self.broken = ""
        self.rounds = 0
        self.comparison: Comparison | None = None
        self._say = say
        self._tasks = {task.name: task for task in plan.tasks}
        self._failures = 0
        self._claude = ""

    def run(self) -> None:
        """Run what is missing. Raises BadInput if nothing can run here, RunFailed if runs keep failing.

        No process is left, whatever stops the trial.
        """
        from orchestrator.model.agent import find_claude_code

        if any(not task.network for task in self.plan.tasks):
            find_offline_command()
        self._claude = find_claude_code()
        for key, record in tuple(self.ledger.started.items()):
            sandbox = Sandbox(Path(record["folder"]))
            usd = recording.estimate_cost(sandbox, record["usd"])
            self.ledger.record("lost", key, usd, why="it was killed")
        self._tidy()
        try:
            run(self._run_rounds())
        finally:
            self._tidy()
        if self.broken:
            raise RunFailed(
                f"the trial stopped: {self.broken}; the same command continues it and pays for no run twice"
            )

    def _tidy(self) -> None:
        """Remove the sandboxes of all runs that are over, also of those that were killed."""
        for place in self.ledger.unneeded_folders:
            if not recording.remove_leftover(Sandbox(place)):
                self._say(f"cannot remove {place}; end the processes that use it, then remove it")

    async def _run_rounds(self) -> None:
        free = asyncio.Semaphore(self.plan.jobs)
        for number in range(1, self.plan.rounds + 1):
            await self._gather([self._complete(key, free) for key in self._list_keys(number)])
            if self.broken:
                return
            if self.why:
                self.comparison = compare(self.pair_runs(), compute_last_level(number, self.plan.rounds))
                return
            self.rounds = number
            if number in list_analyses(self.plan.rounds) and self._decide(number):
                return

    async def _gather(self, work: list[Any]) -> None:
        """Run all in parallel; if cancelled, return when every run has ended."""
        for result in await asyncio.gather(*work, return_exceptions=True):
            if isinstance(result, BaseException):
                raise result

    def _list_keys(self, number: int) -> Iterator[Key]:
        """Yield the runs of a round: both versions of each task, in alternating order."""
        for place, task in enumerate(self.plan.tasks):
            turn = VERSIONS if (number + place) % 2 else VERSIONS[::-1]
            yield from (Key(task.name, number, version) for version in turn)

    def _decide(self, number: int) -> bool:
        """Analyze the runs so far; return whether the trial ends here."""
        self.comparison, self.why = decide(self.pair_runs(), number, self.plan.rounds, self._count_payable(number))
        no_use = not any(each["used"] for each in self.ledger.graded.values())
        if self.comparison.verdict == "not known" and no_use and not any(task.unused for task in self.plan.tasks):
            self.why = f"{self.plan.name} was used in no run, so its text had no effect; give tasks that need it"
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
                for _ in range(_ATTEMPTS):
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
        """Run one session, if the cost limit allows it."""
        reserve = self.plan.reserve
        if self.ledger.spent + reserve > self.plan.max_cost_usd:
            self.why = f"the cost limit of {self.plan.max_cost_usd:.2f} USD is reached: {self.ledger.spent:.2f} spent"
            return
        task = self._tasks[key.task]
        place = choose_folder()
        self.ledger.record("began", key, reserve, folder=str(place))
        sandbox = create_sandbox(place, task, getattr(self.plan, key.version), self.plan.name)
        try:
            session = await self._run_session(task, sandbox)
        except asyncio.CancelledError:
            self._give_up(key, sandbox, None, "it was interrupted")
            raise
        if session.fault is not None:
            self._record_failure(key, session, sandbox)
            return
        self._failures = 0
        usd = recording.estimate_cost(sandbox, reserve) if session.usd is None else session.usd
        facts = {**asdict(session), "fault": None, "usage": asdict(session.usage)}
        facts["transcript"] = recording.save_transcript(sandbox, session.id, self.folder / SESSIONS / f"{key}.jsonl")
        self.ledger.record("held", key, usd, folder=str(sandbox.base), session=facts)

    async def _run_session(self, task: Task, sandbox: Sandbox) -> Session:
        from orchestrator.model.agent import SessionRequest, run_session

        session = await run_session(SessionRequest(
            prompt=task.prompt, folder=sandbox.project, claude=sandbox.write_launcher(self._claude, task),
            tools=task.tools,
            refused_tools=() if task.network else _WEB, model=self.plan.model, usd=self.plan.reserve / 2,
            tokens=_TOKENS, seconds=task.seconds, max_turns=task.max_turns,
            verbatim=not task.calls(self.plan.name),
        ))  # fmt: skip
        if sandbox.exceeded:
            session.fail(f"the run ran out of {sandbox.exceeded} and was stopped with all its processes")
        return session

    def _record_failure(self, key: Key, session: Session, sandbox: Sandbox) -> None:
        """Record a run that failed without reaching the model; stop the trial if that repeats."""
        self._failures += 1
        self._give_up(key, sandbox, session.usd, session.why)
        self._say(f"{key} did not run: {session.why}")
        if session.fault is Fault.ACCESS or self._failures >= _IN_A_ROW:
            self.broken = self.broken or session.why

    def _give_up(self, key: Key, sandbox: Sandbox, usd: float | None, why: str) -> None:
        """Record the cost of a run that does not count, and remove its sandbox."""
        usd = recording.estimate_cost(sandbox, self.plan.reserve) if usd is None else usd
        sandbox.remove()
        self.ledger.record("lost", key, usd, why=why)

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
    kept["usage"] = Usage(**facts["usage"])
    return Session(**kept)


def _describe_run(
    key: Key, passed: bool | None, results: list[checks.CheckResult], session: Session, spent: float
) -> str:
    """Describe the result of a run in one line."""
    word = {True: "succeeded", False: "failed", None: "has no known result"}[passed]
    why = next((f": {each.label}: {each.why}" for each in results if not each.passed), "")
    return f"{key} {word} ({session.seconds:.0f} s, {spent:.2f} USD in all){why[:200]}"
