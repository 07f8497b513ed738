"""Run sessions of Claude Code in sandboxes under one cost limit.

Each cost is written to the ledger before anything else happens, so that a killed command can be continued without
paying for a run twice.
"""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Iterable
from pathlib import Path
from typing import Any

import msgspec

from orchestrator.errors import RunFailed
from orchestrator.model.agent import Session
from orchestrator.model.environment import Say
from orchestrator.model.loop import run
from orchestrator.model.query import Fault
from orchestrator.tuning.trial import recording
from orchestrator.tuning.trial.ledger import Key, Ledger
from orchestrator.tuning.trial.sandbox import Sandbox, choose_folder

TOKENS = 16_000
"""The output limit of one turn. It is needed because the cost of a run is checked only between turns."""

_MAX_FAILURES = 2
"""Number of consecutive failed runs after which no further runs are started."""


class PaidSession(msgspec.Struct, frozen=True):
    """A session that reached the model: its sandbox (not removed yet) and its cost in USD."""

    sandbox: Sandbox
    session: Session
    usd: float


class PaidRuns:
    """Runs that share a ledger and a cost limit. why: why they ended, or "". failure: why runs keep failing, or "".

    what: the name of the set of runs in messages. reserve: the amount reserved for one active run, in USD.
    """

    def __init__(self, what: str, ledger: Ledger, say: Say, reserve: float, max_cost_usd: float) -> None:
        self.ledger = ledger
        self.why = ""
        self.failure = ""
        self._what, self._say = what, say
        self._reserve, self._max_cost_usd = reserve, max_cost_usd
        self._failures = 0
        self._ended = asyncio.Condition()

    def run_all(self, work: Callable[[], Coroutine[Any, Any, None]]) -> None:
        """Charge the cost of killed runs, then run `work`. Raises RunFailed if runs keep failing.

        All processes have ended when this returns or raises.
        """
        for key, record in tuple(self.ledger.started.items()):
            usd = recording.estimate_cost(Sandbox(Path(record["folder"])), record["usd"])
            self.ledger.record("lost", key, usd, why="it was killed")
        self._remove_sandboxes()
        try:
            run(work())
        finally:
            self._remove_sandboxes()
        if self.failure:
            raise RunFailed(
                f"the {self._what} stopped: {self.failure}; repeat the command to continue (no run is paid for twice)"
            )

    def _remove_sandboxes(self) -> None:
        """Remove the sandboxes of all runs that have ended or were killed."""
        for folder in self.ledger.unneeded_folders:
            if not recording.remove_leftover(Sandbox(folder)):
                self._say(f"cannot remove {folder}; end the processes that use it, then remove it")

    async def gather(self, work: Iterable[Awaitable[Any]]) -> None:
        """Await all of `work` in parallel. If cancelled, still wait until every run has ended."""
        for result in await asyncio.gather(*work, return_exceptions=True):
            if isinstance(result, BaseException):
                raise result

    async def run_within_limit(
        self, key: Key, create: Callable[[Path], Sandbox], start: Callable[[Sandbox], Awaitable[Session]]
    ) -> PaidSession | None:
        """Run one session if the cost limit allows it; return None if it did not run or did not reach the model.

        create: creates the sandbox of the run in a folder. start: runs the session in the sandbox.
        """
        if not await self._wait_for_reserve():
            return None
        folder = choose_folder()
        self.ledger.record("began", key, self._reserve, folder=str(folder))
        try:
            return await self._start_session(key, Sandbox(folder), lambda: start(create(folder)))
        finally:
            async with self._ended:
                self._ended.notify_all()

    async def _wait_for_reserve(self) -> bool:
        """Wait until the budget allows another run. If that cannot happen, set `why` and return False."""
        async with self._ended:
            while self.ledger.spent + self._reserve > self._max_cost_usd:
                if not self.ledger.started:
                    limit, spent = f"{self._max_cost_usd:.2f} USD", self.ledger.spent
                    self.why = f"the cost limit of {limit} is reached: {spent:.2f} spent"
                    return False
                await self._ended.wait()
        return not self.why and not self.failure

    async def _start_session(
        self, key: Key, sandbox: Sandbox, start: Callable[[], Awaitable[Session]]
    ) -> PaidSession | None:
        try:
            session = await start()
        except OSError as error:
            session = Session(usd=0.0).fail(f"the run's files cannot be written: {error}", Fault.CONNECTION)
        except BaseException as error:
            self._record_loss(key, sandbox, None, f"it was interrupted: {type(error).__name__}")
            raise
        if sandbox.exceeded:
            session.fail(f"the run exceeded its limit of {sandbox.exceeded} and was stopped with all its processes")
        if session.fault is not None:
            self._record_failure(key, session, sandbox)
            return None
        self._failures = 0
        usd = recording.estimate_cost(sandbox, self._reserve) if session.usd is None else session.usd
        return PaidSession(sandbox, session, usd)

    def _record_failure(self, key: Key, session: Session, sandbox: Sandbox) -> None:
        """Record a run that failed without reaching the model; after repeated failures, start no more runs."""
        self._failures += 1
        self._record_loss(key, sandbox, session.usd, session.why)
        self._say(f"{key} did not run: {session.why}")
        if session.fault is Fault.ACCESS or self._failures >= _MAX_FAILURES:
            self.failure = self.failure or session.why

    def _record_loss(self, key: Key, sandbox: Sandbox, usd: float | None, why: str) -> None:
        """Record the cost of a run that does not count, and remove its sandbox."""
        usd = recording.estimate_cost(sandbox, self._reserve) if usd is None else usd
        sandbox.remove()
        self.ledger.record("lost", key, usd, why=why)
