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
from tests.orchestrator.cli.claude_code.conftest import LOCAL, tree


def test_hooks_install_refuses_beside_the_plugin(tune, project):
    shared = Path(".claude/settings.json")
    shared.parent.mkdir()
    shared.write_text('{"enabledPlugins": {"tune-skill@some-market": true}}')
    before = tree(project)
    for command in (("install", "--hooks"), ("hooks", "install"), ("install", "--user", "--hooks")):
        assert "recorded twice" in tune(*command).err
    assert tree(project) == before
    assert tune("install").code == 0
    assert {one["scope"] for one in tune("hooks", "status", "--json").json["hooks"]} == {"plugin"}
    LOCAL.write_text('{"enabledPlugins": {"tune-skill@some-market": false}}')
    assert tune("hooks", "install").code == 0


@pytest.mark.parametrize(("first", "second"), [("--user", "--project"), ("--project", "--user")])
def test_hooks_install_refuses_beside_other_settings(tune, project, first, second):
    assert tune("hooks", "install", first).code == 0
    refused = tune("hooks", "install", second)
    assert refused.code == 2
    assert "recorded twice" in refused.err
    assert tune("hooks", "uninstall", first).code == 0
    assert tune("hooks", "install", second).code == 0


def test_hooks_status_shows_hooks_and_last_runs(tune, project):
    assert tune("hooks", "status").code == 1
    assert tune("hooks", "install").code == 0
    fresh = tune("hooks", "status", "--json")
    schemas.check("session_output", fresh.json)
    assert (fresh.code, fresh.json["missing"], fresh.json["power_steering"]) == (0, [], False)
    assert {one["last_run"] for one in fresh.json["hooks"]} == {None}
    given = {"session_id": "s", "hook_event_name": "PreToolUse", "tool_input": {"command": 'echo "PostToolUse"'}}
    dispatch("PreToolUse", json.dumps(given), testing=False)
    tune("config", "set", "hooks.power_steering", "true")
    later = tune("hooks", "status", "--json").json
    assert [one["event"] for one in later["hooks"] if one["last_run"]] == ["PreToolUse"]
    assert later["power_steering"] is True
    printed = tune("hooks", "status").out
    assert printed.count("has not run yet") == len(HANDLERS) - 1
    assert "power steering    on" in printed


def test_hooks_status_reports_duplicates_and_bad_settings(tune, project):
    tune("hooks", "install")
    Path(".claude/settings.json").write_text(
        json.dumps({"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "/old/tune-skill hook Stop"}]}]}})
    )
    found = tune("hooks", "status", "--json")
    assert (found.code, found.json["doubled"]) == (1, ["Stop"])
    Path(".claude/settings.json").write_text("{")
    broken = tune("hooks", "status", "--json")
    assert broken.code == 1
    assert "settings.json" in broken.json["problems"][0]


def test_hooks_test_runs_each_hook_without_changes(tune, project):
    tune("hooks", "install")
    before = tree(project)
    done = tune("hooks", "test", "--json")
    schemas.check("session_output", done.json)
    assert [(one["event"], one["problem"]) for one in done.json] == [(event, "") for event in HANDLERS]
    assert done.code == 0
    assert tree(project) == before
    assert not (project / ".maceff").exists()


def test_hooks_test_uses_project_settings_but_no_judge(tune, project):
    tune("config", "set", "hooks.judge", "sdk")
    tune("config", "set", "hooks.speak_at_tools", "true")
    tune("hooks", "install")
    (one,) = tune("hooks", "test", "PreToolUse", "--json").json
    assert "additionalContext" in json.dumps(one["answer"])
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
    done = tune("hooks", "test", "Stop")
    assert not (tmp_path / "owned").exists()
    (line,) = done.out.splitlines()
    assert done.code == 1
    assert "not run" in line
    assert str(tmp_path) in line


def test_hooks_test_runs_own_hook_beside_a_foreign_one(tune, project):
    tune("hooks", "install")
    Path(".claude/settings.json").write_text(
        json.dumps({"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "/old/tune-skill hook Stop"}]}]}})
    )
    found = tune("hooks", "test", "Stop", "--json").json
    assert ["not run" in one["problem"] for one in found] == [True, False]
    assert found[1]["problem"] == ""


def test_hooks_test_shows_a_failing_hook(project):
    torn = [sys.executable, "-c", "import sys; sys.exit('torn')"]
    assert try_hooks.try_hook("Stop", torn).problem == "exit code 1: torn"
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
    assert {one["session_id"] for one in tune("hooks", "logs", "--json").json} == {"unknown", session}


def test_hooks_logs_say_that_another_user_has_the_folder(tune, project, tmp_path, monkeypatch):
    monkeypatch.delenv("TUNE_SKILL_STRICT")
    top, own = tmp_path / "macf", tmp_path / f"macf-{os.geteuid()}"
    top.symlink_to(tmp_path)
    dispatch("Stop", "[]", testing=False)
    assert "stdin is not a JSON object" in tune("hooks", "logs").out
    shutil.rmtree(own)
    own.symlink_to(tmp_path)
    done = tune("hooks", "logs")
    assert (done.code, done.out) == (2, "")
    assert f"{own}: belongs to another user, so errors of hooks are not logged" in done.err
