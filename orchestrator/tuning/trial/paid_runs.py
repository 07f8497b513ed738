"""Run sessions of Claude Code in sandboxes under one cost limit.

Each cost is written to the ledger before anything else happens, so that a killed command can be continued without
paying for a run twice.
"""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Iterable
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from orchestrator.errors import RunFailed
from orchestrator.model.agent import Session
from orchestrator.model.environment import Say
from orchestrator.model.loop import run
from orchestrator.model.query import Fault
from orchestrator.tuning.trial import recording
from orchestrator.tuning.trial.ledger import Key, Ledger
from orchestrator.tuning.trial.sandbox import Sandbox, choose_folder, is_run_folder

T = TypeVar("T")

MAX_TURN_TOKENS = 16_000
"""The output limit of one turn in tokens. It is needed because the cost of a run is checked only between turns."""

_MAX_FAILURES = 2
"""Number of consecutive failed runs after which no further runs are started."""


class PaidSession(msgspec.Struct, frozen=True):
    """A session that reached the model, and so has a cost (in USD). Its sandbox still exists.

    transcript: the name of the file to which its transcript is saved, or "" if there is no transcript.
    """

    sandbox: Sandbox
    session: Session
    usd: float
    transcript: str = ""


class PaidRuns:
    """Runs that share a ledger and a cost limit.

    what: the word for these runs in messages. reserve: the amount that is reserved for one active run, in USD.
    why: why the runs ended early, or "". failure: why runs keep failing, or "".
    """

    def __init__(self, what: str, ledger: Ledger, say: Say, reserve: float, max_cost_usd: float) -> None:
        self.ledger = ledger
        self.why = ""
        self.failure = ""
        self._what, self._say = what, say
        self._reserve, self._max_cost_usd = reserve, max_cost_usd
        self._failures = 0
        self._unremoved: set[Path] = set()
        self._ended = asyncio.Condition()

    def run_all(self, work: Callable[[], Coroutine[Any, Any, None]]) -> None:
        """Record the cost of killed runs, then run `work`. Raises RunFailed if runs keep failing.

        When this function returns or raises an error, all processes of the runs have ended.
        """
        recording.charge_killed_runs(self.ledger)
        self.save_missing_transcripts()
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
        failed = {path for path in self.ledger.unneeded_folders if not recording.remove_leftover(Sandbox(path))}
        if new := failed - self._unremoved:
            self._say(recording.describe_unremoved(new))
        self._unremoved |= new

    async def gather(self, work: Callable[[T], Awaitable[None]], items: Iterable[T]) -> None:
        """Await `work` for all items in parallel. After an exception no further run is started.

        Waits until every run has ended, even if cancelled, and then raises the first exception.
        """
        tasks = (self._end_on_error(work, item) for item in items)
        for result in await asyncio.gather(*tasks, return_exceptions=True):
            if isinstance(result, BaseException):
                raise result

    async def _end_on_error(self, work: Callable[[T], Awaitable[None]], item: T) -> None:
        """Await `work` for an item. If it fails, no other run starts or continues to wait.

        It may have failed because runs cannot be recorded.
        """
        try:
            await work(item)
        except Exception as error:
            self.failure = self.failure or str(error) or type(error).__name__
            async with self._ended:
                self._ended.notify_all()
            raise

    async def run_within_limit(
        self,
        key: Key,
        create: Callable[[Path], Sandbox],
        start: Callable[[Sandbox], Awaitable[Session]],
        describe: Callable[[PaidSession], dict[str, Any]],
    ) -> PaidSession | None:
        """Run one session if the cost limit allows it, record that it is paid for, and then save its transcript.

        Returns None if the session was not run, or if it did not reach the model.

        create: creates the sandbox of the run in a folder. start: runs the session in the sandbox. describe: returns
        the values that are recorded together with the cost.
        """
        if not await self._wait_for_reserve():
            return None
        folder = choose_folder()
        self.ledger.record("began", key, self._reserve, folder=str(folder))
        try:
            paid = await self._start_session(key, Sandbox(folder), lambda: start(create(folder)))
            if paid is not None:
                self.ledger.record("held", key, paid.usd, folder=str(folder), **describe(paid))
        finally:
            async with self._ended:
                self._ended.notify_all()
        if paid is not None:
            self._save_transcript(key, paid.sandbox, paid.session.id)
        return paid

    def save_missing_transcripts(self) -> None:
        """Save the transcripts of finished runs whose command was killed before it could save them."""
        for key in self.ledger.finished.keys() - self.ledger.graded.keys():
            folder = Path(self.ledger.finished[key]["folder"])
            if is_run_folder(folder) and not self._get_transcript_file(key).exists():
                self._save_transcript(key, Sandbox(folder), "")

    def find_transcript(self, key: Key) -> str:
        """Return the name of the saved transcript of a run, or ""."""
        file = self._get_transcript_file(key)
        return file.name if file.is_file() else ""

    def _get_transcript_file(self, key: Key) -> Path:
        return recording.get_transcript_file(self.ledger.path.parent, key)

    def _save_transcript(self, key: Key, sandbox: Sandbox, session_id: str) -> None:
        """Save the transcript of a run that is recorded as paid. Report the reason if that fails."""
        if why := recording.save_transcript(sandbox, session_id, self._get_transcript_file(key)):
            self._say(f"{key}: its transcript is not saved: {why}")

    def _has_ended(self) -> bool:
        return bool(self.why or self.failure)

    async def _wait_for_reserve(self) -> bool:
        """Wait until the cost limit allows another run. If it never can, set `why` and return False."""
        async with self._ended:
            while not self._has_ended() and self.ledger.spent + self._reserve > self._max_cost_usd:
                if not self.ledger.started:
                    limit, spent = f"{self._max_cost_usd:.2f} USD", self.ledger.spent
                    self.why = f"the cost limit of {limit} is reached ({spent:.2f} USD spent)"
                    return False
                await self._ended.wait()
        return not self._has_ended()

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
        transcript = self._get_transcript_file(key).name if recording.has_transcript(sandbox, session.id) else ""
        return PaidSession(sandbox, session, usd, transcript)

    def _record_failure(self, key: Key, session: Session, sandbox: Sandbox) -> None:
        """Record a run that failed before it reached the model. Repeated failures prevent further runs."""
        self._failures += 1
        self._record_loss(key, sandbox, session.usd, session.why)
        self._say(f"{key} did not run: {session.why}")
        if session.fault is Fault.ACCESS or self._failures >= _MAX_FAILURES:
            self.failure = self.failure or session.why

    def _record_loss(self, key: Key, sandbox: Sandbox, usd: float | None, why: str) -> None:
        """Record the cost of a run whose result does not count, and remove the sandbox of the run."""
        usd = recording.estimate_cost(sandbox, self._reserve) if usd is None else usd
        sandbox.remove()
        self.ledger.record("lost", key, usd, why=why)
