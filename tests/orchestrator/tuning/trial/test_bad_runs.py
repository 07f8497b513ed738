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
from tests.orchestrator.tuning.trial.conftest import Player, list_processes, write_tasks
from tests.scripted_api import Reply, get_last_user_text, text_block, tool_call

VERSION = Version("today", (("SKILL.md", b"---\nname: greeter\ndescription: d\n---\nText.\n", False),))
TASK = Task("one", "Greet.", (Check("text", "please", {}),), "tasks.yaml:1")


@pytest.fixture
def sandbox(tmp_path, api):
    new_sandbox = create_sandbox(choose_folder(), TASK, VERSION, "greeter")
    yield new_sandbox
    new_sandbox.remove()


def run_in_sandbox(sandbox, command, seconds=20):
    return asyncio.run(sandbox.run(command, seconds))


def test_command_that_hangs_is_stopped_with_its_processes(sandbox, tmp_path):
    result = run_in_sandbox(sandbox, "setsid sleep 1000 & sleep 1000", 1)
    assert result.exceeded == "time"
    assert not list_processes(tmp_path / "temp")


def test_command_end_stops_its_background_processes(sandbox, tmp_path):
    assert run_in_sandbox(sandbox, "setsid nohup sleep 1000 > /dev/null 2>&1 & exit 3").code == 3
    assert not list_processes(tmp_path / "temp")


def test_command_that_forks_without_end_is_stopped(sandbox, tmp_path, monkeypatch):
    monkeypatch.setattr(sandbox_module, "MAX_PROCESSES", 20)
    assert run_in_sandbox(sandbox, "for i in $(seq 60); do sleep 1000 & done; wait").exceeded == "processes"
    assert not list_processes(tmp_path / "temp")


def test_command_that_fills_the_disk_is_stopped(sandbox, monkeypatch):
    monkeypatch.setattr(sandbox_module, "MAX_BYTES", 3_000_000)
    fill_disk = "i=0; while true; do head -c 100000 /dev/zero > f$i; i=$((i+1)); done"
    assert run_in_sandbox(sandbox, fill_disk).exceeded == "disk"
    for file in sandbox.project.glob("f*"):  # With a full disk, the next command would be stopped before it writes.
        file.unlink()
    assert run_in_sandbox(sandbox, "head -c 9000000 /dev/zero > big").code != 0
    assert (sandbox.project / "big").stat().st_size <= 3_000_000


def test_commands_of_checks_have_their_own_home_and_no_key(sandbox, monkeypatch):
    for name in ("LANGFUSE_SECRET_KEY", "PATH_TOKEN", "USER_API_KEY", "SHELLKEY"):
        monkeypatch.setenv(name, "dummy")
    result = run_in_sandbox(sandbox, "env; pwd")
    assert "dummy" not in result.output
    assert f"HOME={sandbox.home}" in result.output
    assert result.output.splitlines()[-1] == str(sandbox.project)


def test_rubric_reads_outside_of_the_project_of_the_run(sandbox):
    command = [sandbox.write_question_launcher("/bin/sh", 5), "-c", "pwd; echo $HOME"]
    output = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert output.split() == [str(sandbox.base / "reader")] * 2


def test_run_that_deletes_its_folders_fails_and_leaves_no_process(project, api, run_trial_command):
    """One session asks the user, starts a process that outlives it, and deletes its home and its project."""

    def script(request):
        last_text = get_last_user_text(request)
        if "wreck it" in last_text:
            return tool_call("AskUserQuestion", questions=[{"question": "May I?", "header": "h", "options": []}])
        if "No such tool available" in last_text:
            wreck = '(setsid sleep 1000 > /dev/null 2>&1 &); rm -rf "$HOME" ../project/* ../project/.claude'
            return tool_call("Bash", command=wreck)
        return text_block("please, done")

    api.script = script
    tasks = write_tasks(project, 1, prompt="wreck it", tools=["Bash"], checks=[{"file": "out.md"}, {"text": "please"}])
    code, out, err = run_trial_command("greeter", "--against", "old", "--tasks", tasks, "--runs", "2", "--yes", "--jobs", "2",
                           "--format", "json")  # fmt: skip
    result = json.loads(out)
    assert code == 0, err
    assert "Claude may use Bash" in err
    assert result["verdict"] == "not known"
    assert "was not used in any run" in result["why"]  # So the trial stops after the first analysis.
    assert len(result["runs"]) == 2
    for run in result["runs"]:
        assert [check["passed"] for check in run["checks"]] == [False, True]


