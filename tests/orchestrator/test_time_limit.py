"""Test that a pattern that takes too long fails, and that its skill does not pass the gate."""

import re
import signal
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial

import pytest
from msgspec.structs import replace

from actions.code.languages import find_language
from actions.code.tree import Code
from actions.scoring.scan import scan
from orchestrator.engine.main_thread import MainThread
from orchestrator.engine.scan import scan_units
from orchestrator.engine.units import ScanOptions
from orchestrator.time_limit import lend_main_thread, limit_time, run_limited
from schemas.vocabulary import Gate
from tests.fakes import make_case, write_skill

SHORT = partial(limit_time, 0.05)
SHORTLY = partial(run_limited, seconds=0.05)


def forever(case):
    while True:
        pass


@pytest.fixture
def stuck(monkeypatch):
    """Let the check of AGT-001 run forever."""
    monkeypatch.setattr("actions.patterns.agents.agt_001_unguarded_agent.check", forever)


def test_slow_code_is_interrupted():
    with pytest.raises(TimeoutError, match=r"not finished within 0\.05 s"), SHORT():
        forever(None)


def test_fast_code_and_later_code_are_not_interrupted():
    before = signal.getsignal(signal.SIGPROF)
    with limit_time():
        pass
    assert signal.getitimer(signal.ITIMER_PROF) == (0.0, 0.0)
    assert signal.getsignal(signal.SIGPROF) == before


def in_another_thread(work):
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(work).result(timeout=60)


def test_slow_code_is_interrupted_in_another_thread():
    def work():
        with SHORT():
            forever(None)

    with pytest.raises(TimeoutError, match=r"not finished within 0\.05 s"):
        in_another_thread(work)


def test_an_interrupt_in_another_thread_stays_in_its_block():
    def work():
        for loops in range(0, 20_000, 100):
            with suppress(TimeoutError), limit_time(0.0002):
                sum(range(loops))
        return sum(range(1_000_000))

    assert in_another_thread(work) == 499_999_500_000


def test_endless_pattern_fails_alone_in_another_thread(stuck):
    case = replace(make_case("Read [it](gone.md).\n"), limited=SHORTLY)
    found = in_another_thread(lambda: scan(case))
    assert found.failed == {"AGT-001": "TimeoutError: not finished within 0.05 s"}
    assert [finding.pattern.id for finding in found.findings] == ["SPEC-005"]


def test_slow_expression_of_a_thread_is_interrupted_in_the_main_thread():
    worker, found = MainThread(), []

    def work():
        try:
            run_limited(lambda: re.fullmatch(r"(a+)+", "a" * 60 + "b"), 0.05)
        except TimeoutError as error:
            found.append(str(error))
        finally:
            worker.end()

    lend_main_thread(worker.run_for_thread)
    try:
        thread = threading.Thread(target=work)
        thread.start()
        worker.serve()
        thread.join(timeout=60)
        run_limited(lambda: found.append("after the end"), 5.0)
    finally:
        lend_main_thread(None)
    assert found == ["not finished within 0.05 s", "after the end"]


def test_main_thread_that_ends_leaves_its_work_to_the_threads():
    worker, found = MainThread(), []
    worker.end()
    worker.serve()
    in_another_thread(lambda: worker.run_for_thread(lambda: found.append(1)))
    late = MainThread()
    pool = ThreadPoolExecutor(1)
    job = pool.submit(lambda: late.run_for_thread(lambda: found.append(2)))
    while late._jobs.empty():
        pass
    late.end()
    late.serve()
    job.result(timeout=60)
    pool.shutdown()
    assert found == [1, 2]


@pytest.mark.parametrize(("language", "text"), [("bash", "():\n" * 30_000), ("python", "~:\n" * 3_000)])
def test_slow_parser_is_interrupted_once(language, text):
    code, began = Code(find_language(language), text), time.process_time()
    with pytest.raises(TimeoutError):
        run_limited(lambda: list(code.nodes("comment")), 0.3)
    assert time.process_time() - began < 0.8, "the whole text takes a second and more"
    assert list(code.nodes("comment")) == []


def test_endless_pattern_fails_alone(stuck):
    found = scan(replace(make_case("Read [it](gone.md).\n"), limited=SHORTLY))
    assert found.failed == {"AGT-001": "TimeoutError: not finished within 0.05 s"}
    assert [finding.pattern.id for finding in found.findings] == ["SPEC-005"]


def test_row_reports_the_timeout_and_does_not_pass(stuck, monkeypatch, tmp_path):
    monkeypatch.delenv("TUNE_SKILL_STRICT")
    (row,) = scan_units([str(write_skill(tmp_path / "plover"))], ScanOptions(time_limit=SHORTLY))
    (note,) = row.notes
    assert note.startswith("AGT-001 failed: TimeoutError: not finished within 0.05 s; ")
    assert row.gate is Gate.REVIEW
