"""Test that a command stopped during a query ends at once, keeps earlier answers and leaves no process."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from orchestrator.cli import main
from orchestrator.model import program
from tests.fakes import add_large_references, write_skill
from tests.orchestrator.model.conftest import list_processes
from tests.scripted_api import Reply, answer_minimally

PROGRAM = Path(__file__).parents[3] / "tune_skill.py"


@pytest.fixture
def start_command(tmp_path):
    """Yield a function that starts the real command in a project with one skill; kill its remaining processes."""
    add_large_references(
        write_skill(tmp_path / "plover", "Count the birds.\n\nRead all files of the repository before you begin.\n")
    )
    processes = []

    def start(*arguments):
        process = subprocess.Popen(
            [sys.executable, str(PROGRAM), *arguments], cwd=tmp_path, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
        )  # fmt: skip
        processes.append(process)
        return process

    yield start
    for process in processes:
        if process.poll() is None:
            process.kill()
        process.communicate()


def wait_until(condition, seconds=60.0):
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "timed out"
        time.sleep(0.05)


def get_temp_folder() -> Path:
    return Path(os.environ["TMPDIR"])


@pytest.mark.slow
@pytest.mark.usefixtures("one_start_per_schema")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_stopped_run_keeps_answers_and_asks_the_rest(start_command, api, tmp_path, monkeypatch, number):
    hanging_requests = []

    def script(request):
        if len(api.model_requests) > 1:
            hanging_requests.append(request)
            return Reply(delay=300)
        return answer_minimally(request)

    api.script = script
    run = start_command("run", "plover", "--judge", "sdk", "--apply", "none", "--no-sessions", "--work-dir", "work",
                  "--focus", "context,memory,agent")  # fmt: skip
    answered_count, interrupted_count = 1, 2
    wait_until(lambda: len(hanging_requests) == interrupted_count)
    wait_until(lambda: len(list((tmp_path / "work" / "judge").glob("?" * 64 + ".json"))) == answered_count)
    run.send_signal(number)
    _, stderr = run.communicate(timeout=60)
    if number == signal.SIGKILL and program._find_setpriv() is None:
        for process in list_processes(get_temp_folder()):  # Claude Code waits for the hanging answer
            os.kill(int(process), signal.SIGKILL)
    wait_until(lambda: not list_processes(get_temp_folder()), 10)
    if number != signal.SIGKILL:
        assert run.returncode == 128 + number
        assert "resume" in stderr
        assert not list(get_temp_folder().iterdir())

    before = len(api.model_requests)
    api.script = answer_minimally
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit) as exit_info:
        main(["resume", "work"])
    assert exit_info.value.code in (None, 0, 1)
    state = json.loads((tmp_path / "work" / "state.json").read_bytes())
    assert state["phase"] == "completed"
    requests_after = len(api.model_requests) - before
    assert state["cost"]["queries"] == answered_count + interrupted_count + requests_after, (
        "the state lacks queries of the stopped command"
    )
    assert not {_get_first_message(r) for r in api.model_requests[:answered_count]} & {
        _get_first_message(r) for r in api.model_requests[before:]
    }
    for folder in get_temp_folder().glob("tune-skill-judge-*"):
        shutil.rmtree(folder)


def _get_first_message(request):
    return json.dumps(request["messages"][0])


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_signalled_command_ends_its_queries_first(start_command, api, number):
    hanging_requests = []
    api.script = lambda request: hanging_requests.append(request) or Reply(delay=300)
    run = start_command("diagnose", "plover", "--judge", "sdk")
    wait_until(lambda: hanging_requests)
    run.send_signal(number)
    run.send_signal(number)
    _, stderr = run.communicate(timeout=60)
    assert run.returncode == 128 + number
    paid = r"tune-skill: interrupted; at most about 0\.\d*[1-9]\d* USD were paid; no answer is kept"
    assert re.fullmatch(paid, stderr.splitlines()[-1]), "it says what was paid"
    wait_until(lambda: not list_processes(get_temp_folder()), 10)
    assert not list(get_temp_folder().iterdir())
