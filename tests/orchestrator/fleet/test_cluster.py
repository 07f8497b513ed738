"""Test a real Dask scheduler with two local workers: a kill loses nothing, and no skill counts twice."""

import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections import Counter
from contextlib import suppress
from pathlib import Path

import pytest

from orchestrator.errors import BadInput
from orchestrator.fleet import workers
from orchestrator.fleet.dispatcher import Dispatcher, Limits
from orchestrator.fleet.workers import connect_to_cluster
from tests.orchestrator.fleet import poison

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("cluster")]
ROOT = Path(__file__).parents[3]
TIMEOUT_SECONDS = 120
"""Timeout of every wait in seconds, enough for a busy machine."""


class Cluster:
    """A scheduler and a process that supervises two workers; each can be killed."""

    def __init__(self, folder: Path) -> None:
        with socket.socket() as unused_socket:
            unused_socket.bind(("127.0.0.1", 0))
            self.port = unused_socket.getsockname()[1]
        self.address = f"tcp://127.0.0.1:{self.port}"
        self._folder = folder
        self.scheduler = self._start_dask("scheduler", "--host", "127.0.0.1", "--port", str(self.port))
        self.workers = self._start_dask("worker", self.address, "--nworkers", "2", "--nthreads", "1")
        from distributed import Client

        with Client(self.address, timeout=TIMEOUT_SECONDS, set_as_default=False) as client:
            client.wait_for_workers(2, timeout=TIMEOUT_SECONDS)

    def worker_pids(self):
        from distributed import Client

        with Client(self.address, timeout=TIMEOUT_SECONDS, set_as_default=False) as client:
            return list(client.run(os.getpid).values())

    def stop(self):
        for process in (self.workers, self.scheduler):
            process.terminate()
        for process in (self.workers, self.scheduler):
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()

    def _start_dask(self, *arguments):
        environment = {
            **os.environ,
            "PYTHONPATH": str(ROOT),
            "DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES": "1",
            poison.WORKER: "1",
        }
        environment.pop("TUNE_SKILL_STRICT", None)
        command = [sys.executable, "-m", "dask", *arguments, "--no-dashboard"]
        with (self._folder / f"{arguments[0]}.log").open("ab") as log:
            return subprocess.Popen(command, cwd=self._folder, env=environment, stdout=log, stderr=log)


@pytest.fixture(scope="module")
def running_cluster(tmp_path_factory):
    new_cluster = Cluster(tmp_path_factory.mktemp("dask"))
    yield new_cluster
    new_cluster.stop()


@pytest.mark.parametrize("answer", [b"", b"HTTP/1.1 400 Bad Request\r\n\r\n", None])
def test_address_without_a_scheduler_prints_one_line(monkeypatch, answer):
    monkeypatch.setattr(workers, "_TIMEOUT_SECONDS", 0.5)
    with socket.create_server(("127.0.0.1", 0)) as server:
        threading.Thread(target=answer_once, args=(server, answer), daemon=True).start()
        address = "tcp://127.0.0.1" if answer is None else f"tcp://127.0.0.1:{server.getsockname()[1]}"
        with (
            pytest.raises(BadInput, match=r"no Dask scheduler answers: .+; give tcp://HOST:PORT"),
            connect_to_cluster(address),
        ):
            pass


def answer_once(server, answer):
    """Accept a connection, if any; send the answer and close it, or keep it open if there is no answer."""
    with suppress(OSError), server.accept()[0] as connection:
        connection.sendall(answer or b"")
        time.sleep(0 if answer else 5)


def run_fleet(running_cluster, tasks, store, add=None):
    with connect_to_cluster(running_cluster.address) as pool:
        Dispatcher(pool, add or store.add, Limits(TIMEOUT_SECONDS, 2000), poison.run_task).scan_all(tasks)
    counts = Counter(line.split(b'"', 4)[3] for line in store.path.read_bytes().splitlines())
    assert set(counts.values()) == {1}, "a skill was counted twice"
    return store.errors


def write_slow_skills(write_skills, count, **bodies):
    return write_skills(count, **{**{f"s{n:03d}": "please be slow" for n in range(count)}, **bodies})


def test_cluster_scans_each_skill_once_by_content(running_cluster, write_skills, tasks, store):
    scan_tasks = tasks(write_skills(40))
    for path in Path(scan_tasks[0].path).parent.glob("*/SKILL.md"):
        path.unlink()
    errors = run_fleet(running_cluster, scan_tasks, store)
    assert errors == {task.key: None for task in scan_tasks}


def test_killed_worker_loses_nothing(running_cluster, write_skills, tasks, store):
    scan_tasks = tasks(write_slow_skills(write_skills, 80))
    killed_pids = []

    def add_and_kill_a_worker(records):
        store.add(records)
        if not killed_pids:
            killed_pids.extend(running_cluster.worker_pids()[:1])
            os.kill(killed_pids[0], signal.SIGKILL)

    errors = run_fleet(running_cluster, scan_tasks, store, add_and_kill_a_worker)
    assert killed_pids
    assert errors == {task.key: None for task in scan_tasks}


def test_skill_that_kills_workers_is_isolated(running_cluster, write_skills, tasks, store):
    scan_tasks = tasks(write_skills(2, s001="please kill my worker"))  # Each kill costs the import of a new worker.
    errors = run_fleet(running_cluster, scan_tasks, store)
    assert errors == {task.key: None for task in scan_tasks}, "alone in a local process, the skill must do no harm"


def test_local_restart_continues_after_killed_scheduler(running_cluster, write_skills, tmp_path):
    folder = write_skills(60)
    for path in folder.glob("*/SKILL.md"):
        path.write_text(
            path.read_text() + "\n\nWrite down each bird that you see, its place and the hour of the day." * 40
        )
    store = tmp_path / "results.jsonl"
    command = [sys.executable, str(ROOT / "tune_skill.py"), "fleet", str(folder), "--store", str(store)]
    killer = threading.Thread(target=kill_after_first_results, args=(store, running_cluster.scheduler))
    killer.start()
    first_run = subprocess.run(
        [*command, "--scheduler", running_cluster.address],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=TIMEOUT_SECONDS,
        check=False,
    )
    killer.join()
    stored_count = len(store.read_bytes().splitlines())
    assert (first_run.returncode, 0 < stored_count < 60) == (4, True), first_run.stderr
    assert (
        f"the scheduler at {running_cluster.address} cannot be reached; {stored_count} of 60 skills are done"
        in first_run.stderr
    )
    second_run = subprocess.run(
        command, cwd=tmp_path, capture_output=True, text=True, timeout=TIMEOUT_SECONDS, check=False
    )
    assert f"{60 - stored_count} diagnosed now" in second_run.stdout, second_run.stderr
    assert "60 skills: " in second_run.stdout
    paths = Counter(line.split(b'"', 8)[7] for line in store.read_bytes().splitlines())
    assert (len(paths), set(paths.values())) == (60, {1})


def kill_after_first_results(store, scheduler):
    """Kill the scheduler after the first results, or after TIMEOUT_SECONDS."""
    for _ in range(TIMEOUT_SECONDS * 50):
        if store.exists() and store.stat().st_size:
            break
        time.sleep(0.02)
    scheduler.kill()
