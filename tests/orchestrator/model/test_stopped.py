"""Test that a command stopped during a query ends at once, keeps earlier answers and leaves no process."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from orchestrator.cli import main
from tests.fakes import add_large_references, write_skill
from tests.orchestrator.model.conftest import processes_of
from tests.scripted_api import Reply, nothing_found

FRONT_DOOR = Path(__file__).parents[3] / "tune_skill.py"


@pytest.fixture
def command(tmp_path):
    """Yield a function that starts the real command in a project with one skill; kill its remaining processes."""
    add_large_references(
        write_skill(tmp_path / "plover", "Count the birds.\n\nRead all files of the repository before you begin.\n")
    )
    started = []

    def run(*arguments):
        process = subprocess.Popen(
            [sys.executable, str(FRONT_DOOR), *arguments], cwd=tmp_path, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
        )  # fmt: skip
        started.append(process)
        return process

    yield run
    for process in started:
        if process.poll() is None:
            process.kill()
        process.communicate()


def until(is_so, seconds=60.0):
    end = time.monotonic() + seconds
    while not is_so():
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.05)


def temp() -> Path:
    return Path(os.environ["TMPDIR"])


@pytest.mark.slow
@pytest.mark.usefixtures("short_way")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL])
def test_stopped_run_keeps_answers_and_asks_the_rest(command, api, tmp_path, monkeypatch, number):
    hung = []

    def script(request):
        if len(api.asked) > 1:
            hung.append(request)
            return Reply(delay=300)
        return nothing_found(request)

    api.script = script
    run = command("run", "plover", "--judge", "sdk", "--apply", "none", "--no-sessions", "--work-dir", "work",
                  "--focus", "context,memory,agent")  # fmt: skip
    answered, cut_off = 1, 2
    until(lambda: len(hung) == cut_off)
    until(lambda: len(list((tmp_path / "work" / "judge").glob("?" * 64 + ".json"))) == answered)
    run.send_signal(number)
    _, said = run.communicate(timeout=60)
    if number == signal.SIGKILL:
        os.killpg(run.pid, signal.SIGKILL)  # Claude Code waits for the hanging answer
    else:
        assert run.returncode == 128 + number
        assert "resume" in said
        until(lambda: not processes_of(temp()), 10)
        assert not list(temp().iterdir())

    before = len(api.asked)
    api.script = nothing_found
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit) as ended:
        main(["resume", "work"])
    assert ended.value.code in (None, 0, 1)
    state = json.loads((tmp_path / "work" / "state.json").read_bytes())
    assert state["phase"] == "completed"
    asked = len(api.asked) - before
    assert state["cost"]["queries"] == answered + cut_off + asked, "what the stopped command paid is in the state"
    assert not {_said(r) for r in api.asked[:answered]} & {_said(r) for r in api.asked[before:]}
    for folder in temp().glob("tune-skill-judge-*"):  # the processes that SIGKILL left
        shutil.rmtree(folder)


def _said(request):
    return json.dumps(request["messages"][0])


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_signalled_command_ends_its_queries_first(command, api, number):
    hung = []
    api.script = lambda request: hung.append(request) or Reply(delay=300)
    run = command("diagnose", "plover", "--judge", "sdk")
    until(lambda: hung)
    run.send_signal(number)
    run.send_signal(number)
    run.communicate(timeout=60)
    assert run.returncode == 128 + number
    until(lambda: not processes_of(temp()), 10)
    assert not list(temp().iterdir())
