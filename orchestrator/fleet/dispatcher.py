"""Submit batches of skills to workers and collect the records. A batch whose worker fails is halved and retried."""

import json
import pickle
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, CancelledError, Future, wait
from contextlib import ExitStack
from typing import Any

import msgspec

from orchestrator.errors import RunFailed
from orchestrator.fleet.process_pool import Answer
from orchestrator.fleet.scan_task import Run, ScanTask, make_failed_record, run_task
from orchestrator.fleet.workers import Workers, start_local_workers
from orchestrator.version import version

_MAX_SKILLS, _MAX_BYTES = 16, 1_000_000
"""Limits of a batch: 16 skills take about a second to scan, and schedulers accept messages of 1 MB."""
_BATCHES_PER_WORKER = 2
"""Number of pending batches per worker, so that no worker is idle."""


class Limits(msgspec.Struct, frozen=True):
    """The limits for scanning one skill: time in seconds, and address space in megabytes (10^6 bytes)."""

    seconds: int = 60
    megabytes: int = 4000


class PackedTask(msgspec.Struct, frozen=True):
    """A pickled task, with the key and path of its skill."""

    key: str
    path: str
    data: bytes


Batch = tuple[PackedTask, ...]


class Dispatcher:
    """Scans the skills of a fleet.

    `save` is called with finished records as they arrive. `run` scans the skill of a task.

    Up to two batches per worker are pending. If a worker fails, its batch is halved, and the halves are submitted
    next. A failed batch of one skill is scanned by a local worker.
    """

    def __init__(
        self, workers: Workers, save: Callable[[list[Any]], None], limits: Limits, run: Run = run_task
    ) -> None:
        self._workers, self._save, self._limits, self._run = workers, save, limits, run
        self._halves: deque[Batch] = deque()
        self._pending: dict[Future[list[Answer]], Batch] = {}
        self._single: dict[Future[list[Answer]], Batch] = {}

    def scan_all(self, tasks: Iterable[ScanTask]) -> None:
        """Scan all skills. Raises RunFailed if the workers are lost; saved records are kept."""
        batches = _make_batches(_pack(task, self._run) for task in tasks)
        with ExitStack() as stack:
            local_worker = stack.enter_context(start_local_workers(1))
            stack.callback(self._cancel)
            try:
                self._run_batches(batches, local_worker)
            except Exception as error:
                if why := self._workers.describe_loss():
                    raise RunFailed(why) from error
                raise

    def _run_batches(self, batches: Iterator[Batch], local_worker: Workers) -> None:
        while self._submit_batches(batches):
            done, _ = wait({*self._pending, *self._single}, timeout=1, return_when=FIRST_COMPLETED)
            for future in done:
                self._collect(future, local_worker)
            if not done and (why := self._workers.describe_loss()):
                raise RunFailed(why)

    def _submit_batches(self, batches: Iterator[Batch]) -> bool:
        """Submit batches until each worker has enough. Returns whether any batch is unfinished."""
        while len(self._pending) < _BATCHES_PER_WORKER * max(1, self._workers.count_slots()):
            batch = self._halves.popleft() if self._halves else next(batches, ())
            if not batch:
                break
            self._pending[self._submit(self._workers, batch)] = batch
        return bool(self._pending or self._single)

    def _submit(self, workers: Workers, batch: Batch) -> Future[list[Answer]]:
        limits = self._limits
        data = [packed.data for packed in batch]
        return workers.executor.submit(workers.scan_packed, version(), limits.seconds, limits.megabytes, data)

    def _collect(self, future: Future[list[Answer]], local_worker: Workers) -> None:
        """Save the records of a finished batch. If its worker failed, submit the batch again in halves.

        Raises RunFailed if no worker can scan the batch.
        """
        batch = self._pending.pop(future, ())
        single = self._single.pop(future, ())
        try:
            answers = future.result()
        except CancelledError:
            raise RunFailed("the scheduler cancelled the work") from None
        except ImportError as error:
            raise RunFailed(f"a worker cannot run tune-skill: {error}; install it where the workers run") from None
        except RunFailed:
            raise
        except Exception:
            if single:
                raise
            self._split(batch, local_worker)
            return
        tasks_with_answers = zip(batch or single, answers, strict=True)
        self._save([_read_answer(packed, answer) for packed, answer in tasks_with_answers])

    def _split(self, batch: Batch, local_worker: Workers) -> None:
        """Submit the halves of a batch whose worker failed. A batch of one skill goes to the local worker."""
        middle = len(batch) // 2
        if middle:
            self._halves.extend((batch[:middle], batch[middle:]))
        else:
            self._single[self._submit(local_worker, batch)] = batch

    def _cancel(self) -> None:
        for future in self._pending:
            future.cancel()


def _pack(task: ScanTask, run: Run) -> PackedTask:
    return PackedTask(task.key, task.path, pickle.dumps((run, task)))


def _make_batches(tasks: Iterable[PackedTask]) -> Iterator[Batch]:
    """Group tasks into batches within the limits. A task that exceeds `_MAX_BYTES` is a batch of its own."""
    batch: list[PackedTask] = []
    size = 0
    for task in tasks:
        if batch and (len(batch) == _MAX_SKILLS or size + len(task.data) > _MAX_BYTES):
            yield tuple(batch)
            batch, size = [], 0
        batch.append(task)
        size += len(task.data)
    if batch:
        yield tuple(batch)


def _read_answer(packed: PackedTask, answer: Answer) -> Any:
    """Return the record of a skill from a worker's answer: the record as JSON, or an error."""
    return json.loads(answer) if isinstance(answer, bytes) else make_failed_record(packed.key, packed.path, answer)
