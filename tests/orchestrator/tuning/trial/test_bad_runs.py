"""Test runs that hang, fork, fill the disk, delete their folder, ask the user or fail, and the cost limit."""

import asyncio
import json
import os
import subprocess
import sys
import time
from contextlib import nullcontext, suppress

import pytest

from orchestrator.cli.trial import ensure_allowed
from orchestrator.errors import BadInput, Refused
from orchestrator.model import agent
from orchestrator.tuning.trial import sandbox as sandbox_module
from orchestrator.tuning.trial.consent import build_request
from orchestrator.tuning.trial.grants import remove_grants
from orchestrator.tuning.trial.ledger import Key, Ledger
from orchestrator.tuning.trial.paid_runs import PaidRuns
from orchestrator.tuning.trial.recording import remove_leftover
from orchestrator.tuning.trial.sandbox import Sandbox, choose_folder, create_sandbox, find_offline_command
from orchestrator.tuning.trial.tasks import Check, Task, read_tasks
from orchestrator.tuning.trial.versions import Version
from tests.orchestrator.tuning.trial.conftest import Player, processes_of, write_tasks
from tests.scripted_api import Reply, last_said, text, tool

VERSION = Version("today", (("SKILL.md", b"---\nname: greeter\ndescription: d\n---\nText.\n", False),))
TASK = Task("one", "Greet.", (Check("text", "please", {}),), "tasks.yaml:1")


@pytest.fixture
def place(tmp_path, api):
    made = create_sandbox(choose_folder(), TASK, VERSION, "greeter")
    yield made
    made.remove()


def run(place, command, seconds=20):
    return asyncio.run(place.run(command, seconds))


def test_command_that_hangs_is_stopped_with_its_processes(place, tmp_path):
    ended = run(place, "setsid sleep 1000 & sleep 1000", 1)
    assert ended.exceeded == "time"
    assert not processes_of(tmp_path / "temp")


def test_command_end_stops_its_background_processes(place, tmp_path):
    assert run(place, "setsid nohup sleep 1000 > /dev/null 2>&1 & exit 3").code == 3
    assert not processes_of(tmp_path / "temp")


def test_command_that_forks_without_end_is_stopped(place, tmp_path, monkeypatch):
    monkeypatch.setattr(sandbox_module, "MAX_PROCESSES", 20)
    assert run(place, "for i in $(seq 60); do sleep 1000 & done; wait").exceeded == "processes"
    assert not processes_of(tmp_path / "temp")


def test_command_that_fills_the_disk_is_stopped(place, monkeypatch):
    monkeypatch.setattr(sandbox_module, "MAX_BYTES", 3_000_000)
    many = "i=0; while true; do head -c 100000 /dev/zero > f$i; i=$((i+1)); done"
    assert run(place, many).exceeded == "disk"
    for file in place.project.glob("f*"):  # with a full disk, the next command would be stopped before it writes
        file.unlink()
    assert run(place, "head -c 9000000 /dev/zero > big").code != 0
    assert (place.project / "big").stat().st_size <= 3_000_000


def test_commands_of_checks_see_no_key_and_a_home_of_their_own(place, monkeypatch):
    for name in ("LANGFUSE_SECRET_KEY", "PATH_TOKEN", "USER_API_KEY", "SHELLKEY"):
        monkeypatch.setenv(name, "dummy")
    ended = run(place, "env; pwd")
    assert "dummy" not in ended.output
    assert f"HOME={place.home}" in ended.output
    assert ended.output.splitlines()[-1] == str(place.project)


def test_rubric_reads_outside_of_the_project_of_the_run(place):
    words = [place.write_question_launcher("/bin/sh", 5), "-c", "pwd; echo $HOME"]
    said = subprocess.run(words, capture_output=True, text=True, check=True).stdout
    assert said.split() == [str(place.base / "reader")] * 2