@pytest.mark.parametrize(("texts", "word"), [([], "has no known result"), (["Hello"], "failed")])
def test_run_ended_by_its_time_limit_names_it(project, player, monkeypatch, run_trial_command, texts, word):
    """Without any answer of the model, the run says nothing about the skill."""

    async def run_session(request):
        return agent.Session(texts=texts).fail("not finished within 300 s")

    monkeypatch.setattr(agent, "run_session", run_session)
    tasks = write_tasks(project, 2)
    code, out, err = run_trial_command(
        "greeter", "--against", "old", "--tasks", tasks, "--runs", "2", "--yes", "--format", "json"
    )
    assert code == 0, err
    result = json.loads(out)
    assert f"{word} (0 s, " in err
    assert "USD in all): the run itself: not finished within 300 s" in err
    assert {run["checks"][0]["label"] for run in result["runs"]} == {"the run itself"}
    assert ("was not used in any run" in result["why"]) == bool(texts)
    assert {run["passed"] for run in result["runs"]} == {False if texts else None}


def test_run_shell_without_network_reaches_nothing(project, api, run_trial_command):
    port, last_texts = api.url.rpartition(":")[2], list[str]()

    def script(request):
        last_text = get_last_user_text(request)
        if "starts" not in last_text:
            return tool_call("Bash", command=f"echo starts; exec 3<>/dev/tcp/127.0.0.1/{port} && echo reached")
        last_texts.append(last_text)
        return text_block("please")

    api.script = script
    tasks = write_tasks(project, 1, tools=["Bash"], network=False)
    code, _, err = run_trial_command(
        "greeter", "--against", "old", "--tasks", tasks, "--runs", "2", "--yes", "--jobs", "2"
    )
    if "say network: true" in err:
        pytest.skip("this machine has no shell without a network")
    assert code == 0, err
    assert last_texts
    assert not [last_text for last_text in last_texts if "reached" in last_text or "not found" in last_text]


def test_unshare_is_never_taken_from_the_clone(tmp_path, monkeypatch):
    fake_unshare = tmp_path / "unshare"
    fake_unshare.write_text(f"#!/bin/sh\ntouch {tmp_path}/ran\n")
    fake_unshare.chmod(0o755)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", f".:{os.environ['PATH']}")
    find_offline_command.cache_clear()
    with suppress(BadInput):
        find_offline_command()
    assert not (tmp_path / "ran").exists()


def test_cleanup_removes_only_sandbox_folders(sandbox, tmp_path):
    folder_of_user = tmp_path / "tune-skill-trial-0123456789abcdef"
    folder_of_user.mkdir()
    assert remove_leftover(Sandbox(folder_of_user))
    assert folder_of_user.is_dir()
    assert remove_leftover(sandbox)
    assert not sandbox.base.exists()


@pytest.mark.parametrize(
    ("frontmatter", "expected"),
    [
        ("name: a\nallowed-tools: Bash\nhooks: {Stop: []}\n", '"name": "a"\n'),
        ('name: a\n"allowed_tools": [Bash]\n"\\x68ooks": {}\n', '"name": "a"\n'),
        (
            "<<: {hooks: {Stop: []}}\ndescription: 'Say: \"a\"\n\n  hooks: no'\n",
            '"description": "Say: \\"a\\"\\nhooks: no"\n',
        ),
    ],
)
def test_remove_grants_removes_hooks_and_allowed_tools(frontmatter, expected):
    for start in ("", "\ufeff", "\r\n"):
        cleaned = remove_grants(f"{start}---\n{frontmatter}---\n\nText ---\n".encode()).decode()
        assert cleaned == f"---\n{expected}---\n\nText ---\n"


def test_remove_grants_keeps_text_after_the_closing_mark():
    cleaned = remove_grants(b"---\nname: a\nhooks: b\n--- # A\nText.\n")
    assert cleaned == b'---\n"name": "a"\n---\n# A\nText.\n'


def test_remove_grants_keeps_invalid_frontmatter():
    assert remove_grants(b"# A\n---\nhooks: a\n---\n") == b"# A\n---\nhooks: a\n---\n"
    for head in ("hooks: [\n---\n", "hooks: *a\n---\n", "hooks: a\n"):
        assert remove_grants(f"---\n{head}".encode()) == f"---\n---\n---\n{head}".encode()


