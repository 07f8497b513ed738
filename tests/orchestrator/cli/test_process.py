"""Test the command as a process: Ctrl-C, a full disk, two runs at once, a terminal, and odd pipes."""

import json
import os
import resource
import shlex
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from orchestrator.run.store import StateStore
from tests.terminal import COMMAND, ROOT, Terminal

SKILL_WITH_WRONG_LINK = """---
name: warbler
description: Repairs a build until it is green. Use when a build is red.
---

# Warbler

Repair the build by [the steps](references/step.md), and report it when it stays red.
"""


@pytest.fixture
def project(tmp_path, monkeypatch):
    (tmp_path / "warbler").mkdir()
    (tmp_path / "warbler" / "references").mkdir()
    (tmp_path / "warbler" / "SKILL.md").write_text(SKILL_WITH_WRONG_LINK)
    (tmp_path / "warbler" / "references" / "steps.md").write_text(
        "# Steps\n\nRead the log, then fix the first error.\n"
    )
    monkeypatch.delenv("TUNE_SKILL_STRICT")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run_command(project, *arguments, **options):
    settings = {"capture_output": True, "text": True, "check": False, "cwd": project, **options}
    return subprocess.run([*COMMAND, *arguments], **settings)


def read_skill(project):
    return (project / "warbler" / "SKILL.md").read_text()


