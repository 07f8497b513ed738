"""Test adding our hooks to settings of Claude Code, and removing them."""

import json
import os
import shlex
import sys

import pytest

from orchestrator.errors import Refused, WriteFailed
from orchestrator.fs import durable
from orchestrator.guard.hooks.dispatch import HANDLERS
from orchestrator.guard.hooks.entry import RECORDED
from orchestrator.installation.changes import apply_changes, find_backups
from orchestrator.installation.settings import build_hook_command_line, find_installed, plan_install, plan_uninstall
from orchestrator.installation.skill import plan_install as plan_skill_install
from orchestrator.installation.targets import find_project_target, find_user_target

SETTINGS_OF_OTHERS = {
    "model": "some-model",
    "hooks": {
        "Stop": [{"hooks": [{"type": "command", "command": "make lint"}]}],
        "PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "/opt/guard.sh hook PreToolUse"}]}],
        "Notification": [],
    },
    "permissions": {"allow": ["Bash(ls:*)"]},
}


def install_hooks(path):
    changes = plan_install(path)
    apply_changes(changes)
    return changes


def uninstall_hooks(path):
    changes = plan_uninstall(path)
    apply_changes(changes)
    return changes


@pytest.fixture
def path(project):
    path = find_project_target().settings
    path.parent.mkdir()
    path.write_text(json.dumps(SETTINGS_OF_OTHERS, indent=4))
    return path


def list_backups(path):
    return sorted(path.parent.glob(f"{path.name}.backup-*"))


def test_hooks_go_to_user_or_local_project_settings(project, tmp_path, monkeypatch):
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "config"))
    assert find_project_target().settings == project / ".claude" / "settings.local.json"
    assert find_user_target().settings == tmp_path / "config" / "settings.json"


def test_install_keeps_the_hooks_of_others(path):
    install_hooks(path)
    settings = json.loads(path.read_text())
    assert {item.event for item in find_installed(path)} == set(HANDLERS)
    assert all(item.current for item in find_installed(path))
    assert settings["hooks"]["Stop"][0] == SETTINGS_OF_OTHERS["hooks"]["Stop"][0]
    assert {hook["timeout"] for groups in settings["hooks"].values() for hook in groups[-1]["hooks"]} == {120}
    assert settings["hooks"]["PreToolUse"][0] == SETTINGS_OF_OTHERS["hooks"]["PreToolUse"][0]
    assert {key: settings[key] for key in ("model", "permissions")} == {
        key: SETTINGS_OF_OTHERS[key] for key in ("model", "permissions")
    }


def test_install_twice_changes_nothing(path):
    install_hooks(path)
    text = path.read_bytes()
    assert install_hooks(path) == []
    assert path.read_bytes() == text
    assert len(list_backups(path)) == 1


def test_install_accepts_a_hook_added_after_ours(path):
    install_hooks(path)
    settings = json.loads(path.read_text())
    settings["hooks"]["Stop"].append({"hooks": [{"type": "command", "command": "date"}]})
    path.write_text(json.dumps(settings))
    assert install_hooks(path) == []


@pytest.mark.parametrize("text", [
    json.dumps(SETTINGS_OF_OTHERS), json.dumps(SETTINGS_OF_OTHERS, indent="\t") + "\n\n", "{}", '{ "hooks": {} }', '{"hooks": {"Stop": []}}',
    '{"big": 1e400, "z": 1.50, "名": "\\u00e9"}'.replace("1e400", "1e40"),
])  # fmt: skip
def test_uninstall_restores_the_bytes_and_removes_the_backup(path, text):
    path.write_text(text)
    path.chmod(0o600)
    install_hooks(path)
    install_hooks(path)
    uninstall_hooks(path)
    assert path.read_text() == text
    assert path.stat().st_mode & 0o777 == 0o600
    assert list_backups(path) == []
    assert uninstall_hooks(path) == []


def test_uninstall_restores_only_an_own_equal_backup(path):
    path.write_text('{"alwaysOn": true}')
    own_backup, backup_from_clone = (
        path.with_name(f"{path.name}.backup-{name}") for name in ("mine", "20990101T000000Z")
    )
    own_backup.write_bytes(path.read_bytes())
    backup_from_clone.write_text('{"alwaysOn": 1}')
    install_hooks(path)
    uninstall_hooks(path)
    assert path.read_text() == '{"alwaysOn": true}'
    assert list_backups(path) == [backup_from_clone, own_backup]


@pytest.mark.parametrize("name", ["20990101T000000Z", "20990101T000000Z-1000"])
@pytest.mark.parametrize("is_link", [True, False])
def test_uninstall_ignores_a_backup_that_a_clone_brought(path, tmp_path, name, is_link):
    text = path.read_bytes()
    backup_from_clone, target = path.with_name(f"{path.name}.backup-{name}"), tmp_path / "target"
    (target if is_link else backup_from_clone).write_text(json.dumps(json.loads(text), indent=7))
    if is_link:
        backup_from_clone.symlink_to(target)
    install_hooks(path)
    uninstall_hooks(path)
    assert path.read_bytes() == text
    assert list_backups(path) == [backup_from_clone]
    assert backup_from_clone.is_symlink() is is_link