def test_run_that_deletes_its_folders_fails_and_leaves_nothing(project, api, trial):
    """One session asks the user, starts a process that outlives it, and deletes its home and its project."""

    def script(request):
        heard = last_said(request)
        if "wreck it" in heard:
            return tool("AskUserQuestion", questions=[{"question": "May I?", "header": "h", "options": []}])
        if "No such tool available" in heard:
            wreck = '(setsid sleep 1000 > /dev/null 2>&1 &); rm -rf "$HOME" ../project/* ../project/.claude'
            return tool("Bash", command=wreck)
        return text("please, done")

    api.script = script
    tasks = write_tasks(project, 1, prompt="wreck it", tools=["Bash"], checks=[{"file": "out.md"}, {"text": "please"}])
    code, out, err = trial("greeter", "--against", "old", "--tasks", tasks, "--runs", "2", "--yes", "--jobs", "2",
                           "--format", "json")  # fmt: skip
    result = json.loads(out)
    assert code == 0, err
    assert "Claude may use Bash" in err
    assert result["verdict"] == "not known"
    assert "was not used in any run" in result["why"]  # so it stops after the first analysis
    assert len(result["runs"]) == 2
    for one in result["runs"]:
        assert [check["passed"] for check in one["checks"]] == [False, True]


def test_run_shell_without_network_reaches_nothing(project, api, trial):
    port, heard = api.url.rpartition(":")[2], list[str]()

    def script(request):
        said = last_said(request)
        if "starts" not in said:
            return tool("Bash", command=f"echo starts; exec 3<>/dev/tcp/127.0.0.1/{port} && echo reached")
        heard.append(said)
        return text("please")

    api.script = script
    tasks = write_tasks(project, 1, tools=["Bash"], network=False)
    code, _, err = trial("greeter", "--against", "old", "--tasks", tasks, "--runs", "2", "--yes", "--jobs", "2")
    if "say network: true" in err:
        pytest.skip("this machine has no shell without a network")
    assert code == 0, err
    assert heard
    assert not [said for said in heard if "reached" in said or "not found" in said]


def test_unshare_is_never_taken_from_the_clone(tmp_path, monkeypatch):
    fake = tmp_path / "unshare"
    fake.write_text(f"#!/bin/sh\ntouch {tmp_path}/ran\n")
    fake.chmod(0o755)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", f".:{os.environ['PATH']}")
    find_offline_command.cache_clear()
    with suppress(BadInput):
        find_offline_command()
    assert not (tmp_path / "ran").exists()


def test_cleanup_removes_only_sandbox_folders(place, tmp_path):
    mine = tmp_path / "tune-skill-trial-0123456789abcdef"
    mine.mkdir()
    assert remove_leftover(Sandbox(mine))
    assert mine.is_dir()
    assert remove_leftover(place)
    assert not place.base.exists()


@pytest.mark.parametrize(
    ("head", "left"),
    [
        ("name: a\nallowed-tools: Bash\nhooks: {Stop: []}\n", '"name": "a"\n'),
        ('name: a\n"allowed_tools": [Bash]\n"\\x68ooks": {}\n', '"name": "a"\n'),
        (
            "<<: {hooks: {Stop: []}}\ndescription: 'Say: \"a\"\n\n  hooks: no'\n",
            '"description": "Say: \\"a\\"\\nhooks: no"\n',
        ),
    ],
)
def test_remove_grants_removes_hooks_and_allowed_tools(head, left):
    for start in ("", "\ufeff", "\r\n"):
        said = remove_grants(f"{start}---\n{head}---\n\nText ---\n".encode()).decode()
        assert said == f"---\n{left}---\n\nText ---\n"


def test_remove_grants_keeps_invalid_frontmatter():
    assert remove_grants(b"# A\n---\nhooks: a\n---\n") == b"# A\n---\nhooks: a\n---\n"
    for head in ("hooks: [\n---\n", "hooks: *a\n---\n", "hooks: a\n"):
        assert remove_grants(f"---\n{head}".encode()) == f"---\n---\n---\n{head}".encode()


def test_command_without_network_reaches_nothing(place, api):
    port = api.url.rpartition(":")[2]
    look = f"{sys.executable} -c \"import socket; socket.create_connection(('127.0.0.1', {port}))\""
    assert run(place, look).code == 0
    try:
        find_offline_command()
    except BadInput as refusal:
        assert "say network: true" in str(refusal)
    else:
        assert asyncio.run(place.run(look, 20, network=False)).code == 1


