"""Test that hook events are recorded quickly, without loss, and without disturbing a session."""

import ast
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from orchestrator.guard.activity.drives import count_delegations
from orchestrator.guard.hooks import entry
from orchestrator.guard.log.event_log import EventLog
from orchestrator.guard.log.events import query_events, read_events
from orchestrator.guard.sessions.breadcrumbs import parse_breadcrumb
from orchestrator.guard.sessions.cycles import save_agent_state
from tests.orchestrator.guard.hooks.samples import PROMPT, SAMPLES, SESSION, make_stdin

RECORDED_SAMPLES = {name: sample for name, sample in SAMPLES.items() if sample["hook_event_name"] in entry.RECORDED}
CONTINUE_ANSWER = b'{"continue": true}\n'


def run_entry(event, stdin_bytes, cwd=None, **env):
    """Run the entry as Claude Code does, with almost no environment variables."""
    command = [sys.executable, "-I", "-S", entry.__file__, event]
    return subprocess.run(command, input=stdin_bytes, env=env, cwd=cwd, capture_output=True, timeout=30)


@pytest.fixture
def env(project, tmp_path):
    return {"CLAUDE_PROJECT_DIR": str(project), "TMPDIR": str(tmp_path), "HOME": str(tmp_path)}


def read_hook_log(tmp_path):
    return "".join(path.read_text() for path in tmp_path.glob("macf/*/*/hooks/hooks.log"))


@pytest.mark.parametrize("sample", RECORDED_SAMPLES.values(), ids=RECORDED_SAMPLES)
@pytest.mark.parametrize("indent", [None, 1])
def test_entry_logs_stdin_unchanged(env, sample, indent):
    result = run_entry(sample["hook_event_name"], json.dumps(sample, indent=indent).encode(), **env)
    assert (result.returncode, result.stdout, result.stderr) == (0, CONTINUE_ANSWER, b"")
    (record,) = read_events()
    assert record["hook_input"] == sample
    assert record["event"] == entry.RECORDED[sample["hook_event_name"]]
    assert parse_breadcrumb(record["breadcrumb"]) == {
        "session_id": SESSION[:8],
        "cycle": 1,
        "git_hash": None,
        "prompt_uuid": PROMPT[:8],
        "timestamp": int(record["timestamp"]),
    }


def test_entry_records_can_be_queried_and_counted(env):
    save_agent_state({"current_cycle_number": 12, "last_session_id": SESSION})
    run_entry("SubagentStop", make_stdin("SubagentStop", agent_type="Explore").encode(), **env)
    run_entry("SubagentStop", make_stdin("SubagentStop", agent_type="").encode(), **env)
    assert len(query_events({"session_id": SESSION, "breadcrumb": {"cycle": 12}})) == 2
    assert count_delegations(SESSION) == {"Explore": 1}


PROGRAM_THAT_LISTS_MODULES = """
import sys
before, path = set(sys.modules), sys.argv[0]
names = {"__name__": "entry", "__file__": path}
exec(compile(open(path).read(), path, "exec"), names)
names["main"](sys.argv[1])
print(sorted(set(sys.modules) - before), file=sys.stderr)
"""


def test_entry_loads_only_os_fcntl_and_the_log_modules(env):
    code = PROGRAM_THAT_LISTS_MODULES.replace("sys.argv[0]", repr(entry.__file__))
    command = [sys.executable, "-I", "-S", "-c", code, "PreToolUse"]
    result = subprocess.run(command, input="{}", env=env, capture_output=True, text=True, check=True)
    # The first call creates the folder and the log; the second does what the call at each tool use does.
    result = subprocess.run(command, input="{}", env=env, capture_output=True, text=True, check=True)
    own_modules = {"orchestrator", "orchestrator.fs"}
    own_modules |= {f"orchestrator.fs.{name}" for name in ("append_log", "nofollow", "project_root")}
    core = {"os", "os.path", "posixpath", "genericpath", "stat", "_stat", "_collections_abc", "errno", "fcntl"}
    assert own_modules <= set(ast.literal_eval(result.stderr)) <= own_modules | core


def test_entry_does_not_record_sessions_of_our_judge(project, env):
    result = run_entry("PreToolUse", make_stdin("PreToolUse").encode(), TUNE_SKILL_JUDGE="1", **env)
    assert (result.returncode, result.stdout) == (0, b"")
    assert not (project / ".maceff").exists()


INVALID_INPUTS = {
    "empty": b"",
    "no json": b"hello",
    "a list": b"[1]",
    "huge": b'{"a": "' + b"x" * 10_000_000 + b'"}',
    "binary": bytes(range(256)),
}