def test_install_finds_a_name_for_its_backup_among_thousands(path, monkeypatch):
    monkeypatch.setattr("orchestrator.installation.changes.time.strftime", lambda *_: "20990101T000000Z")
    (path.parent / f"{path.name}.backup-20990101T000000Z").symlink_to("nowhere")
    for number in range(2, 1100):
        (path.parent / f"{path.name}.backup-20990101T000000Z-{number}").touch()
    text = path.read_bytes()
    install_hooks(path)
    assert (path.parent / f"{path.name}.backup-20990101T000000Z-1100").read_bytes() == text
    uninstall_hooks(path)
    assert path.read_bytes() == text


def test_backups_of_one_second_are_sorted_by_number(path, monkeypatch):
    monkeypatch.setattr("orchestrator.installation.changes._is_own_backup", lambda _: True)
    newest_first = [
        f"{path.name}.backup-{end}" for end in ("20990101T000001Z", "20990101T000000Z-10", "20990101T000000Z-9")
    ]
    for name in newest_first:
        path.with_name(name).touch()
    assert [item.name for item in find_backups(path)] == newest_first


def test_uninstall_keeps_later_changes(path):
    install_hooks(path)
    settings = json.loads(path.read_text())
    path.write_text(json.dumps({**settings, "model": "another"}))
    uninstall_hooks(path)
    assert json.loads(path.read_text()) == {
        **SETTINGS_OF_OTHERS,
        "model": "another",
        "hooks": _remove_empty_events(SETTINGS_OF_OTHERS["hooks"]),
    }


@pytest.mark.parametrize("end", ["", "\n"])
def test_uninstall_after_a_change_by_claude_code_leaves_no_backup(path, end):
    path.write_text(json.dumps({"starts": 1, "name": "翠", "hooks": {}}, indent=2, ensure_ascii=False) + end)
    install_hooks(path)
    path.write_text(path.read_text().replace('"starts": 1', '"starts": 2').rstrip() + end)
    uninstall_hooks(path)
    assert path.read_text() == '{\n  "starts": 2,\n  "name": "翠",\n  "hooks": {}\n}' + end
    assert list_backups(path) == []


def test_uninstall_keeps_one_backup_with_the_layout_from_before(path):
    text = path.read_bytes()
    install_hooks(path)
    path.write_text(path.read_text().replace("some-model", "another"))
    (change,) = uninstall_hooks(path)
    (backup,) = list_backups(path)
    assert backup.read_bytes() == text
    assert f"{backup} is kept, because it has your earlier layout" in change.subject


def test_uninstall_keeps_one_backup_with_the_newest_layout(path):
    install_hooks(path)
    path.write_text(json.dumps({**json.loads(path.read_text()), "model": "another"}, indent="\t"))
    text = path.read_bytes()
    (change,) = uninstall_hooks(path)
    assert [change.backup] == list_backups(path)
    assert change.backup.read_bytes() == text


def _remove_empty_events(hooks):
    return {event: groups for event, groups in hooks.items() if groups}


def test_install_backs_up_the_file_byte_for_byte(path):
    text = path.read_bytes()
    install_hooks(path)
    (backup,) = list_backups(path)
    assert backup.read_bytes() == text


def test_install_keeps_an_escaped_lone_surrogate(path):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(r'{"outputStyle": "\ud83d half", "model": "\u7fe0"}')
    install_hooks(path)
    assert json.loads(path.read_bytes().decode())["outputStyle"] == "\ud83d half"
    uninstall_hooks(path)
    assert path.read_text() == r'{"outputStyle": "\ud83d half", "model": "\u7fe0"}'


def test_missing_settings_are_created_and_removed_again(project):
    path = find_project_target().settings
    assert uninstall_hooks(path) == []
    install_hooks(path)
    assert len(find_installed(path)) == len(HANDLERS)
    assert list_backups(path) == []
    uninstall_hooks(path)
    assert not path.parent.exists()


def test_install_replaces_hooks_of_older_installations(path):
    settings = json.loads(path.read_text())
    old = {"type": "command", "command": "/old/python -I -S /old/orchestrator/guard/hooks/entry.py PostToolUse"}
    older = {"type": "command", "command": "'/old place/tune-skill' hook PostToolUse"}
    checkout = {"type": "command", "command": "/usr/bin/python3 '/a b/tune_skill.py' hook PostToolUse"}
    settings["hooks"]["PostToolUse"] = [{"hooks": [old, {"type": "command", "command": "date"}, older, checkout]}]
    path.write_text(json.dumps(settings))
    assert [item.current for item in find_installed(path)] == [False] * 3
    install_hooks(path)
    assert all(item.current for item in find_installed(path))
    assert json.loads(path.read_text())["hooks"]["PostToolUse"][0] == {
        "hooks": [{"type": "command", "command": "date"}]
    }
    uninstall_hooks(path)
    assert find_installed(path) == []