def test_command_without_network_reaches_nothing(sandbox, api):
    port = api.url.rpartition(":")[2]
    command = f"{sys.executable} -c \"import socket; socket.create_connection(('127.0.0.1', {port}))\""
    assert run_in_sandbox(sandbox, command).code == 0
    try:
        find_offline_command()
    except BadInput as refusal:
        assert "say network: true" in str(refusal)
    else:
        assert asyncio.run(sandbox.run(command, 20, network=False)).code == 1


def test_commands_need_consent_once(project, api, run_trial_command, monkeypatch):
    tasks = write_tasks(project, 1, checks=[{"command": "true"}])
    code, _, err = run_trial_command("greeter", "--against", "old", "--tasks", tasks)
    assert code == 2
    assert "check: true" in err
    assert "pass --yes" in err
    assert not api.requests

    def ensure_tasks_allowed(tasks, skill, *, yes=False):
        ensure_allowed(tasks, build_request(tasks, ()), skill, yes=yes)

    allowed_tasks = read_tasks(project / "greeter", tasks)
    ensure_tasks_allowed(allowed_tasks, project / "greeter", yes=True)
    ensure_tasks_allowed(allowed_tasks, project / "greeter")
    (project / "check.sh").write_text("true\n")
    script = {"checks": [{"command": "sh check.sh"}], "files": ["check.sh"]}
    ensure_tasks_allowed(
        read_tasks(project / "greeter", write_tasks(project, 1, **script)), project / "greeter", yes=True
    )
    (project / "check.sh").write_text("rm -r ~\n")
    other_tasks = read_tasks(project / "greeter", write_tasks(project, 1, **script))
    for tasks, skill in ((allowed_tasks, project / "old"), (other_tasks, project / "greeter")):
        with pytest.raises(Refused):
            ensure_tasks_allowed(tasks, skill)


def test_hang_and_refusal_fail_the_run(project, api, replay, run_trial_command):
    replay.get_kind = lambda request: request.prompt

    def script(request):
        if "hang" in str(request["messages"][0]):
            return Reply((text_block("please"),), delay=4)
        return Reply((text_block("please"),), stop_reason="refusal")

    api.script = script
    file = project / "tasks.json"
    file.write_text(json.dumps({"tasks": [
        {"name": "hang", "prompt": "hang", "seconds": 2, "checks": [{"text": "please"}]},
        {"name": "refuse", "prompt": "refuse", "checks": [{"text": "please"}]},
    ]}))  # fmt: skip
    start = time.monotonic()
    _, out, err = run_trial_command("greeter", "--against", "old", "--tasks", str(file), "--runs", "2", "--jobs", "1", "--format",
                      "json")  # fmt: skip
    assert out, err
    assert time.monotonic() - start < 60
    runs = json.loads(out)["runs"]
    reasons = {run["task"]: run["checks"][0]["why"] for run in runs}
    assert "not finished within 2 s" in reasons["hang"]
    assert reasons["refuse"] == "the model refused"
    assert not any(run["passed"] for run in runs)


def test_trial_stops_if_the_model_cannot_be_reached(project, api, run_trial_command, monkeypatch):
    statuses = iter([429, 529] * 20)
    api.script = lambda request: Reply(status=next(statuses), headers={"retry-after": "0"})
    tasks = write_tasks(project, 1)
    code, _, err = run_trial_command("greeter", "--against", "old", "--tasks", tasks, "--runs", "2")
    assert code == 4
    assert "repeat the command to continue" in err
    monkeypatch.setattr(agent, "run_session", Player().run_session)
    code, out, err = run_trial_command(
        "greeter", "--against", "old", "--tasks", tasks, "--runs", "2", "--format", "json"
    )
    assert "continuing " not in err  # No run was finished.
    assert (code, json.loads(out)["after"]["succeeded"]) == (0, 2)


def test_cost_limit_stops_a_trial_midway(project, api, run_trial_command):
    original_script = api.script
    api.script = lambda request: Reply((original_script(request),), usage={"input_tokens": 40_000})  # 0.2 USD a turn
    code, out, err = run_trial_command("greeter", "--against", "old", "--tasks", write_tasks(project, 2), "--runs", "2",
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