@pytest.mark.parametrize("stdin_bytes", INVALID_INPUTS.values(), ids=INVALID_INPUTS)
def test_entry_logs_an_error_for_invalid_or_huge_input(project, env, tmp_path, stdin_bytes):
    result = run_entry("PostToolUse", stdin_bytes, **env)
    assert (result.returncode, result.stdout) == (0, CONTINUE_ANSWER)
    assert not (project / ".maceff").exists()
    (line,) = read_hook_log(tmp_path).splitlines()
    assert "PostToolUse: ValueError: stdin " in line


def test_entry_loses_only_an_invalid_line(env):
    run_entry("PreToolUse", b'{"a": }', **env)
    run_entry("PreToolUse", b'{"session_id": "x\\" , "}{', **env)
    run_entry("PreToolUse", make_stdin("PreToolUse").encode(), **env)
    log = EventLog(Path(env["CLAUDE_PROJECT_DIR"]) / ".maceff" / "agent_events_log.jsonl")
    assert [record["hook_input"]["session_id"] for record in log.read()] == [SESSION]
    assert log.skipped == 1


def test_entry_keeps_text_that_looks_like_the_end_of_a_record(env):
    hostile_text = 'x"}}\r\n{"timestamp": 1, "event": "forged"}'
    run_entry("PreToolUse", make_stdin("PreToolUse", tool_input={"command": hostile_text}).encode(), **env)
    (record,) = read_events()
    assert record["hook_input"]["tool_input"]["command"] == hostile_text


def test_entry_omits_an_invalid_id_from_the_breadcrumb(env):
    run_entry("PreToolUse", b'{"session_id": "a/b../c", "prompt_id": null, "tool_name": "x"}', **env)
    (record,) = read_events()
    assert parse_breadcrumb(record["breadcrumb"])["session_id"] == "unknown"


def test_entry_survives_a_deleted_working_directory(tmp_path):
    deleted_folder = tmp_path / "gone"
    deleted_folder.mkdir()
    script = f"cd {deleted_folder} && rmdir {deleted_folder} && exec {sys.executable} -I -S {entry.__file__} PreToolUse"
    result = subprocess.run(["sh", "-c", script], input=b"{}", capture_output=True, env={"TMPDIR": str(tmp_path)})
    assert (result.returncode, result.stdout) == (0, CONTINUE_ANSWER)


@pytest.mark.parametrize("closed", ["0<&-", ">&-", "2>&-", "0<&- >&- 2>&-"])
def test_entry_survives_closed_streams(env, closed):
    script = f"{sys.executable} -I -S {entry.__file__} PreToolUse {closed}"
    result = subprocess.run(["sh", "-c", script], input=b"{}", capture_output=True, env=env)
    assert (result.returncode, result.stderr) == (0, b"")


def test_entry_falls_back_to_the_working_directory(project):
    result = run_entry("PreToolUse", make_stdin("PreToolUse").encode(), cwd=project)
    assert (result.returncode, result.stdout) == (0, CONTINUE_ANSWER)
    assert len(list(read_events())) == 1


def test_entry_survives_an_unwritable_folder(project, env, tmp_path):
    (project / ".maceff").write_text("a file in the way")
    result = run_entry("PreToolUse", make_stdin("PreToolUse").encode(), **env)
    assert (result.returncode, result.stdout) == (0, CONTINUE_ANSWER)
    (log,) = tmp_path.glob(f"macf/*/{SESSION}/hooks/hooks.log")
    assert f"PreToolUse: WriteFailed: cannot create the folder {project}/.maceff" in log.read_text()


def test_entry_survives_a_full_disk_without_half_a_line(project, env, tmp_path):
    run_entry("PreToolUse", make_stdin("PreToolUse").encode(), **env)
    log = project / ".maceff" / "agent_events_log.jsonl"
    log_bytes = log.read_bytes()
    limited_command = f"ulimit -f 1; exec {sys.executable} -I -S {entry.__file__} PreToolUse"
    stdin_bytes = make_stdin("PreToolUse", tool_input={"command": "x" * 3000}).encode()
    result = subprocess.run(
        ["bash", "-c", limited_command], input=stdin_bytes, capture_output=True, env={"PATH": os.environ["PATH"], **env}
    )
    assert (result.returncode, result.stdout) == (0, CONTINUE_ANSWER)
    assert log.read_bytes() == log_bytes


def test_entry_raises_under_strict(env):
    result = run_entry("PreToolUse", b"hello", TUNE_SKILL_STRICT="1", **env)
    assert result.returncode == 1
    assert b"ValueError" in result.stderr


def test_entry_loses_nothing_with_64_hooks_at_once(env):
    command = [sys.executable, "-I", "-S", entry.__file__, "PreToolUse"]
    processes = []
    for number in range(64):
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, env=env)
        process.stdin.write(make_stdin("PreToolUse", number=number).encode())
        processes.append(process)
    for process in processes:
        process.stdin.close()
    assert [process.wait(60) for process in processes] == [0] * 64
    assert sorted(record["hook_input"]["number"] for record in read_events()) == list(range(64))
