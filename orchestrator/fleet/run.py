"""The run of a fleet: batches go out, records come home. A batch that fails is halved until one skill stands alone."""

import json
import pickle
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, CancelledError, Future, wait
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any

from orchestrator.errors import RunFailed
from orchestrator.fleet.cells import Answer
from orchestrator.fleet.look import Look, look
from orchestrator.fleet.parcels import Parcel, failed
from orchestrator.fleet.workers import Workers, local
from orchestrator.version import version

_SKILLS, _BYTES = 16, 1_000_000
"""The most skills and bytes of one batch: about a second of work, and a message that a scheduler takes easily."""
_AHEAD = 2
"""Batches that are out for each task that runs, so that none waits for us."""


@dataclass(frozen=True)
class Limits:
    """What one skill may cost: seconds, and megabytes of address space (10^6 bytes)."""

    seconds: int = 60
    megabytes: int = 4000


@dataclass(frozen=True)
class Packed:
    """A skill ready to travel."""

    key: str
    path: str
    data: bytes


Batch = tuple[Packed, ...]


class FleetRun:
    """One run: `keep` gets the records as they come. `look` is what is done with a skill."""

    def __init__(self, workers: Workers, keep: Callable[[list[Any]], None], limits: Limits, look: Look = look) -> None:
        self._workers, self._keep, self._limits, self._look = workers, keep, limits, look
        self._halves: deque[Batch] = deque()
        self._out: dict[Future[list[Answer]], Batch] = {}
        self._suspects: dict[Future[list[Answer]], Batch] = {}

    def go(self, parcels: Iterable[Parcel]) -> None:
        """Look at all skills. Raises RunFailed when the workers are gone; what came home is kept."""
        batches = _batches(_packed(parcel, self._look) for parcel in parcels)
        with ExitStack() as stack:
            aside = stack.enter_context(local(1))
            stack.callback(self._withdraw)
            try:
                self._exchange(batches, aside)
            except Exception as error:
                if why := self._workers.lost():
                    raise RunFailed(why) from error
                raise

    def _exchange(self, batches: Iterator[Batch], aside: Workers) -> None:
        while self._send(batches):
            done, _ = wait({*self._out, *self._suspects}, timeout=1, return_when=FIRST_COMPLETED)
            for future in done:
                self._take(future, aside)
            if not done and (why := self._workers.lost()):
                raise RunFailed(why)

    def _send(self, batches: Iterator[Batch]) -> bool:
        """Send what the workers can take; tell whether anything is out."""
        while len(self._out) < _AHEAD * max(1, self._workers.width()):
            batch = self._halves.popleft() if self._halves else next(batches, ())
            if not batch:
                break
            self._out[self._submitted(self._workers, batch)] = batch
        return bool(self._out or self._suspects)

    def _submitted(self, workers: Workers, batch: Batch) -> Future[list[Answer]]:
        limits = self._limits
        data = [parcel.data for parcel in batch]
        return workers.executor.submit(workers.examine, version(), limits.seconds, limits.megabytes, data)

    def _take(self, future: Future[list[Answer]], aside: Workers) -> None:
        batch = self._out.pop(future, ())
        suspect = self._suspects.pop(future, ())
        try:
            answers = future.result()
        except CancelledError:
            raise RunFailed("the workers took the work back") from None
        except ImportError as error:
            raise RunFailed(f"a worker cannot run tune-skill: {error}; install it where the workers run") from None
        except RunFailed:
            raise
        except Exception:
            if suspect:
                raise
            self._blame(batch, aside)
            return
        self._keep([_record(*pair) for pair in zip(batch or suspect, answers, strict=True)])

    def _blame(self, batch: Batch, aside: Workers) -> None:
        """Halve a batch whose worker failed; a lone skill is looked at here, in a process of its own."""
        middle = len(batch) // 2
        if middle:
            self._halves.extend((batch[:middle], batch[middle:]))
        else:
            self._suspects[self._submitted(aside, batch)] = batch

    def _withdraw(self) -> None:
        for future in self._out:
            future.cancel()


def _packed(parcel: Parcel, look: Look) -> Packed:
    return Packed(parcel.key, parcel.path, pickle.dumps((look, parcel)))


def _batches(packed: Iterable[Packed]) -> Iterator[Batch]:
    batch: list[Packed] = []
    for one in packed:
        if batch and (len(batch) == _SKILLS or sum(len(p.data) for p in batch) + len(one.data) > _BYTES):
            yield tuple(batch)
            batch = []
        batch.append(one)
    if batch:
        yield tuple(batch)


def _record(packed: Packed, answer: Answer) -> Any:
    return json.loads(answer) if isinstance(answer, bytes) else failed(packed.key, packed.path, answer)
