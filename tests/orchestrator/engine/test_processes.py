"""Test mapping in several processes: results, errors, and processes that die or are no longer needed."""

import os
import sys
import time

import pytest

from orchestrator.engine.processes import map_in_processes

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="other systems use a pool of the standard library")
PARENT = os.getpid()
FIRST = 39
"""The largest item, which is taken before any process is forked."""


def fail_at_five(number):
    if number == 5:
        raise ValueError("five")
    return number


def die_in_fork(number):
    if os.getpid() != PARENT:
        os._exit(9)
    time.sleep(0.05)
    return number


def wait_long(number):
    time.sleep(0.01 if os.getpid() == PARENT else 600)


def test_no_item_is_taken_twice():
    """The processes do nothing else than take items."""
    count = 20_000
    results = map_in_processes(lambda number: number, range(count), lambda number: 0, 3)
    assert sorted(index for index, _ in results) == list(range(count))


def test_each_item_has_one_result_and_processes_share_the_items(tmp_path):
    def describe(number):
        """Wait until three processes have taken an item, however busy the machine is; do not wait for the first item."""
        (tmp_path / str(os.getpid())).touch()
        deadline = time.monotonic() + 60
        while number != FIRST and len(list(tmp_path.iterdir())) < 3 and time.monotonic() < deadline:
            time.sleep(0.005)
        return number, os.getpid(), "x" * 10_000

    results = list(map_in_processes(describe, range(FIRST + 1), lambda number: number, 3))
    assert sorted(index for index, _ in results) == list(range(FIRST + 1))
    assert all(number == index for index, (number, _, _) in results)
    assert len({pid for _, (_, pid, _) in results}) == 3


def test_largest_items_come_first():
    results = [index for index, _ in map_in_processes(abs, range(9), lambda number: number, 1)]
    assert results == list(range(8, -1, -1))


def test_error_in_a_process_is_raised():
    with pytest.raises(ValueError, match="five"):
        list(map_in_processes(fail_at_five, range(40), lambda number: -number, 2))


def test_death_of_a_process_is_an_error():
    with pytest.raises(RuntimeError, match="killed"):
        list(map_in_processes(die_in_fork, range(10), lambda number: number, 2))


def test_processes_end_when_no_further_results_are_wanted():
    start = time.monotonic()
    results = map_in_processes(wait_long, range(10), lambda number: number, 3)
    next(results)
    results.close()
    assert time.monotonic() - start < 60, "close() waited for the processes instead of killing them"