@pytest.mark.parametrize(
    ("numbers", "code"),
    [([signal.SIGINT], 130), ([signal.SIGTERM], 143), ([signal.SIGHUP], 129), ([signal.SIGHUP] * 3, 129)],
)
def test_interrupted_command_saves_its_run_and_resume_continues(project, tune, numbers, code):
    process = subprocess.Popen(
        [*COMMAND, "run", "warbler", "--apply", "all"],
        cwd=project,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert any("begin-round" in line for line in process.stderr)
    for number in numbers:
        process.send_signal(number)
    _, err = process.communicate(timeout=60)
    assert process.returncode == code
    (run,) = (project / ".workflow" / "skill-tuning").glob("*-warbler")
    assert (
        err.splitlines()[-1]
        == f"tune-skill: interrupted; nothing is lost: `tune-skill resume {run.name}` continues the run"
    )
    assert "Traceback" not in err
    result = tune("resume")
    assert result.code == 0, result.err
    assert read_skill(project) != SKILL_WITH_WRONG_LINK
    assert tune("rollback", "--all").code == 0
    assert read_skill(project) == SKILL_WITH_WRONG_LINK


def test_ignored_hangup_does_not_end_a_command(project):
    process = subprocess.Popen(
        ["nohup", *COMMAND, "run", "warbler", "--apply", "all"], cwd=project, stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert any("begin-round" in line for line in process.stderr)
    process.send_signal(signal.SIGHUP)
    process.communicate(timeout=60)
    assert process.returncode == 0


def test_mcp_server_ends_at_once_on_sigterm(project):
    server = subprocess.Popen([*COMMAND, "mcp"], cwd=project, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    request = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
    server.stdin.write(json.dumps(request).encode() + b"\n")
    server.stdin.flush()
    assert server.stdout.readline()
    server.terminate()
    server.communicate(timeout=60)
    assert server.returncode == -signal.SIGTERM


PROGRAM_INTERRUPTED_AT_IMPORT = """import os, signal, sys
class Interrupter:
    def find_spec(self, name, *rest):
        if name == {name!r}:
            os.kill(os.getpid(), signal.SIGINT)
signal.signal(signal.SIGINT, signal.default_int_handler)
sys.meta_path.insert(0, Interrupter())
sys.path.insert(0, {root!r})
import tune_skill
tune_skill.main()
"""


@pytest.mark.parametrize(
    ("module", "printed"),
    [
        ("orchestrator.cli", ""),
        ("orchestrator.cli.patterns", "\ntune-skill: interrupted\n"),
        ("orchestrator.cli.input.model_consent", "\ntune-skill: interrupted; nothing was started or changed\n"),
    ],
)
def test_ctrl_c_before_a_run_exists_exits_130(project, module, printed):
    program = PROGRAM_INTERRUPTED_AT_IMPORT.format(name=module, root=str(ROOT))
    arguments = ["patterns"] if "patterns" in module else ["run", "warbler"]
    result = subprocess.run(
        [sys.executable, "-c", program, *arguments], cwd=project, capture_output=True, text=True, check=False
    )
    assert (result.returncode, result.stdout, result.stderr) == (130, "", printed)


PROGRAM_INTERRUPTED_AT_RELEASE = """import os, signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)
sys.path.insert(0, {root!r})
from orchestrator.run.workspace.workspace import Workspace
recover = Workspace._recover
def interrupt(self, verified):
    if not self._held and (self.work_dir / {file!r}).exists():
        os.kill(os.getpid(), signal.SIGINT)
    return recover(self, verified)
Workspace._recover = interrupt
import tune_skill
tune_skill.main()
"""


@pytest.mark.parametrize(
    ("file", "options", "message"),
    [
        ("report.md", ["--apply", "all"], "the run has ended and its work is saved; see `tune-skill report {run}`"),
        ("state.json", ["--pause"], "nothing is lost: `tune-skill resume {run}` continues the run"),
    ],
)
def test_ctrl_c_while_the_skill_is_released_names_the_run(project, file, options, message):
    program = PROGRAM_INTERRUPTED_AT_RELEASE.format(file=file, root=str(ROOT))
    command = [sys.executable, "-c", program, "run", "warbler", "--quiet", *options]
    result = subprocess.run(command, cwd=project, capture_output=True, text=True, check=False)
    (run,) = (project / ".workflow" / "skill-tuning").glob("*-warbler")
    printed = f"\ntune-skill: interrupted; {message.format(run=run.name)}\n"
    assert (result.returncode, result.stderr[-len(printed) :]) == (130, printed)


PROGRAM_SIGNALLED_AT_EXIT = """import atexit, os, signal, sys
atexit.register(os.kill, os.getpid(), {number})
signal.signal(signal.SIGINT, signal.default_int_handler)
sys.path.insert(0, {root!r})
import tune_skill
tune_skill.main()
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_signal_while_python_shuts_down_keeps_the_exit_code(project, number):
    program = PROGRAM_SIGNALLED_AT_EXIT.format(number=int(number), root=str(ROOT))
    for name, code in (("warbler", 1), ("nowhere", 2)):
        result = subprocess.run(
            [sys.executable, "-c", program, "diagnose", name], cwd=project, capture_output=True, text=True, check=False
        )
        assert (result.returncode, "KeyboardInterrupt" in result.stderr) == (code, False), result.stderr


@pytest.mark.parametrize("limit", [100, 4_500])
def test_full_disk_exits_2_without_loss(project, tune, limit):
    def limit_file_size():
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

    result = run_command(
        project, "run", "warbler", "--apply", "all", "--quiet", "--work-dir", "w", preexec_fn=limit_file_size
    )
    assert result.returncode == 2, (result.stdout, result.stderr)
    lines = [line for line in result.stderr.splitlines() if not line.startswith("warning: cannot write the event log")]
    assert len(lines) == 1, lines
    assert "cannot" in lines[0]
    assert "File too large" in lines[0]
    if (project / "w" / "state.json").exists():
        StateStore(project / "w").load()
        second_result = tune("resume", "w", "--quiet")
    else:
        second_result = tune("run", "warbler", "--apply", "all", "--quiet", "--work-dir", "w2")
    assert second_result.code == 0, second_result.err
    assert read_skill(project) != SKILL_WITH_WRONG_LINK
    work_dir = "w" if (project / "w" / "state.json").exists() else "w2"
    assert tune("rollback", work_dir, "--all").code == 0
    assert read_skill(project) == SKILL_WITH_WRONG_LINK


def test_second_concurrent_run_names_the_first(project, tune):
    first = subprocess.Popen(
        [*COMMAND, "run", "warbler", "--apply", "all"],
        cwd=project,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert any("running" in line for line in first.stderr)
    first.send_signal(signal.SIGSTOP)
    try:
        second = tune("run", "warbler", "--apply", "all")
    finally:
        first.send_signal(signal.SIGCONT)
    first.communicate(timeout=60)
    assert second.code == 2
    (line,) = second.err.strip().splitlines()
    assert f"pid {first.pid}" in line
    assert first.returncode == 0
    assert read_skill(project) != SKILL_WITH_WRONG_LINK


def test_broken_stderr_keeps_the_exit_code(project):
    with Path("/dev/full").open("w") as full_device:
        result = subprocess.run([*COMMAND, "diagnose", "nowhere"], cwd=project, stderr=full_device, check=False)
    assert result.returncode == 2


@pytest.mark.parametrize("options", [["--format", "json"], []])
@pytest.mark.parametrize(("gate", "code"), [("pass", 0), ("fail", 1)])
def test_unread_stdout_keeps_the_exit_code(project, options, gate, code):
    if gate == "fail":
        shutil.copytree(ROOT / "examples" / "release-notes", project / "warbler", dirs_exist_ok=True)
    read_end, write_end = os.pipe()
    os.close(read_end)
    result = subprocess.run(
        [*COMMAND, "diagnose", "warbler", "--fail-on", "gate", *options],
        cwd=project,
        stdout=write_end,
        stderr=subprocess.PIPE,
        text=True,
        check=False,
    )
    os.close(write_end)
    message = "tune-skill: 1 unit did not pass the gate (--fail-on gate)\n" if code else ""
    assert (result.returncode, result.stderr) == (code, message)


@pytest.mark.parametrize("command", ["patterns", "strategies", "--help"])
def test_closed_pipe_is_not_a_failure(project, command):
    line = f"{shlex.join(COMMAND)} {command} | head -1; echo ${{PIPESTATUS[0]}}"
    result = subprocess.run(["bash", "-c", line], cwd=project, capture_output=True, text=True, check=False)
    assert (result.stdout.splitlines()[1:], result.stderr) == (["0"], "")


ALL_CLOSED = "0<&- >&- 2>&-"


@pytest.mark.parametrize(
    ("arguments", "code", "redirections"),
    [
        ("diagnose warbler --fail-on gate", 0, ALL_CLOSED),
        *(("diagnose warbler", 1, redirections) for redirections in ("0<&-", ">&-", "2>&-", ALL_CLOSED)),
        ("run warbler --apply none", 0, ALL_CLOSED),
        ("--version", 0, ALL_CLOSED),
        *(("hook Stop", 0, redirections) for redirections in ("0<&-", ">&-", ALL_CLOSED)),
        ("mcp", 0, "0<&-"),
        ("mcp", 0, ALL_CLOSED),
        ("status", 2, ALL_CLOSED),
        ("nonsense", 2, ALL_CLOSED),
    ],
)
def test_closed_stream_keeps_exit_code_without_traceback(project, arguments, code, redirections):
    line = f"{shlex.join(COMMAND)} {arguments} {redirections}"
    result = subprocess.run(["sh", "-c", line], cwd=project, input="", capture_output=True, text=True, check=False)
    assert result.returncode == code, result.stderr
    assert "Traceback" not in result.stdout + result.stderr


def test_python_oo_is_refused_but_hooks_answer(project):
    python = [sys.executable, "-OO", str(ROOT / "tune_skill.py")]
    result = subprocess.run([*python, "diagnose", "warbler"], cwd=project, capture_output=True, text=True, check=False)
    assert result.returncode == 2
    (line,) = result.stderr.splitlines()
    assert "-OO" in line
    hook = subprocess.run(
        [*python, "hook", "Stop"], cwd=project, input="{}", capture_output=True, text=True, check=False
    )
    assert (hook.returncode, hook.stdout) == (0, '{"continue": true}\n')


def test_stdout_on_a_full_device_exits_2(project):
    with Path("/dev/full").open("w") as full_device:
        result = subprocess.run(
            [*COMMAND, "diagnose", "warbler"],
            cwd=project,
            stdout=full_device,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert result.returncode == 2
    (line,) = result.stderr.strip().splitlines()
    assert line.startswith("tune-skill: the output or a file: No space left")


def test_output_is_complete_in_an_ascii_locale(project):
    (project / "warbler" / "SKILL.md").write_text(SKILL_WITH_WRONG_LINK.replace("# Warbler", "# 鸟 \U0001f426"))
    env = {**os.environ, "PYTHONIOENCODING": "ascii"}
    for options in ([], ["--format", "json"]):
        result = run_command(project, "run", "warbler", "--apply", "none", *options, env=env, text=False)
        assert result.returncode == 0, result.stderr
    assert json.loads(result.stdout.decode())["status"] == "completed"
    assert run_command(project, "report", env=env, text=False).returncode == 0


def test_missing_working_directory_prints_one_line(project):
    deleted_folder = project / "gone"
    deleted_folder.mkdir()
    command = f"cd {deleted_folder} && rmdir {deleted_folder} && {sys.executable} {ROOT / 'tune_skill.py'} run {project / 'warbler'}"
    result = subprocess.run(["sh", "-c", command], capture_output=True, text=True, check=False)
    assert result.returncode == 2
    assert len(result.stderr.strip().splitlines()) == 1


@pytest.mark.parametrize(
    ("keys", "code", "fixed"),
    [(b"Yes\n", 0, True), (b"\nn\n", 0, False), (b"?\nq\n", 3, False), (b"\x1b[A\na\n", 0, True)],
)
def test_run_at_a_terminal_shows_diffs_and_asks(project, keys, code, fixed):
    terminal = Terminal(project, "run", "warbler")
    terminal.wait_for(b"Apply?")
    assert b"references/steps.md" in terminal.output
    assert b"(1/" in terminal.output
    assert b"SKILL.md:" in terminal.output.partition(b"(1/")[0], "the findings must precede the first question"
    assert read_skill(project) == SKILL_WITH_WRONG_LINK
    terminal.type(keys)
    if b"?" in keys or b"\x1b" in keys:
        terminal.wait_for(b"q - decide later")
    if keys == b"Yes\n" and b"FIX-002" in terminal.output:
        terminal.type(b"n\n")
    assert terminal.wait_for_end() == code
    assert (read_skill(project) != SKILL_WITH_WRONG_LINK) is fixed


def test_ctrl_c_at_the_question_can_be_resumed(project, tune):
    terminal = Terminal(project, "run", "warbler")
    terminal.wait_for(b"Apply?")
    assert terminal.interrupt() == 130
    assert read_skill(project) == SKILL_WITH_WRONG_LINK
    assert tune("resume").code == 3


def test_unclear_issue_is_asked_at_a_terminal(project, tune):
    terminal = Terminal(project, "run", "warbler", "--apply", "none", "--issue", "make it nicer")
    terminal.wait_for(b"Which one do you mean?")
    terminal.type(b"4\n")
    assert terminal.wait_for_end() == 0
    state = tune("report", "--format", "json").json
    assert state["ambiguities"][0]["answered_by"] == "user"


def test_baseline_is_written_with_a_closed_pipe(project):
    read_end, write_end = os.pipe()
    os.close(read_end)
    command = ["diagnose", "warbler", "--write-baseline", "known.json"]
    subprocess.run([*COMMAND, *command], cwd=project, stdout=write_end, stderr=subprocess.DEVNULL, check=False)
    os.close(write_end)
    assert json.loads((project / "known.json").read_text())
