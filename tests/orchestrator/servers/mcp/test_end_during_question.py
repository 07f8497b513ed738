"""Test that a server that ends during a question books what the command line books, whatever ends it."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from orchestrator.model.consent import save_consent
from tests.orchestrator.model.conftest import api, list_processes  # noqa: F401 - fixtures
from tests.orchestrator.servers.mcp.conftest import PROGRAM
from tests.orchestrator.servers.mcp.talks import get_runs_folder
from tests.orchestrator.servers.mcp.test_connection import INITIALIZE_MESSAGES, make_call, send, start_server
from tests.scripted_api import Reply

pytestmark = pytest.mark.slow


@pytest.fixture
def wait_for_question(api):  # noqa: F811
    """Let each answer of the model hang. Return a function that waits for a question."""
    api.script = lambda request: Reply(delay=300)

    def wait():
        deadline, count = time.monotonic() + 60, len(api.model_requests)
        while len(api.model_requests) == count:
            assert time.monotonic() < deadline
            time.sleep(0.05)

    yield wait
    temp = Path(os.environ["TMPDIR"])
    for process in list_processes(temp):  # without `setpriv`, it goes on after SIGKILL
        os.kill(int(process), signal.SIGKILL)
    while list_processes(temp):
        time.sleep(0.05)
    for folder in temp.glob("tune-skill-judge-*"):
        shutil.rmtree(folder)


def read_booked(project):
    """Return the cost that is booked for the newest run of a project, in USD."""
    file = max(get_runs_folder(project).glob("*/judge/paid.json"), key=lambda file: file.stat().st_mtime_ns)
    return json.loads(file.read_bytes())["usd"]


def interrupt_command(project, wait):
    """Interrupt a command during the same question."""
    command = [sys.executable, "-c", PROGRAM, "run", "plover", "--judge", "sdk", "--apply", "none", "--no-sessions"]
    process = subprocess.Popen(command, cwd=project, stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    wait()
    process.send_signal(signal.SIGINT)
    process.wait(30)


@pytest.mark.parametrize("end", ["close", signal.SIGTERM, signal.SIGINT, signal.SIGKILL])
def test_server_that_ends_during_a_question_books_what_a_command_books(project, wait_for_question, end):
    save_consent(allowed=True)
    with start_server(project) as server:
        send(server, *INITIALIZE_MESSAGES, make_call(2, "diagnose", skill="plover"))
        wait_for_question()
        server.stdin.close() if end == "close" else server.send_signal(end)
        server.wait(30)
    booked = read_booked(project)
    interrupt_command(project, wait_for_question)
    assert booked == read_booked(project)
    assert booked > 0.8, "the longest answer costs 0.80 USD"
