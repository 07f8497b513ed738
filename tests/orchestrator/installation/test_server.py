"""Test that `install` keeps an entry of the server that the user wrote or extended, and `uninstall` restores it."""

import json

import pytest

from orchestrator.installation.changes import apply_changes, find_backups
from orchestrator.installation.server import NAME, build_server_entry, list_kept_keys, plan_install, plan_uninstall
from orchestrator.installation.targets import find_project_target

KEY = {"ANTHROPIC_API_KEY": "sk-mine"}
COMMAND = ["tune-skill"]
GENERATED = build_server_entry(COMMAND)
EXTENDED = {"timeout": 9, **GENERATED, "env": KEY}
SHORT = {"command": "tune-skill", "args": ["mcp"]}
MOVED = {"command": "/old/bin/tune-skill", "args": ["mcp"], "env": KEY, "alwaysLoad": True}


@pytest.fixture
def path(project):
    return find_project_target().servers


def write_entry(path, entry, indent=4, **others):
    servers = {"other": {"command": "x"}, **({NAME: entry} if entry else {}), **others}
    path.write_text(json.dumps({"more": 1, "mcpServers": servers}, indent=indent))


def read_entry(path):
    return json.loads(path.read_text())["mcpServers"].get(NAME)


def install(path, command=COMMAND):
    apply_changes(plan_install(path, command))


def uninstall(path):
    changes = plan_uninstall(path)
    apply_changes(changes)
    return changes


@pytest.mark.parametrize("entry", [EXTENDED, SHORT, MOVED, SHORT | {"env": None}, GENERATED])
@pytest.mark.parametrize("commands", [[COMMAND], [["/new/bin/tune-skill"], ["/newer/bin/tune-skill"]]])
def test_uninstall_restores_the_entry_of_the_user(path, entry, commands):
    write_entry(path, entry)
    before = path.read_bytes()
    for command in commands:
        install(path, command)
        kept = {key: value for key, value in entry.items() if key != "command"}
        assert read_entry(path) | kept == read_entry(path)
        assert read_entry(path)["command"] == command[0]
        assert plan_install(path, command) == []
    uninstall(path)
    assert path.read_bytes() == before
    assert find_backups(path) == []


@pytest.mark.parametrize("entry", [EXTENDED, GENERATED])
def test_entry_that_was_there_before_is_not_touched(path, entry):
    write_entry(path, entry)
    assert plan_install(path, COMMAND) == plan_uninstall(path) == []


def test_uninstall_restores_the_entry_beside_servers_added_later(path):
    write_entry(path, MOVED)
    install(path)
    write_entry(path, read_entry(path), added={"command": "gulls"})
    uninstall(path)
    assert read_entry(path) == MOVED
    assert json.loads(path.read_text())["mcpServers"]["added"] == {"command": "gulls"}


@pytest.mark.parametrize("existed", [True, False])
@pytest.mark.parametrize("command", [COMMAND, ["/new/bin/tune-skill"]])
def test_uninstall_keeps_a_backup_of_an_entry_extended_later(path, existed, command):
    if existed:
        write_entry(path, None)
    before = path.read_bytes() if existed else None
    install(path)
    config = json.loads(path.read_text())
    config["mcpServers"][NAME] |= {"env": KEY}
    path.write_text(json.dumps(config, indent=2))
    install(path, command)
    assert read_entry(path)["env"] == KEY
    (change,) = uninstall(path)
    assert (path.read_bytes() if existed else None) == before
    assert "the backup has your keys" in change.subject
    (backup,) = find_backups(path)
    assert read_entry(backup)["env"] == KEY
    install(path)
    assert read_entry(path) == GENERATED
    uninstall(path)
    assert path.exists() == existed
    assert find_backups(path) == [backup]


def test_update_of_a_generated_entry_makes_no_backup(path):
    write_entry(path, None)
    before = path.read_bytes()
    install(path)
    (change,) = plan_install(path, ["/new/bin/tune-skill"])
    assert change.backup is None
    apply_changes([change])
    uninstall(path)
    assert path.read_bytes() == before


def test_kept_keys_are_those_that_tune_skill_does_not_write(path):
    write_entry(path, MOVED)
    assert list_kept_keys(path) == ["env ANTHROPIC_API_KEY", "alwaysLoad"]
    write_entry(path, GENERATED)
    assert list_kept_keys(path) == []
    write_entry(path, {"command": "other", "env": KEY})
    assert list_kept_keys(path) == []