def test_commands_need_consent_once(project, api, trial, monkeypatch):
    tasks = write_tasks(project, 1, checks=[{"command": "true"}])
    code, _, err = trial("greeter", "--against", "old", "--tasks", tasks)
    assert code == 2
    assert "check: true" in err
    assert "pass --yes" in err
    assert not api.requests

    def allowed(tasks, skill, *, yes=False):
        ensure_allowed(tasks, build_request(tasks, ()), skill, yes=yes)

    asked = read_tasks(project / "greeter", tasks)
    allowed(asked, project / "greeter", yes=True)
    allowed(asked, project / "greeter")
    (project / "check.sh").write_text("true\n")
    script = {"checks": [{"command": "sh check.sh"}], "files": ["check.sh"]}
    allowed(read_tasks(project / "greeter", write_tasks(project, 1, **script)), project / "greeter", yes=True)
    (project / "check.sh").write_text("rm -r ~\n")
    others = read_tasks(project / "greeter", write_tasks(project, 1, **script))
    for tasks, skill in ((asked, project / "old"), (others, project / "greeter")):
        with pytest.raises(Refused):
            allowed(tasks, skill)


def test_hang_and_refusal_fail_the_run(project, api, replay, trial):
    replay.get_kind = lambda request: request.prompt

    def script(request):
        if "hang" in str(request["messages"][0]):
            return Reply((text("please"),), delay=4)
        return Reply((text("please"),), stop_reason="refusal")

    api.script = script
    file = project / "tasks.json"
    file.write_text(json.dumps({"tasks": [
        {"name": "hang", "prompt": "hang", "seconds": 2, "checks": [{"text": "please"}]},
        {"name": "refuse", "prompt": "refuse", "checks": [{"text": "please"}]},
    ]}))  # fmt: skip
    began = time.monotonic()
    _, out, err = trial("greeter", "--against", "old", "--tasks", str(file), "--runs", "2", "--jobs", "1", "--format",
                      "json")  # fmt: skip
    assert out, err
    assert time.monotonic() - began < 60
    runs = json.loads(out)["runs"]
    said = {run["task"]: run["checks"][-1]["why"] for run in runs}
    assert "not finished within 2 s" in said["hang"]
    assert said["refuse"] == "the model refused"
    assert not any(run["passed"] for run in runs)


def test_trial_stops_if_the_model_cannot_be_reached(project, api, trial, monkeypatch):
    statuses = iter([429, 529] * 20)
    api.script = lambda request: Reply(status=next(statuses), headers={"retry-after": "0"})
    tasks = write_tasks(project, 1)
    code, _, err = trial("greeter", "--against", "old", "--tasks", tasks, "--runs", "2")
    assert code == 4
    assert "repeat the command to continue" in err
    monkeypatch.setattr(agent, "run_session", Player().run_session)
    code, out, err = trial("greeter", "--against", "old", "--tasks", tasks, "--runs", "2", "--format", "json")
    assert "continuing " not in err  # no run was finished
    assert (code, json.loads(out)["after"]["succeeded"]) == (0, 2)


def test_cost_limit_stops_a_trial_midway(project, api, trial):
    good = api.script
    api.script = lambda request: Reply((good(request),), usage={"input_tokens": 40_000})  # 0.2 USD a turn
    code, out, err = trial("greeter", "--against", "old", "--tasks", write_tasks(project, 2), "--runs", "2",
                           "--max-cost-usd", "1.5", "--format", "json")  # fmt: skip
    result = json.loads(out)
    assert code == 0, err
    assert "too few runs for a result" in err
    assert result["why"].startswith("the cost limit of 1.50 USD is reached")
    assert 0 < result["cost"]["usd"] <= 1.5
    assert 0 < len(result["runs"]) < 8
    assert result["verdict"] == "not known"


@pytest.mark.parametrize("error", [OSError("too long"), ValueError("a defect"), KeyboardInterrupt()])
def test_sandbox_is_removed_if_it_cannot_be_set_up(tmp_path, error):
    def create(folder):
        create_sandbox(folder, TASK, VERSION, "greeter")
        raise error

    async def pay(runs):
        return await runs.run_within_limit(Key("one", 1, "today"), create, pytest.fail, pytest.fail)

    with Ledger.open(tmp_path / "trial") as ledger:
        with nullcontext() if isinstance(error, OSError) else pytest.raises(type(error)):
            assert asyncio.run(pay(PaidRuns("trial", ledger, print, 1.0, 10.0))) is None
        assert len(ledger.folders) == 1
        assert not any(folder.exists() for folder in ledger.folders)
        assert not ledger.started
