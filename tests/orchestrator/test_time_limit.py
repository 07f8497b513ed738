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

interrupt_after_50_ms = partial(limit_time, 0.05)
run_for_50_ms = partial(run_limited, seconds=0.05)


def loop_forever(case):
    while True:
        pass


@pytest.fixture
def endless_check(monkeypatch):
    """Let the check of AGT-001 run forever."""
    monkeypatch.setattr("actions.patterns.agents.agt_001_unguarded_agent.check", loop_forever)


def test_slow_code_is_interrupted():
    with pytest.raises(TimeoutError, match=r"not finished within 0\.05 s"), interrupt_after_50_ms():
        loop_forever(None)


def test_fast_code_and_later_code_are_not_interrupted():
    before = signal.getsignal(signal.SIGPROF)
    with limit_time():
        pass
    assert signal.getitimer(signal.ITIMER_PROF) == (0.0, 0.0)
    assert signal.getsignal(signal.SIGPROF) == before


def run_in_another_thread(work):
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(work).result(timeout=60)


def test_slow_code_is_interrupted_in_another_thread():
    def work():
        with interrupt_after_50_ms():
            loop_forever(None)

    with pytest.raises(TimeoutError, match=r"not finished within 0\.05 s"):
        run_in_another_thread(work)


def test_time_limit_in_another_thread_interrupts_only_its_block():
    def work():
        for loops in range(0, 20_000, 100):
            with suppress(TimeoutError), limit_time(0.0002):
                sum(range(loops))
        return sum(range(1_000_000))

    assert run_in_another_thread(work) == 499_999_500_000


def test_endless_pattern_fails_alone_in_another_thread(endless_check):
    case = replace(make_case("Read [it](gone.md).\n"), limited=run_for_50_ms)
    result = run_in_another_thread(lambda: scan(case))
    assert result.failed == {"AGT-001": "TimeoutError: not finished within 0.05 s"}
    assert [finding.pattern.id for finding in result.findings] == ["SPEC-005"]


def test_slow_expression_is_interrupted_in_the_main_thread():
    worker, messages = MainThread(), []

    def work():
        try:
            run_limited(lambda: re.fullmatch(r"(a+)+", "a" * 60 + "b"), 0.05)
        except TimeoutError as error:
            messages.append(str(error))
        finally:
            worker.end()

    lend_main_thread(worker.run_for_thread)
    try:
        thread = threading.Thread(target=work)
        thread.start()
        worker.serve()
        thread.join(timeout=60)
        run_limited(lambda: messages.append("after the end"), 5.0)
    finally:
        lend_main_thread(None)
    assert messages == ["not finished within 0.05 s", "after the end"]


def test_main_thread_that_ends_leaves_its_work_to_the_threads():
    worker, results = MainThread(), []
    worker.end()
    worker.serve()
    run_in_another_thread(lambda: worker.run_for_thread(lambda: results.append(1)))
    late_worker = MainThread()
    pool = ThreadPoolExecutor(1)
    job = pool.submit(lambda: late_worker.run_for_thread(lambda: results.append(2)))
    while late_worker._jobs.empty():
        pass
    late_worker.end()
    late_worker.serve()
    job.result(timeout=60)
    pool.shutdown()
    assert results == [1, 2]


@pytest.mark.parametrize(("language", "text"), [("bash", "():\n" * 30_000), ("python", "~:\n" * 3_000)])
def test_slow_parser_is_interrupted_once(language, text):
    code, start = Code(find_language(language), text), time.process_time()
    with pytest.raises(TimeoutError):
        run_limited(lambda: list(code.nodes("comment")), 0.3)
    assert time.process_time() - start < 0.8, "the whole text takes a second and more"
    assert list(code.nodes("comment")) == []


def test_endless_pattern_fails_alone(endless_check):
    result = scan(replace(make_case("Read [it](gone.md).\n"), limited=run_for_50_ms))
    assert result.failed == {"AGT-001": "TimeoutError: not finished within 0.05 s"}
    assert [finding.pattern.id for finding in result.findings] == ["SPEC-005"]


def test_skill_with_a_timeout_reports_it_and_does_not_pass(endless_check, monkeypatch, tmp_path):
    monkeypatch.delenv("TUNE_SKILL_STRICT")
    (row,) = scan_units([str(write_skill(tmp_path / "plover"))], ScanOptions(time_limit=run_for_50_ms))
    (note,) = row.notes
    assert note.startswith("AGT-001 failed: TimeoutError: not finished within 0.05 s; ")
    assert row.gate is Gate.REVIEW
