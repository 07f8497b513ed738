"""A survey of a fleet: which skills there are, which of them the store knows, and what all of them tell."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from orchestrator.engine.units import ScanOptions
from orchestrator.errors import BadInput, RunFailed
from orchestrator.fleet.look import Look, look
from orchestrator.fleet.parcels import Parcel, parcel_of, unread
from orchestrator.fleet.run import FleetRun, Limits
from orchestrator.fleet.store import ResultStore
from orchestrator.fleet.summary import summary
from orchestrator.fleet.workers import Workers


class Survey:
    """The skills at `paths`. `tell(done, failed, before)` hears how many are done, failed, and were done before.

    retry: skills that the store knows as failed are looked at again.
    """

    def __init__(
        self,
        paths: Sequence[Path],
        options: ScanOptions,
        store: ResultStore,
        limits: Limits,
        *,
        retry: bool = False,
        tell: Callable[[int, int, int], None] = lambda done, failed, before: None,
        look: Look = look,
    ) -> None:
        self.looked = 0
        self._paths = paths
        self._options, self._store, self._limits, self._retry = options, store, limits, retry
        self._tell, self._look = tell, look
        self._keys: list[str] = []
        self._done = self._failed = 0

    def go(self, workers: Workers) -> None:
        """Look at what the store does not know. Raises RunFailed when the workers are gone; what came is kept."""
        try:
            FleetRun(workers, self._keep, self._limits, self._look).go(self._unknown())
        except RunFailed as error:
            kept = f"{self._done:,} of {len(self._paths):,} skills are kept"
            raise RunFailed(f"{error}; {kept}; fix this and run the same command again, which goes on") from error

    def summary(self, most: int) -> dict[str, Any]:
        """Give what all skills tell; `most` is how many of the worst ones and of duplicates are listed."""
        return {**summary(lambda: self._store.read(self._keys), most), "looked": self.looked}

    def _unknown(self) -> Iterator[Parcel]:
        """Read all skills, and give those whose result must still be found."""
        for path in self._paths:
            try:
                parcel = parcel_of(path, self._options)
            except BadInput as error:
                self._note(unread(path, error))
                continue
            self._keys.append(parcel.key)
            if parcel.key not in self._store.known or (self._retry and self._store.known[parcel.key]):
                yield parcel
            else:
                self._count([self._store.known[parcel.key]])

    def _note(self, record: dict[str, Any]) -> None:
        self._keys.append(record["key"])
        if record["key"] in self._store.known:
            self._count([record["diagnosis"]["error"]])
        else:
            self._keep([record])

    def _keep(self, records: list[Any]) -> None:
        self._store.add(records)
        self.looked += len(records)
        self._count([record["diagnosis"].get("error") for record in records])

    def _count(self, errors: Sequence[str | None]) -> None:
        self._done += len(errors)
        self._failed += sum(error is not None for error in errors)
        self._tell(self._done, self._failed, self._done - self.looked)
