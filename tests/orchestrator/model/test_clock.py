"""Test that time in which the process is stopped (Ctrl-Z) counts against no time limit, and that no answer is lost."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.orchestrator.model.questions import answer_with_birds
from tests.scripted_api import Reply

ROOT = Path(__file__).parents[3]

_WAIT = """
import asyncio
from orchestrator.model import clock
from orchestrator.model.loop import run

clock._TICK_SECONDS, clock._GAP_SECONDS = 0.1, 1.0

async def wait():
    print("begin", flush=True)
    async with asyncio.timeout(1.5):
        await asyncio.sleep(0.5)
    try:
        async with asyncio.timeout(0.2):
            await asyncio.sleep(60)
    except TimeoutError:
        print("ended")

run(wait())
"""
_COMMAND = """
import sys
from orchestrator.model.loop import run
from orchestrator.tuning.trial.sandbox import choose_folder, create_bare_sandbox

sandbox = create_bare_sandbox(choose_folder(), ())
print("begin", flush=True)
print(run(sandbox.run(f"touch {sys.argv[1]}; sleep 4; echo done", 3)))
sandbox.remove()
"""
_ASK = """
from orchestrator.model.client import send_query
from orchestrator.model.loop import run
from orchestrator.model.query import Query
from tests.orchestrator.model.questions import SCHEMA

print("begin", flush=True)
print(run(send_query(Query("How many birds?", SCHEMA, "", 1.0, 8, 4000))).value)
"""


def start(code, *arguments):
    process = subprocess.Popen(
        [sys.executable, "-c", code, *arguments], cwd=ROOT, stdout=subprocess.PIPE, text=True, start_new_session=True
    )
    assert process.stdout.readline() == "begin\n"
    return process


def wait_until(condition):
    while not condition():
        time.sleep(0.05)


def stop_for(process, seconds):
    os.killpg(process.pid, signal.SIGSTOP)
    time.sleep(seconds)
    os.killpg(process.pid, signal.SIGCONT)


def test_time_limit_does_not_count_a_stop():
    process = start(_WAIT)
    stop_for(process, 2.0)
    assert (process.communicate(timeout=30)[0], process.returncode) == ("ended\n", 0)


@pytest.mark.usefixtures("api")
@pytest.mark.parametrize(("seconds", "end"), [(5, "output='done\\n', exceeded=''"), (0, "exceeded='time'")])
def test_limit_of_a_supervised_program_does_not_count_a_stop(tmp_path, seconds, end):
    """The limit is three seconds, and the program takes four."""
    process = start(_COMMAND, str(tmp_path / "started"))
    wait_until((tmp_path / "started").exists)
    stop_for(process, seconds)
    assert end in process.communicate(timeout=30)[0]


@pytest.mark.slow
def test_answer_to_a_question_survives_a_stop_and_is_paid_once(api):
    """Claude Code is stopped as well, and must not send its request again because of the time that passed."""
    api.script = lambda _: Reply((answer_with_birds(3),), delay=1.0)
    process = start(_ASK)
    wait_until(lambda: api.model_requests)
    stop_for(process, 10.0)
    assert process.communicate(timeout=60)[0] == "{'birds': 3}\n"
    assert len(api.model_requests) == 1
