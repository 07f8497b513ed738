"""A trial: rounds of runs, both versions in turn, until it is decided, cannot be, or may cost no more.

What was paid stands in the ledger before anything else happens: a trial that was killed goes on and pays none twice.
"""

import asyncio
from collections.abc import Callable, Iterator
from dataclasses import asdict
from math import ceil
from pathlib import Path
from typing import Any

from orchestrator.errors import Refused, RunFailed
from orchestrator.model.agent import Call, Session
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
    list_looks,
    pair_runs,
)
from orchestrator.tuning.trial.tasks import Task

VERSIONS = ("before", "after")
_WEB = ("WebFetch", "WebSearch")
_IN_A_ROW = 2
"""Runs that never came about, without one between them that did, after which no more are tried."""

_ATTEMPTS = 2
_TOKENS = 16_000
"""What one turn of a run may write: the cost of a run is looked at between turns only."""

Say = Callable[[str], None]


class Trial:
    """One trial in its folder. `why` says why it ended; `finding` is what its last look says."""

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
        """Hold the runs that are missing. Raises BadInput where none can be, RunFailed where they stop coming about.

        Whatever stops it, no process is left.
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
                f"the trial stopped: {self.broken}; the same command goes on with it, and pays nothing twice"
            )

    def _tidy(self) -> None:
        """Take away the places of all runs that are over: of those that were killed, too."""
        for place in self.ledger.unneeded_folders:
            if not recording.remove_leftover(Sandbox(place)):
                self._say(f"{place} cannot be taken away; end what still runs there, then remove it")

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
            if number in list_looks(self.plan.rounds) and self._decide(number):
                return

    async def _gather(self, work: list[Any]) -> None:
        """Do all side by side; cancelled, it ends when every run has ended."""
        for came in await asyncio.gather(*work, return_exceptions=True):
            if isinstance(came, BaseException):
                raise came

    def _list_keys(self, number: int) -> Iterator[Key]:
        """Yield the runs of a round: both versions of a task in turn, now one first, now the other."""
        for place, task in enumerate(self.plan.tasks):
            turn = VERSIONS if (number + place) % 2 else VERSIONS[::-1]
            yield from (Key(task.name, number, version) for version in turn)

    def _decide(self, number: int) -> bool:
        """Look at the runs so far; returns whether no further one is worth its cost."""
        self.comparison, self.why = decide(self.pair_runs(), number, self.plan.rounds, self._count_payable(number))
        no_use = not any(each["used"] for each in self.ledger.graded.values())
        if self.comparison.verdict == "not known" and no_use and not any(task.unused for task in self.plan.tasks):
            self.why = f"{self.plan.name} was used in no run: its text had no say; give tasks that it is for"
        return bool(self.why)

    def _count_payable(self, number: int) -> int:
        """Return how many more rounds the ceiling pays for, a part of one counted whole, if runs cost what they did."""
        a_round, left = 2 * len(self.plan.tasks), self.plan.ceiling - self.plan.reserve - self.ledger.spent
        each = self.ledger.spent / (number * a_round)
        if left < 0 or not each:
            return 0 if left < 0 else self.plan.rounds - number
        return min(ceil((left / each + 1) / a_round), self.plan.rounds - number)

    def pair_runs(self) -> list[Pairs]:
        """Return the runs that count, by task: those of which somebody could tell whether they succeeded."""
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
        """Hold one run, if the ceiling allows for it."""
        reserve = self.plan.reserve
        if self.ledger.spent + reserve > self.plan.ceiling:
            self.why = f"the ceiling of {self.plan.ceiling:.2f} USD is reached: {self.ledger.spent:.2f} are spent"
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
            session.fail(f"it ran out of {sandbox.exceeded}: it was stopped, with all that it had started")
        return session

    def _record_failure(self, key: Key, session: Session, sandbox: Sandbox) -> None:
        """Learn from a run that says nothing of the skill: the way to the model failed."""
        self._failures += 1
        self._give_up(key, sandbox, session.usd, session.why)
        self._say(f"{key} did not come about: {session.why}")
        if session.fault is Fault.ACCESS or self._failures >= _IN_A_ROW:
            self.broken = self.broken or session.why

    def _give_up(self, key: Key, sandbox: Sandbox, usd: float | None, why: str) -> None:
        """Note what a run has cost that counts for nobody, and take its place away."""
        usd = recording.estimate_cost(sandbox, self.plan.reserve) if usd is None else usd
        sandbox.remove()
        self.ledger.record("lost", key, usd, why=why)

    async def _grade(self, key: Key) -> None:
        """Ask the checks of a run that was held, and take its place away."""
        record, task = self.ledger.finished[key], self._tasks[key.task]
        sandbox, session = Sandbox(Path(record["folder"])), restore_session(record["session"])
        if not (is_run_folder(sandbox.base) and sandbox.base.is_dir() and not sandbox.base.is_symlink()):
            results = [
                checks.CheckResult("the run itself", None, "it was killed before its checks, and its files are gone")
            ]
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
        if self.ledger.spent + asking.usd > self.plan.ceiling:
            why = f"the ceiling of {self.plan.ceiling:.2f} USD leaves nothing to ask for it"
            return [*results, *(checks.CheckResult(one.label, None, why) for one in rubric.list_criteria(task))], 0.0
        self.ledger.record("asked", key, asking.usd)
        said, usd = await rubric.ask_reader(task, asking, sandbox, self._claude)
        return [*results, *said], usd


def restore_session(facts: dict[str, Any]) -> Session:
    """Return a session as the ledger keeps it."""
    kept = {name: value for name, value in facts.items() if name in Session.__dataclass_fields__}
    kept["calls"] = [Call(**call) for call in facts["calls"]]
    kept["usage"] = Usage(**facts["usage"])
    return Session(**kept)


def _describe_run(
    key: Key, passed: bool | None, results: list[checks.CheckResult], session: Session, spent: float
) -> str:
    """Say what came of a run, in a line."""
    word = {True: "succeeded", False: "failed", None: "cannot be told"}[passed]
    why = next((f": {each.label}: {each.why}" for each in results if not each.passed), "")
    return f"{key} {word} ({session.seconds:.0f} s, {spent:.2f} USD in all){why[:200]}"
