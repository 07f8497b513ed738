"""Test `hooks`: refused duplicates, active hooks, trial runs, and logged errors."""

import json
import os
import shutil
import sys
from pathlib import Path

import pytest

import schemas
from orchestrator.guard.hooks.dispatch import HANDLERS, dispatch
from orchestrator.guard.hooks.hook import fail_open
from orchestrator.installation import try_hooks
from tests.orchestrator.cli.claude_code.conftest import LOCAL, read_tree


def test_hooks_install_is_refused_if_the_plugin_is_enabled(tune, project):
    shared_settings = Path(".claude/settings.json")
    shared_settings.parent.mkdir()
    shared_settings.write_text('{"enabledPlugins": {"tune-skill@some-market": true}}')
    before = read_tree(project)
    for command in (("install", "--hooks"), ("hooks", "install"), ("install", "--user", "--hooks")):
        assert "recorded twice" in tune(*command).err
    assert read_tree(project) == before
    assert tune("install").code == 0
    assert {row["scope"] for row in tune("hooks", "status", "--json").json["hooks"]} == {"plugin"}
    LOCAL.write_text('{"enabledPlugins": {"tune-skill@some-market": false}}')
    assert tune("hooks", "install").code == 0


@pytest.mark.parametrize(("first", "second"), [("--user", "--project"), ("--project", "--user")])
def test_hooks_install_is_refused_if_other_settings_have_hooks(tune, project, first, second):
    assert tune("hooks", "install", first).code == 0
    refused_install = tune("hooks", "install", second)
    assert refused_install.code == 2
    assert "recorded twice" in refused_install.err
    assert tune("hooks", "uninstall", first).code == 0
    assert tune("hooks", "install", second).code == 0


def test_hooks_status_shows_hooks_and_last_runs(tune, project):
    assert tune("hooks", "status").code == 1
    assert tune("hooks", "install").code == 0
    status_after_install = tune("hooks", "status", "--json")
    schemas.check("session_output", status_after_install.json)
    assert (
        status_after_install.code,
        status_after_install.json["missing"],
        status_after_install.json["power_steering"],
    ) == (0, [], False)
    assert {row["last_run"] for row in status_after_install.json["hooks"]} == {None}
    hook_input = {"session_id": "s", "hook_event_name": "PreToolUse", "tool_input": {"command": 'echo "PostToolUse"'}}
    dispatch("PreToolUse", json.dumps(hook_input), testing=False)
    tune("config", "set", "hooks.power_steering", "true")
    status_after_run = tune("hooks", "status", "--json").json
    assert [row["event"] for row in status_after_run["hooks"] if row["last_run"]] == ["PreToolUse"]
    assert status_after_run["power_steering"] is True
    printed = tune("hooks", "status").out
    assert printed.count("has not run yet") == len(HANDLERS) - 1
    assert "power steering    on" in printed


