"""Survey a fleet: scan the skills whose results are not in the store yet, and summarize all results."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from orchestrator.engine.units import ScanOptions
from orchestrator.errors import BadInput, RunFailed
from orchestrator.fleet.dispatcher import Dispatcher, Limits
from orchestrator.fleet.fleet_summary import summarize
from orchestrator.fleet.result_store import ResultStore
from orchestrator.fleet.scan_task import Run, ScanTask, make_task, make_unread_record, run_task
from orchestrator.fleet.workers import Workers


class Survey:
    """A survey of the skills at `paths`.

    With `retry`, skills that failed before are scanned again. `report(done, failed, stored)` is called when skills are
    finished, with the numbers of all finished skills, of failed ones, and of those that were already in the store.
    """

    def __init__(
        self,
        paths: Sequence[Path],
        options: ScanOptions,
        store: ResultStore,
        limits: Limits,
        *,
        retry: bool = False,
        report: Callable[[int, int, int], None] = lambda done, failed, stored: None,
        run: Run = run_task,
    ) -> None:
        self.scanned = 0
        self._paths = paths
        self._options, self._store, self._limits, self._retry = options, store, limits, retry
        self._report, self._run = report, run
        self._keys: list[str] = []
        self._done = self._failed = 0

    def scan_remaining(self, workers: Workers) -> None:
        """Scan the skills without a result. Raises RunFailed if the workers are lost; finished records are kept."""
        try:
            Dispatcher(workers, self._save, self._limits, self._run).scan_all(self._read_unscanned())
        except RunFailed as error:
            progress = f"{self._done:,} of {len(self._paths):,} skills are done"
            raise RunFailed(f"{error}; {progress}; fix this and run the same command again to continue") from error

    def summarize(self, limit: int) -> dict[str, Any]:
        """Return a summary of all skills.

        `limit` is the maximum number of worst skills, and of duplicates of each kind.
        """
        return {**summarize(lambda: self._store.read(self._keys), limit), "looked": self.scanned}

    def _read_unscanned(self) -> Iterator[ScanTask]:
        """Read all skills, and yield a task for each one without a result."""
        for path in self._paths:
            try:
                task = make_task(path, self._options)
            except BadInput as error:
                self._add_unread(make_unread_record(path, error))
                continue
            self._keys.append(task.key)
            if task.key not in self._store.errors or (self._retry and self._store.errors[task.key]):
                yield task
            else:
                self._count([self._store.errors[task.key]])

    def _add_unread(self, record: dict[str, Any]) -> None:
        """Count a skill that could not be read, and save its record if the store does not have it yet."""
        self._keys.append(record["key"])
        if record["key"] in self._store.errors:
            self._count([record["diagnosis"]["error"]])
        else:
            self._save([record])

    def _save(self, records: list[Any]) -> None:
        self._store.add(records)
        self.scanned += len(records)
        self._count([record["diagnosis"].get("error") for record in records])

    def _count(self, errors: Sequence[str | None]) -> None:
        """Count finished skills and report the progress. `errors` has None for each skill that was scanned."""
        self._done += len(errors)
        self._failed += sum(error is not None for error in errors)
        self._report(self._done, self._failed, self._done - self.scanned)