INVALID_SETTINGS = [
    '{"a": 1, // why\n}', "", "[]", "{", '{"a": 1, "a": 2}', '{"a": NaN}', '{"a": 1e999}', '{"hooks": []}', '{"hooks": {"Stop": {}}}',
    '{"hooks": {"Stop": ["x"]}}', '{"hooks": {"Stop": [{"hooks": "x"}]}}', "\ufeff{}", "[" * 100_000,
]  # fmt: skip


@pytest.mark.parametrize("text", INVALID_SETTINGS)
@pytest.mark.parametrize("action", [plan_install, find_installed])
def test_install_refuses_settings_of_another_form(path, action, text):
    path.write_text(text)
    with pytest.raises(Refused, match=r"settings\.local\.json"):
        action(path)
    assert path.read_text() == text
    assert list_backups(path) == []


@pytest.mark.parametrize("text", INVALID_SETTINGS)
def test_uninstall_skips_invalid_settings_without_our_hooks(path, text):
    path.write_text(text)
    assert plan_uninstall(path) == []


@pytest.mark.parametrize("hook", ["/a/orchestrator/hooks/entry.py Stop", "'/a b/tune-skill' hook Stop"])
@pytest.mark.parametrize("form", ["", "\\/", "\\u006f"])
def test_uninstall_refuses_invalid_settings_that_may_have_our_hooks(path, hook, form):
    """Other programs may escape a slash or a letter."""
    hook = hook.replace({"\\/": "/"}.get(form, "o"), form) if form else hook
    text = f'{{"a": 1, "a": 2, "hooks": {{"Stop": [{{"hooks": [{{"type": "command", "command": "{hook}"}}]}}]}}}}'
    path.write_text(text)
    with pytest.raises(Refused, match="duplicate key"):
        plan_uninstall(path)


def test_change_during_the_write_is_kept(path, monkeypatch):
    changes = plan_install(path)
    write_new = durable.write_new
    monkeypatch.setattr(durable, "write_new", lambda *a, **o: (write_new(*a, **o), path.write_text("theirs"))[0])
    with pytest.raises(WriteFailed, match="another program has just changed it"):
        apply_changes(changes)
    assert path.read_text() == "theirs"
    assert sorted(item.name for item in path.parent.iterdir()) == [path.name]


@pytest.mark.parametrize("text_at_write", [b'{"model": "newer"}', None])
def test_change_between_plan_and_write_is_kept(path, text_at_write):
    changes = plan_install(path)
    path.unlink()
    if text_at_write is not None:
        path.write_bytes(text_at_write)
    with pytest.raises(WriteFailed, match="another program has just changed it, try again; nothing was changed"):
        apply_changes(changes)
    assert (path.read_bytes() if path.exists() else None) == text_at_write
    assert list_backups(path) == []


def test_install_refuses_a_pipe_without_waiting(path):
    path.unlink()
    os.mkfifo(path)
    with pytest.raises(Refused, match="not a regular file"):
        plan_install(path)


def test_install_writes_the_target_of_a_link(path, tmp_path):
    target = tmp_path / "dotfiles.json"
    path.rename(target)
    path.symlink_to(target)
    install_hooks(path)
    assert path.is_symlink()
    assert len(json.loads(target.read_text())["hooks"]["Stop"]) == 2


@pytest.mark.parametrize("link_target", ["elsewhere/nothing.json", "settings.local.json"])
def test_install_refuses_a_dangling_link(tmp_path, link_target):
    path = tmp_path / "settings.local.json"
    path.symlink_to(tmp_path / link_target)
    with pytest.raises(Refused, match="a dangling link"):
        plan_install(path)
    with pytest.raises(Refused, match="a dangling link"):
        plan_skill_install(path, b"text")
    assert list(tmp_path.iterdir()) == [path]


def test_hook_words_are_bare_for_recording_hooks():
    for event in HANDLERS:
        words = shlex.split(build_hook_command_line(event))
        if event in RECORDED:
            assert words[:3] == [sys.executable, "-I", "-S"]
            assert words[3].endswith("/orchestrator/guard/hooks/entry.py")
        else:
            assert [word for word in words if word != ">/dev/null"][-2:] == ["hook", event]
            assert (words[-1] == ">/dev/null") is (event == "PreCompact")
    assert shlex.split(build_hook_command_line("PreToolUse", speak_at_tools=True))[-2:] == ["hook", "PreToolUse"]
    assert "entry.py" in build_hook_command_line("SessionEnd", speak_at_tools=True)
