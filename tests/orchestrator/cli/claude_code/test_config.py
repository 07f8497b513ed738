"""Test `config`: it changes a setting by name and updates the installed hooks."""

import errno
import json
import os
import re
from getpass import getuser
from pathlib import Path

import pytest

import schemas
from orchestrator.cli import main
from orchestrator.errors import WriteFailed
from orchestrator.fs import durable
from orchestrator.fs.durable import build_temp_name
from orchestrator.guard.sessions.config import ProjectConfig
from orchestrator.guard.sessions.consent import read_consent
from tests.fakes import write_config
from tests.orchestrator.cli.claude_code.conftest import LOCAL, read_tree


def test_config_set_changes_or_refuses_a_setting(tune, project):
    assert tune("config", "set", "hooks.power_steering", "true").code == 0
    assert tune("config", "set", "agent.name", "Ada 艾达").code == 0
    assert re.search(r"^auto_mode +-$", tune("config", "show").out, re.MULTILINE)
    settings = tune("config", "show", "--json").json["settings"]
    assert (settings["hooks"]["power_steering"], settings["agent"]["name"]) == (True, "Ada 艾达")
    for key, value, reason in (
        ("hooks.power_stering", "true", "unknown setting hooks.power_stering"),
        ("hooks.power_steering", "maybe", "hooks.power_steering: 'maybe' is not true or false;"),
        ("hooks.max_cost_usd", "-1", "hooks.max_cost_usd: -1 is less than the minimum of 0;"),
        ("hooks.max_cost_usd", "1e309", "hooks.max_cost_usd: '1e309' is not"),
        ("hooks.max_cost_usd", "NaN", "hooks.max_cost_usd: 'NaN' is not"),
        ("hooks.max_cost_usd", "[" * 100_000, "hooks.max_cost_usd: '[[["),
        ("hooks", "1", "unknown setting hooks"),
        ("x.y", "1", "unknown setting x.y"),
    ):
        printed = tune("config", "set", key, value)
        assert (printed.code, printed.err.startswith(f"tune-skill: {reason}")) == (2, True)
    assert tune("config", "show", "--json").json["settings"] == settings


def test_config_set_stores_a_whole_number_as_an_integer(tune, project):
    tune("config", "set", "context_window", "200000.0")
    assert repr(tune("config", "show", "--json").json["settings"]["context_window"]) == "200000"


def test_config_set_keeps_settings_of_concurrent_commands(tune, project):
    tune("config", "init")
    settings = {"agent.name": '"n1"', "agent.role": '"r1"', "hooks.max_cost_usd": "0.25", "context_window": "123456"}
    processes = []
    for key, value in settings.items():
        processes.append(os.fork())
        if not processes[-1]:
            try:
                main(["config", "set", key, value])
            finally:
                os._exit(0)
    for process in processes:
        os.waitpid(process, 0)
    saved = tune("config", "show", "--json").json["settings"]
    assert (saved["agent"]["name"], saved["agent"]["role"]) == ("n1", "r1")
    assert (saved["hooks"]["max_cost_usd"], saved["context_window"]) == (0.25, 123456)


def test_config_set_removes_only_its_own_temporary_files(tune, project):
    assert tune("config", "init").code == 0
    folder = Path(".maceff")
    temp_file, temp_link, temp_folder = (folder / build_temp_name("config.json") for _ in "abc")
    temp_file.write_text("{")
    temp_link.symlink_to("config.json")
    temp_folder.mkdir()
    files_of_others = [folder / build_temp_name("mine"), folder / ".tune-skill-0123456789abcdef.tmp"]
    for other in files_of_others:
        other.write_text("mine")
    assert tune("config", "set", "context_window", "200000").code == 0
    assert not temp_file.exists()
    assert temp_link.is_symlink()
    assert temp_folder.is_dir()
    assert [other.read_text() for other in files_of_others] == ["mine", "mine"]


def read_hook_commands(path):
    groups_by_event = json.loads(path.read_text())["hooks"]
    return {
        event: hook["command"]
        for event, groups in groups_by_event.items()
        for group in groups
        for hook in group["hooks"]
    }


def test_config_set_updates_installed_hooks(tune, project):
    tune("hooks", "install")
    before = LOCAL.read_bytes()
    printed = tune("config", "set", "hooks.speak_at_tools", "true")
    assert [Path(line.split(": ", 1)[1]).name for line in printed.out.splitlines()] == ["config.json", LOCAL.name]
    assert "entry.py" not in read_hook_commands(LOCAL)["PreToolUse"]
    assert tune("hooks", "status").code == 0
    assert (
        "Bash | "
        in tune("hooks", "test", "PreToolUse", "--json").json[0]["answer"]["hookSpecificOutput"]["additionalContext"]
    )
    tune("config", "set", "hooks.speak_at_tools", "false")
    assert LOCAL.read_bytes() == before
    assert list(LOCAL.parent.glob("*.backup-*")) == []


def test_config_set_writes_no_hooks_through_a_link(tune, project, tmp_path):
    tune("hooks", "install")
    LOCAL.rename(other := tmp_path / "other.json")
    LOCAL.symlink_to(other)
    before = other.read_bytes()
    result = tune("config", "set", "hooks.speak_at_tools", "true")
    assert (result.code, "is a link" in result.err, "nothing was changed" in result.err) == (2, True, True)
    assert other.read_bytes() == before
    assert not (project / ".maceff").exists()
    assert ProjectConfig().get("hooks", "speak_at_tools") is False


