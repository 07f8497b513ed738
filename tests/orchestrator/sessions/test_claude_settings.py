"""Hooks are put into settings and taken out again; nothing else in them changes."""

import json
import shlex
import sys

import pytest

from orchestrator.errors import Refused
from orchestrator.hooks.dispatch import HANDLERS
from orchestrator.hooks.entry import RECORDED
from orchestrator.sessions.claude_settings import command_of, install, installed, settings_path, uninstall

THEIRS = {
    "model": "some-model",
    "hooks": {
        "Stop": [{"hooks": [{"type": "command", "command": "make lint"}]}],
        "PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "/opt/guard.sh hook PreToolUse"}]}],
        "Notification": [],
    },
    "permissions": {"allow": ["Bash(ls:*)"]},
}


@pytest.fixture
def path(project):
    path = settings_path(project)
    path.parent.mkdir()
    path.write_text(json.dumps(THEIRS, indent=4))
    return path


def backups(path):
    return sorted(path.parent.glob("settings.json.backup-*"))


def test_settings_are_those_of_the_project_or_of_the_user(project, tmp_path, monkeypatch):
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "config"))
    assert settings_path(project) == project / ".claude" / "settings.json"
    assert settings_path(None) == tmp_path / "config" / "settings.json"


def test_what_is_installed_stands_beside_what_others_have(path):
    install(path)
    settings = json.loads(path.read_text())
    assert {one.event for one in installed(path)} == set(HANDLERS)
    assert all(one.current for one in installed(path))
    assert settings["hooks"]["Stop"][0] == THEIRS["hooks"]["Stop"][0]
    assert settings["hooks"]["Stop"][1]["hooks"][0]["timeout"] == 120
    assert settings["hooks"]["PreToolUse"][0] == THEIRS["hooks"]["PreToolUse"][0]
    assert {key: settings[key] for key in ("model", "permissions")} == {
        key: THEIRS[key] for key in ("model", "permissions")
    }


def test_a_second_installation_changes_nothing(path):
    install(path)
    text = path.read_bytes()
    assert install(path) is None
    assert path.read_bytes() == text
    assert len(backups(path)) == 1


def test_uninstalling_gives_back_what_stood_there(path):
    install(path)
    uninstall(path)
    assert json.loads(path.read_text()) == THEIRS
    assert uninstall(path) is None


def test_the_file_as_it_was_is_kept_byte_for_byte(path):
    text = path.read_bytes()
    backup = install(path)
    assert backup == backups(path)[0]
    assert backup.read_bytes() == text


def test_settings_that_are_not_there_are_made_and_emptied_again(project):
    path = settings_path(project)
    assert uninstall(path) is None
    assert not path.exists()
    assert install(path) is None
    assert len(installed(path)) == len(HANDLERS)
    uninstall(path)
    assert json.loads(path.read_text()) == {}


def test_hooks_of_an_older_installation_are_replaced(path):
    settings = json.loads(path.read_text())
    old = {"type": "command", "command": "/old/python -I -S /old/orchestrator/hooks/entry.py PostToolUse"}
    settings["hooks"]["PostToolUse"] = [{"hooks": [old, {"type": "command", "command": "date"}]}]
    path.write_text(json.dumps(settings))
    assert [one.current for one in installed(path)] == [False]
    install(path)
    assert all(one.current for one in installed(path))
    assert json.loads(path.read_text())["hooks"]["PostToolUse"][0] == {
        "hooks": [{"type": "command", "command": "date"}]
    }


@pytest.mark.parametrize(
    "text",
    ['{"a": 1, // why\n}', "", "[]", "{", '{"a": 1, "a": 2}', '{"a": NaN}', '{"hooks": []}', '{"hooks": {"Stop": {}}}',
     '{"hooks": {"Stop": ["x"]}}', '{"hooks": {"Stop": [{"hooks": "x"}]}}', "\ufeff{}", "[" * 100_000],
)  # fmt: skip
@pytest.mark.parametrize("act", [install, uninstall, installed])
def test_settings_of_another_form_are_refused_and_stay_as_they_are(path, act, text):
    path.write_text(text)
    with pytest.raises(Refused, match=r"settings\.json"):
        act(path)
    assert path.read_text() == text
    assert backups(path) == []


def test_a_link_stays_a_link_and_its_target_is_written(path, tmp_path):
    target = tmp_path / "dotfiles.json"
    path.rename(target)
    path.symlink_to(target)
    install(path)
    assert path.is_symlink()
    assert len(json.loads(target.read_text())["hooks"]["Stop"]) == 2


def test_a_hook_that_only_records_is_started_bare_and_one_that_speaks_by_the_command():
    for event in HANDLERS:
        words = shlex.split(command_of(event))
        if event in RECORDED:
            assert words[:3] == [sys.executable, "-I", "-S"]
            assert words[3].endswith("/orchestrator/hooks/entry.py")
        else:
            assert words[-2:] == ["hook", event]
    assert shlex.split(command_of("PreToolUse", speak_at_tools=True))[-2:] == ["hook", "PreToolUse"]
    assert "entry.py" in command_of("SessionEnd", speak_at_tools=True)
