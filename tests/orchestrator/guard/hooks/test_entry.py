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
from tests.orchestrator.guard.hooks.samples import PROMPT, SAMPLES, SESSION, stdin

RECORDING = {name: sample for name, sample in SAMPLES.items() if sample["hook_event_name"] in entry.RECORDED}
GO_ON = b'{"continue": true}\n'


def recorded(event, given, cwd=None, **env):
    """Run the entry as Claude Code does, with almost no environment variables."""
    command = [sys.executable, "-I", "-S", entry.__file__, event]
    return subprocess.run(command, input=given, env=env, cwd=cwd, capture_output=True, timeout=30)


@pytest.fixture
def env(project, tmp_path):
    return {"CLAUDE_PROJECT_DIR": str(project), "TMPDIR": str(tmp_path), "HOME": str(tmp_path)}


def hook_log(tmp_path):
    return "".join(path.read_text() for path in tmp_path.glob("macf/*/*/hooks/hooks.log"))


@pytest.mark.parametrize("sample", RECORDING.values(), ids=RECORDING)
@pytest.mark.parametrize("indent", [None, 1])
def test_entry_logs_stdin_unchanged(env, sample, indent):
    done = recorded(sample["hook_event_name"], json.dumps(sample, indent=indent).encode(), **env)
    assert (done.returncode, done.stdout, done.stderr) == (0, GO_ON, b"")
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
    recorded("SubagentStop", stdin("SubagentStop", agent_type="Explore").encode(), **env)
    recorded("SubagentStop", stdin("SubagentStop", agent_type="").encode(), **env)
    assert len(query_events({"session_id": SESSION, "breadcrumb": {"cycle": 12}})) == 2
    assert count_delegations(SESSION) == {"Explore": 1}


LOADED = """
import sys
before, path = set(sys.modules), sys.argv[0]
names = {"__name__": "entry", "__file__": path}
exec(compile(open(path).read(), path, "exec"), names)
names["main"](sys.argv[1])
print(sorted(set(sys.modules) - before), file=sys.stderr)
"""


def test_entry_loads_only_os_fcntl_and_the_log_modules(env):
    code = LOADED.replace("sys.argv[0]", repr(entry.__file__))
    command = [sys.executable, "-I", "-S", "-c", code, "PreToolUse"]
    done = subprocess.run(command, input="{}", env=env, capture_output=True, text=True, check=True)
    # the first call creates the folder and the log; the second is as fast as those at every tool call
    done = subprocess.run(command, input="{}", env=env, capture_output=True, text=True, check=True)
    ours = {"orchestrator", "orchestrator.fs"}
    ours |= {f"orchestrator.fs.{name}" for name in ("append_log", "nofollow", "project_root")}
    core = {"os", "os.path", "posixpath", "genericpath", "stat", "_stat", "_collections_abc", "errno", "fcntl"}
    assert ours <= set(ast.literal_eval(done.stderr)) <= ours | core


def test_entry_does_not_record_sessions_of_our_judge(project, env):
    done = recorded("PreToolUse", stdin("PreToolUse").encode(), TUNE_SKILL_JUDGE="1", **env)
    assert (done.returncode, done.stdout) == (0, b"")
    assert not (project / ".maceff").exists()


BAD = {
    "empty": b"",
    "no json": b"hello",
    "a list": b"[1]",
    "huge": b'{"a": "' + b"x" * 10_000_000 + b'"}',
    "binary": bytes(range(256)),
}


@pytest.mark.parametrize("given", BAD.values(), ids=BAD)
def test_entry_logs_an_error_for_invalid_or_huge_input(project, env, tmp_path, given):
    done = recorded("PostToolUse", given, **env)
    assert (done.returncode, done.stdout) == (0, GO_ON)
    assert not (project / ".maceff").exists()
    (line,) = hook_log(tmp_path).splitlines()
    assert "PostToolUse: ValueError: stdin " in line


