"""Test that signals interrupt the work of an event loop, and that a result which was paid for is returned."""

import asyncio
import os
import signal
import subprocess
import sys
import time

import pytest

from orchestrator.model import loop
from orchestrator.signals import get_exit_code, interrupt_on_ending_signals


async def work_until_signalled(events, result):
    try:
        os.kill(os.getpid(), signal.SIGTERM)
        os.kill(os.getpid(), signal.SIGTERM)
        await asyncio.sleep(60)
    except asyncio.CancelledError:
        await asyncio.sleep(0.05)  # Real work ends its child processes here.
        events.append("ended")
        if result is None:
            raise
    return result


def test_signal_interrupts_after_the_work_has_ended():
    events = []
    with interrupt_on_ending_signals():
        with pytest.raises(KeyboardInterrupt):
            loop.run(work_until_signalled(events, None))
        assert get_exit_code() == 128 + signal.SIGTERM
        assert events == ["ended"]
        time.sleep(0.05)
    assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL


def test_second_ctrl_c_within_two_seconds_does_not_prevent_the_end_of_the_work():
    """The work ends its child processes and removes their folders, then the caller saves what was paid for."""
    events = []

    async def work():
        try:
            os.kill(os.getpid(), signal.SIGINT)
            await asyncio.sleep(60)
        finally:
            os.kill(os.getpid(), signal.SIGINT)
            await asyncio.sleep(0.05)
            events.append("ended")

    with interrupt_on_ending_signals():
        try:
            loop.run(work())
        except KeyboardInterrupt:
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(0.05)
            events.append("saved")
        assert get_exit_code() == 0
    assert events == ["ended", "saved"]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


@pytest.mark.parametrize("method", ["__init__", "close"])
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_signal_while_the_loop_is_made_or_closed_interrupts_without_a_traceback(method, number):
    """In a process of its own, because Python reports what is left half made only at the end."""
    script = f"""
import asyncio.base_events, os
from orchestrator.model.loop import run
from orchestrator.signals import get_exit_code, interrupt_on_ending_signals

loop_class = asyncio.base_events.BaseEventLoop
original = loop_class.{method}

def interrupt(loop):
    os.kill(os.getpid(), {number:d})
    original(loop)

async def work():
    print("worked")

loop_class.{method} = interrupt
with interrupt_on_ending_signals():
    try:
        run(work())
        import time; time.sleep(5)
    except KeyboardInterrupt:
        print("interrupted", get_exit_code())
"""
    result = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    worked = ["worked"] if method == "close" else []
    code = 0 if number == signal.SIGINT else 128 + number
    assert (result.stderr, result.stdout.splitlines()) == ("", [*worked, f"interrupted {code}"])


def test_signal_at_the_end_interrupts_after_the_result_is_returned(monkeypatch):
    monkeypatch.setattr(loop, "_SAVING_SECONDS", 0.2)
    with interrupt_on_ending_signals():
        results = []
        with pytest.raises(KeyboardInterrupt):
            results.append(loop.run(work_until_signalled([], "paid")))
            time.sleep(30)
        assert results == ["paid"]


def test_delayed_signal_takes_effect_before_new_work_begins():
    with interrupt_on_ending_signals():
        assert loop.run(work_until_signalled([], "result")) == "result"
        start = time.monotonic()
        with pytest.raises(KeyboardInterrupt):
            loop.deliver_delayed()
            time.sleep(0.01)
        assert time.monotonic() - start < loop._SAVING_SECONDS / 2
        loop.deliver_delayed()
        time.sleep(1.2 * loop._SAVING_SECONDS)