def test_hooks_status_reports_duplicates_and_bad_settings(tune, project):
    tune("hooks", "install")
    Path(".claude/settings.json").write_text(
        json.dumps({"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "/old/tune-skill hook Stop"}]}]}})
    )
    status_with_duplicate = tune("hooks", "status", "--json")
    assert (status_with_duplicate.code, status_with_duplicate.json["doubled"]) == (1, ["Stop"])
    Path(".claude/settings.json").write_text("{")
    status_with_bad_settings = tune("hooks", "status", "--json")
    assert status_with_bad_settings.code == 1
    assert "settings.json" in status_with_bad_settings.json["problems"][0]


def test_hooks_test_runs_each_hook_without_changes(tune, project):
    tune("hooks", "install")
    before = read_tree(project)
    result = tune("hooks", "test", "--json")
    schemas.check("session_output", result.json)
    assert [(row["event"], row["problem"]) for row in result.json] == [(event, "") for event in HANDLERS]
    assert result.code == 0
    assert read_tree(project) == before
    assert not (project / ".maceff").exists()


def test_hooks_test_uses_project_settings_but_no_judge(tune, project):
    tune("config", "set", "hooks.judge", "sdk")
    tune("config", "set", "hooks.speak_at_tools", "true")
    tune("hooks", "install")
    (row,) = tune("hooks", "test", "PreToolUse", "--json").json
    assert "additionalContext" in json.dumps(row["answer"])
    with try_hooks._create_project() as folder:
        hooks = json.loads((folder / ".maceff" / "config.json").read_text())["hooks"]
    assert (hooks["judge"], hooks["speak_at_tools"]) == ("none", True)


@pytest.mark.parametrize("file", ["settings.json", "settings.local.json"])
@pytest.mark.parametrize(
    "command",
    [
        "touch {tmp}/owned; {tmp}/orchestrator/guard/hooks/entry.py Stop",
        "{tmp}/tune-skill hook Stop",
        "sh {tmp}/tune_skill.py hook Stop",
        "sh {tmp}/orchestrator/guard/hooks/entry.py Stop",
    ],
)
def test_hooks_test_never_runs_a_foreign_command(tune, project, tmp_path, command, file):
    for name in ("tune-skill", "tune_skill.py", "orchestrator/guard/hooks/entry.py"):
        script = tmp_path / name
        script.parent.mkdir(parents=True, exist_ok=True)
        script.write_text(f"#!/bin/sh\ntouch {tmp_path}/owned\n")
        script.chmod(0o755)
    hook = {"type": "command", "command": command.format(tmp=tmp_path)}
    Path(".claude").mkdir()
    Path(".claude", file).write_text(json.dumps({"hooks": {"Stop": [{"hooks": [hook]}]}}))
    result = tune("hooks", "test", "Stop")
    assert not (tmp_path / "owned").exists()
    (line,) = result.out.splitlines()
    assert result.code == 1
    assert "not run" in line
    assert str(tmp_path) in line


def test_hooks_test_runs_own_hook_but_not_a_foreign_one(tune, project):
    tune("hooks", "install")
    Path(".claude/settings.json").write_text(
        json.dumps({"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "/old/tune-skill hook Stop"}]}]}})
    )
    rows = tune("hooks", "test", "Stop", "--json").json
    assert ["not run" in row["problem"] for row in rows] == [True, False]
    assert rows[1]["problem"] == ""


def test_hooks_test_shows_a_failing_hook(project):
    failing_command = [sys.executable, "-c", "import sys; sys.exit('torn')"]
    assert try_hooks.try_hook("Stop", failing_command).problem == "exit code 1: torn"
    assert "cannot be started" in try_hooks.try_hook("Stop", ["/gone/tune-skill", "hook", "Stop"]).problem
    assert "invalid answer" in try_hooks.try_hook("Stop", ["/bin/echo", "yes"]).problem


def test_hooks_logs_show_errors_of_this_project(tune, project, tmp_path, monkeypatch):
    monkeypatch.delenv("TUNE_SKILL_STRICT")
    assert tune("hooks", "logs").out == "no errors in the hooks of this project\n"
    dispatch("Stop", "[]", testing=False)
    other = tmp_path / "other"
    (other / ".git").mkdir(parents=True)
    monkeypatch.chdir(other)
    dispatch("Stop", "[1, 2]", testing=False)
    dispatch("Stop", "{", testing=False)
    assert len(tune("hooks", "logs", "--json").json) == 2
    monkeypatch.chdir(project)
    (line,) = tune("hooks", "logs", "--json").json
    assert line["line"].endswith("Z Stop: ValueError: stdin is not a JSON object, but a list")
    session = "5b0d2c41-9e8f-4a7b-8c6d-0123456789ab"
    fail_open("Stop", OSError("no room"), json.dumps({"session_id": session}).encode())
    assert {row["session_id"] for row in tune("hooks", "logs", "--json").json} == {"unknown", session}


def test_hooks_logs_say_that_another_user_has_the_folder(tune, project, tmp_path, monkeypatch):
    monkeypatch.delenv("TUNE_SKILL_STRICT")
    link_to_logs, log_folder = tmp_path / "macf", tmp_path / f"macf-{os.geteuid()}"
    link_to_logs.symlink_to(tmp_path)
    dispatch("Stop", "[]", testing=False)
    assert "stdin is not a JSON object" in tune("hooks", "logs").out
    shutil.rmtree(log_folder)
    log_folder.symlink_to(tmp_path)
    result = tune("hooks", "logs")
    assert (result.code, result.out) == (2, "")
    assert f"{log_folder}: belongs to another user, so errors of hooks are not logged" in result.err