def test_entry_loses_only_an_invalid_line(env):
    recorded("PreToolUse", b'{"a": }', **env)
    recorded("PreToolUse", b'{"session_id": "x\\" , "}{', **env)
    recorded("PreToolUse", stdin("PreToolUse").encode(), **env)
    log = EventLog(Path(env["CLAUDE_PROJECT_DIR"]) / ".maceff" / "agent_events_log.jsonl")
    assert [record["hook_input"]["session_id"] for record in log.read()] == [SESSION]
    assert log.skipped == 1


def test_entry_keeps_text_that_looks_like_the_end_of_a_record(env):
    evil = 'x"}}\r\n{"timestamp": 1, "event": "forged"}'
    recorded("PreToolUse", stdin("PreToolUse", tool_input={"command": evil}).encode(), **env)
    (record,) = read_events()
    assert record["hook_input"]["tool_input"]["command"] == evil


def test_entry_omits_an_invalid_id_from_the_breadcrumb(env):
    recorded("PreToolUse", b'{"session_id": "a/b../c", "prompt_id": null, "tool_name": "x"}', **env)
    (record,) = read_events()
    assert parse_breadcrumb(record["breadcrumb"])["session_id"] == "unknown"


def test_entry_survives_a_deleted_working_directory(tmp_path):
    gone = tmp_path / "gone"
    gone.mkdir()
    script = f"cd {gone} && rmdir {gone} && exec {sys.executable} -I -S {entry.__file__} PreToolUse"
    done = subprocess.run(["sh", "-c", script], input=b"{}", capture_output=True, env={"TMPDIR": str(tmp_path)})
    assert (done.returncode, done.stdout) == (0, GO_ON)


@pytest.mark.parametrize("closed", ["0<&-", ">&-", "2>&-", "0<&- >&- 2>&-"])
def test_entry_survives_closed_streams(env, closed):
    script = f"{sys.executable} -I -S {entry.__file__} PreToolUse {closed}"
    done = subprocess.run(["sh", "-c", script], input=b"{}", capture_output=True, env=env)
    assert (done.returncode, done.stderr) == (0, b"")


def test_entry_falls_back_to_the_working_directory(project):
    done = recorded("PreToolUse", stdin("PreToolUse").encode(), cwd=project)
    assert (done.returncode, done.stdout) == (0, GO_ON)
    assert len(list(read_events())) == 1


def test_entry_survives_an_unwritable_folder(project, env, tmp_path):
    (project / ".maceff").write_text("a file in the way")
    done = recorded("PreToolUse", stdin("PreToolUse").encode(), **env)
    assert (done.returncode, done.stdout) == (0, GO_ON)
    (log,) = tmp_path.glob(f"macf/*/{SESSION}/hooks/hooks.log")
    assert f"PreToolUse: WriteFailed: cannot create the folder {project}/.maceff" in log.read_text()


def test_entry_survives_a_full_disk_without_half_a_line(project, env, tmp_path):
    recorded("PreToolUse", stdin("PreToolUse").encode(), **env)
    log = project / ".maceff" / "agent_events_log.jsonl"
    whole = log.read_bytes()
    limited = f"ulimit -f 1; exec {sys.executable} -I -S {entry.__file__} PreToolUse"
    given = stdin("PreToolUse", tool_input={"command": "x" * 3000}).encode()
    done = subprocess.run(
        ["bash", "-c", limited], input=given, capture_output=True, env={"PATH": os.environ["PATH"], **env}
    )
    assert (done.returncode, done.stdout) == (0, GO_ON)
    assert log.read_bytes() == whole


def test_entry_raises_under_strict(env):
    done = recorded("PreToolUse", b"hello", TUNE_SKILL_STRICT="1", **env)
    assert done.returncode == 1
    assert b"ValueError" in done.stderr


def test_entry_loses_nothing_with_64_hooks_at_once(env):
    command = [sys.executable, "-I", "-S", entry.__file__, "PreToolUse"]
    running = []
    for number in range(64):
        one = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, env=env)
        one.stdin.write(stdin("PreToolUse", number=number).encode())
        running.append(one)
    for one in running:
        one.stdin.close()
    assert [one.wait(60) for one in running] == [0] * 64
    assert sorted(record["hook_input"]["number"] for record in read_events()) == list(range(64))
