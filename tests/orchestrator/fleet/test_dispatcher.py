"""Test that a local fleet scans each skill once, even if some skills kill or block their process."""

import json
import os
import pickle
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

import schemas
from orchestrator.engine.units import ScanOptions
from orchestrator.errors import RunFailed
from orchestrator.fleet import scan_process
from orchestrator.fleet.dispatcher import Dispatcher, Limits
from orchestrator.fleet.process_pool import ProcessPool
from orchestrator.fleet.scan_task import make_task, run_task
from orchestrator.fleet.workers import Workers, start_local_workers
from tests.fakes import write_skill
from tests.orchestrator.fleet import poison

LIMITS = Limits(seconds=60, megabytes=1000)


def run_fleet(tasks, store, jobs=2, limits=LIMITS):
    """Run a fleet with harmful tasks; return the error of each skill, or "" for none."""
    with start_local_workers(jobs) as workers:
        Dispatcher(workers, store.add, limits, poison.run_task).scan_all(tasks)
    records = list(store.read(store.errors))
    for record in records:
        schemas.check("fleet_record", record)
    assert len(store.path.read_bytes().splitlines()) == len(records), "a skill was counted twice"
    return {os.path.basename(record["path"]): record["diagnosis"].get("error", "") for record in records}  # noqa: PTH119


def test_dispatcher_scans_each_skill_once(write_skills, tasks, store):
    errors_by_skill = run_fleet(tasks(write_skills(40)), store)
    assert errors_by_skill == {f"s{n:03d}": "" for n in range(40)}


def test_record_holds_diagnosis_files_and_passages(write_skills, tasks, store):
    folder = write_skills(1, s000="Do it.\n\n" + "Walk along the shore and write each bird down. " * 6)
    run_fleet(tasks(folder), store)
    record = next(store.read(store.errors))
    assert record["diagnosis"]["skill"] == {
        "name": "s000", "path": str(folder / "s000"), "execution_mode": "sequential"
    }  # fmt: skip
    assert [file["path"] for file in record["files"]] == ["SKILL.md"]
    assert [(p["line"], p["begins"][:10]) for p in record["passages"]] == [(11, "Walk along")]


HARMFUL_TEXTS = {
    "s002": ("please hang", "took longer than 3 s"),
    "s005": ("please sleep", "took longer than 3 s"),
    "s009": ("please eat memory", "needs more than 500 MB of memory"),
    "s013": ("please die", "the process that diagnosed the skill was killed by signal 9"),
    "s017": ("please fail", "internal error: ValueError: a task that fails"),
}


@pytest.mark.slow
def test_harmful_skill_fails_alone(write_skills, tasks, store):
    texts, errors = ({name: text_and_error[n] for name, text_and_error in HARMFUL_TEXTS.items()} for n in (0, 1))
    errors_by_skill = run_fleet(tasks(write_skills(20, **texts)), store, limits=Limits(3, 500))
    assert errors_by_skill == {f"s{n:03d}": errors.get(f"s{n:03d}", "") for n in range(20)}


def test_printed_output_is_not_taken_for_a_result(write_skills, tasks, store):
    assert run_fleet(tasks(write_skills(2, s001="please print")), store) == {"s000": "", "s001": ""}


def test_killed_process_loses_nothing(write_skills, tasks, store, tmp_path, monkeypatch):
    markers = tmp_path / "markers"
    markers.mkdir()
    monkeypatch.setenv(poison.MARKERS, str(markers))
    errors_by_skill = run_fleet(
        tasks(write_skills(20, **dict.fromkeys(("s003", "s007", "s008"), "please die once"))), store
    )
    assert {marker.name for marker in markers.iterdir()} == {"s003", "s007", "s008"}
    assert errors_by_skill == {f"s{n:03d}": "" for n in range(20)}


class FragileExecutor:
    """An executor whose worker dies at each batch that contains a bad skill."""

    def __init__(self, bad):
        self.bad, self.sizes, self.pool = bad, [], ProcessPool()

    def __call__(self, version, seconds, megabytes, packed):
        self.sizes.append(len(packed))
        if any(self.bad in data for data in packed):
            raise OSError("the worker died")
        return self.pool.scan_packed(version, seconds, megabytes, packed)


def test_failing_batch_is_halved_to_one_local_skill(write_skills, tasks, store):
    fragile = FragileExecutor(b"flock/s005")
    scan_tasks = tasks(write_skills(16))
    with ThreadPoolExecutor(1) as executor:
        try:
            Dispatcher(Workers(executor, fragile, lambda: 1), store.add, LIMITS, poison.run_task).scan_all(scan_tasks)
        finally:
            fragile.pool.close()
    assert sorted(fragile.sizes, reverse=True) == [16, 8, 8, 4, 4, 2, 2, 1, 1]
    assert len(store.errors) == 16
    assert set(store.errors.values()) == {None}, "alone in a local process, the skill must do no harm"


def test_other_version_on_a_worker_stops_the_run(write_skills, tasks, store):
    pool = ProcessPool()

    def scan_with_another_version(version, *rest):
        return pool.scan_packed("0.0.1", *rest)

    with (
        ThreadPoolExecutor(1) as executor,
        pytest.raises(RunFailed, match=r"a worker has tune-skill .*, but this is 0\.0\.1"),
    ):
        Dispatcher(Workers(executor, scan_with_another_version, lambda: 1), store.add, LIMITS).scan_all(
            tasks(write_skills(2))
        )


def test_worker_without_tune_skill_stops_the_run(write_skills, tasks, store):
    def raise_import_error(*_):
        raise ModuleNotFoundError("No module named 'tune_skill'")

    with ThreadPoolExecutor(1) as executor, pytest.raises(RunFailed, match="install it where the workers run"):
        Dispatcher(Workers(executor, raise_import_error, lambda: 1), store.add, LIMITS).scan_all(tasks(write_skills(2)))
    assert not store.errors


def test_records_arrive_before_the_run_ends(write_skills, tasks, store):
    batch_sizes = []

    def add_and_count(records):
        batch_sizes.append(len(records))
        store.add(records)

    with start_local_workers(1) as workers:
        Dispatcher(workers, add_and_count, LIMITS).scan_all(tasks(write_skills(40)))
    assert batch_sizes == [16, 16, 8]
    assert [json.loads(line)["path"][-4:] for line in store.path.read_text().splitlines()][:2] == ["s000", "s001"]


def test_record_of_a_real_skill_meets_its_schema(tmp_path):
    """The record of a skill with passages of every length is valid, so a restart can read it."""
    passages = [" ".join(f"word{n}" for n in range(length)) for length in (20, 30, 39, 40, 80)]
    skill = write_skill(tmp_path / "plover", "\n\n".join(passages) + "\n", refs__more="# More\n\n" + "字" * 100 + "\n")
    record = run_task(make_task(skill, ScanOptions()))
    schemas.check("fleet_record", json.loads(json.dumps(record)))
    assert sorted(row["words"] for row in record["passages"]) == [40, 50, 80]


def test_process_of_a_killed_fleet_ends_without_a_traceback():
    command = [sys.executable, scan_process.__file__, "10", "2000"]
    read_end, write_end = os.pipe()
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=write_end, stderr=subprocess.PIPE)
    os.close(read_end)
    os.close(write_end)
    assert process.communicate(pickle.dumps((len, "ab")))[1] == b""
    assert process.returncode == 0
