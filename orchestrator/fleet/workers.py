"""Provide the workers of a fleet: local threads with one process each, or the workers of a Dask cluster."""

import asyncio
import logging
import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from typing import Any

import msgspec

from orchestrator.errors import BadInput
from orchestrator.extras import require_extra
from orchestrator.fleet.process_pool import ProcessPool, ScanPacked

_TIMEOUT_SECONDS = 10
"""Seconds to wait for a scheduler to answer or to disconnect."""


class Workers(msgspec.Struct, frozen=True):
    """An executor, and the function that it runs for each batch of skills.

    `count_slots` returns the number of batches that the workers can scan at the same time. `describe_loss` returns why
    the workers cannot be reached any more, or "".
    """

    executor: Executor
    scan_packed: ScanPacked
    count_slots: Callable[[], int]
    describe_loss: Callable[[], str] = lambda: ""


@contextmanager
def start_local_workers(jobs: int) -> Iterator[Workers]:
    """Start `jobs` workers on this machine. Their processes are killed at the end of the `with` block."""
    pool = ProcessPool()
    executor = ThreadPoolExecutor(jobs)
    try:
        yield Workers(executor, pool.scan_packed, lambda: jobs)
    finally:
        pool.close()
        executor.shutdown(cancel_futures=True)


async def _ask_identity(address: str) -> None:
    """Ask a scheduler for its identity, to check that it answers.

    A Dask client is not used for this, because one that cannot connect prints a traceback when it is deleted.
    """
    from distributed.core import rpc

    untyped_rpc: Any = rpc  # distributed has no type hints
    async with untyped_rpc(address, timeout=_TIMEOUT_SECONDS) as scheduler:
        await scheduler.identity()


@contextmanager
def connect_to_cluster(address: str) -> Iterator[Workers]:
    """Connect to the workers of the Dask scheduler at `address`. Raises BadInput if no scheduler answers there."""
    require_extra("fleet", "--scheduler")
    from distributed import Client

    untyped_client: Any = Client  # distributed has no type hints
    import tune_skill  # workers import this module by name, and it makes the packages importable

    for name in ("distributed", "distributed.client", "distributed.core", "distributed.comm"):
        logging.getLogger(name).setLevel(logging.CRITICAL + 1)  # the dispatcher reports the relevant errors
    warnings.filterwarnings("ignore", "Sending large graph")  # a skill may have megabytes of text
    try:
        asyncio.run(asyncio.wait_for(_ask_identity(address), _TIMEOUT_SECONDS))
        client = untyped_client(address, timeout=_TIMEOUT_SECONDS, set_as_default=False, name="tune-skill")
    except Exception as error:  # noqa: BLE001 - the answer of a foreign program may raise anything
        problem = str(error).partition("\n")[0] or f"no answer within {_TIMEOUT_SECONDS} s"
        raise BadInput(
            f"{address}: no Dask scheduler answers: {problem}; give tcp://HOST:PORT of a `dask scheduler`"
        ) from None

    def count_slots() -> int:
        with suppress(OSError):
            return sum(client.nthreads().values())
        return 0

    def describe_loss() -> str:
        return "" if client.status == "running" else f"the scheduler at {address} cannot be reached"

    try:
        yield Workers(client.get_executor(pure=False), tune_skill.scan_packed, count_slots, describe_loss)
    finally:
        with suppress(OSError, RuntimeError):
            client.close(timeout=_TIMEOUT_SECONDS)