def test_config_set_keeps_a_backup_of_another_layout(tune, project):
    tune("hooks", "install")
    LOCAL.write_text(text := json.dumps({**json.loads(LOCAL.read_text()), "env": {"A": 1.10}}, indent=4))
    printed = tune("config", "set", "hooks.speak_at_tools", "true").out
    (backup,) = LOCAL.parent.glob("*.backup-*")
    assert backup.read_text() == text
    assert f"backup: {backup.resolve()}" in printed


@pytest.mark.parametrize("existed", [True, False])
def test_config_set_that_fails_changes_nothing(tune, project, monkeypatch, existed):
    tune("hooks", "install")
    if existed:
        tune("config", "set", "hooks.power_steering", "true")
    config = project / ".maceff/config.json"

    def read_all():
        return read_tree(project), read_consent(project), config.read_bytes() if config.exists() else None

    before, write_bytes = read_all(), durable.write_bytes

    def fail(path, *arguments, **options):
        if path.name == LOCAL.name:
            raise WriteFailed(f"cannot write {path}: Permission denied")
        write_bytes(path, *arguments, **options)

    monkeypatch.setattr(durable, "write_bytes", fail)
    result = tune("config", "set", "hooks.speak_at_tools", "true")
    assert (result.code, "nothing was changed" in result.err) == (2, True)
    assert read_all() == before


def test_config_set_creates_nothing_beside_the_state_of_another_user(tune, project, monkeypatch):
    monkeypatch.setattr("orchestrator.fs.home.describe_stranger", lambda folder: f"{folder} belongs to ann")
    result = tune("config", "set", "hooks.power_steering", "true")
    assert (result.code, "belongs to ann" in result.err) == (2, True)
    assert not (project / ".maceff").exists()


def test_user_hooks_may_add_context_for_another_project(tune, project):
    tune("hooks", "install", "--user")
    settings = Path(os.environ["HOME"]) / ".claude" / "settings.json"
    tune("config", "set", "hooks.speak_at_tools", "true")
    assert "entry.py" not in read_hook_commands(settings)["PreToolUse"]
    tune("config", "set", "hooks.speak_at_tools", "false")
    assert "entry.py" not in read_hook_commands(settings)["PreToolUse"]
    assert tune("hooks", "status").code == 0


def test_hooks_status_reports_hooks_that_only_record(tune, project):
    tune("hooks", "install")
    write_config(project, hooks={"speak_at_tools": True})
    printed = tune("hooks", "status")
    assert printed.code == 1
    assert "ANOTHER INSTALLATION" not in printed.out
    assert printed.out.count("ONLY RECORDS") == 3
    assert tune("hooks", "install").code == 0
    assert tune("hooks", "status").code == 0


def test_config_set_lists_settings_for_an_unknown_one(tune, project):
    for key in ("nonsense", "hooks", "hooks.colour", "schema_version"):
        result = tune("config", "set", key, "3")
        assert (result.code, result.out) == (2, "")
        assert "agent.id, agent.name" in result.err
        assert "hooks.speak_at_tools" in result.err
        assert "{" not in result.err


def test_config_show_reports_unconfirmed_settings(tune, project):
    (project / ".maceff").mkdir()
    (project / ".maceff" / "config.json").write_text('{"schema_version": 1, "hooks": {"power_steering": true}}')
    result = tune("config", "show", "--json")
    schemas.check("session_output", result.json)
    assert (result.json["unheeded"], result.json["settings"]["hooks"]["power_steering"]) == (
        ["hooks.power_steering"],
        False,
    )
    for printed in (tune("config", "show").out, tune("hooks", "status").out):
        assert "`tune-skill config set hooks.power_steering true`" in printed
    tune("config", "set", "hooks.power_steering", "true")
    assert tune("config", "show", "--json").json["unheeded"] == []


def test_config_of_another_user_is_named_once_with_what_to_do(tune, project, monkeypatch):
    assert tune("config", "init").code == 0
    folder, user = Path(".maceff").absolute(), getuser()
    monkeypatch.setattr(os, "geteuid", lambda: os.getuid() + 1)

    def deny(path, *_, **__):
        raise PermissionError(errno.EACCES, "Permission denied", path)

    monkeypatch.setattr("orchestrator.guard.sessions.config.nofollow.read", deny)
    result = tune("config", "set", "hooks.power_steering", "true")
    whose = f"{folder} belongs to {user}, and only they can use it; work in your own clone"
    assert (result.code, result.err) == (2, f"tune-skill: {whose}; nothing was changed\n")


def test_config_without_permission_is_named_once(tune, project, monkeypatch):
    def deny(path, *_, **__):
        raise PermissionError(errno.EACCES, "Permission denied", path)

    monkeypatch.setattr("orchestrator.guard.sessions.config.nofollow.read", deny)
    file = Path(".maceff/config.json").absolute()
    err = tune("config", "set", "hooks.power_steering", "true").err
    assert err == f"tune-skill: {file}: Permission denied; correct the file first; nothing was changed\n"
