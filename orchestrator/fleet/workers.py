"""Who does the work: threads with a process each on this machine, or a Dask cluster. To the run they are the same."""

import logging
import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any

from orchestrator.errors import BadInput
from orchestrator.extras import require_extra
from orchestrator.fleet.cells import Cells, Examine

_PATIENCE = 10
"""Seconds in which a scheduler must answer, and in which it may take leave."""


@dataclass(frozen=True)
class Workers:
    """An executor, what it is to run, how many tasks it runs at once now, and why it will run no more, or ""."""

    executor: Executor
    examine: Examine
    width: Callable[[], int]
    lost: Callable[[], str] = lambda: ""


@contextmanager
def local(jobs: int) -> Iterator[Workers]:
    """Give workers of this machine: `jobs` processes. They end with the context, whatever they are at."""
    cells = Cells()
    executor = ThreadPoolExecutor(jobs)
    try:
        yield Workers(executor, cells.examined, lambda: jobs)
    finally:
        cells.close()
        executor.shutdown(cancel_futures=True)


@contextmanager
def cluster(address: str) -> Iterator[Workers]:
    """Give the workers of the Dask scheduler at `address`. Raises BadInput when there is none."""
    require_extra("fleet", "--scheduler")
    from distributed import Client

    make: Any = Client  # it has no types
    import tune_skill  # by its name workers import it, and it finds the rest

    for name in ("distributed", "distributed.client", "distributed.core", "distributed.comm"):
        logging.getLogger(name).setLevel(logging.CRITICAL + 1)  # what matters is told by the run
    warnings.filterwarnings("ignore", "Sending large graph")  # a skill may have megabytes
    try:
        client = make(address, timeout=_PATIENCE, set_as_default=False, name="tune-skill")
    except (OSError, ValueError, TypeError) as error:
        told = str(error).partition("\n")[0] or type(error).__name__
        raise BadInput(f"{address}: no Dask scheduler answers: {told}; start one with `dask scheduler`") from None

    def width() -> int:
        with suppress(OSError):
            return sum(client.nthreads().values())
        return 0

    def lost() -> str:
        return "" if client.status == "running" else f"the scheduler at {address} is gone"

    try:
        yield Workers(client.get_executor(pure=False), tune_skill.examined, width, lost)
    finally:
        with suppress(OSError, RuntimeError):
            client.close(timeout=_PATIENCE)
