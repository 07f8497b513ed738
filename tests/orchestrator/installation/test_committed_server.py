"""Test that `uninstall` keeps the entry of the server that a project's team committed."""

import json
import os
import shutil
import subprocess

import pytest

from orchestrator.installation.changes import apply_changes, find_backups
from orchestrator.installation.server import (
    NAME,
    build_server_entry,
    explain_kept_server,
    plan_install,
    plan_uninstall,
)
from orchestrator.installation.targets import find_project_target

COMMAND = ["tune-skill"]
OTHER = {"command": "gulls"}
SHORT = {"command": "tune-skill", "args": ["mcp"]}
GENERATED = build_server_entry(COMMAND)


@pytest.fixture
def path(project):
    shutil.rmtree(project / ".git")
    run_git(project, "init")
    run_git(project, "commit", "--allow-empty", "-m", "start")
    return find_project_target().servers


def run_git(folder, *arguments):
    identity = ("-c", "user.name=a", "-c", "user.email=a@b.c", "-c", "commit.gpgsign=false")
    subprocess.run(["git", *identity, *arguments], cwd=folder, check=True, capture_output=True)


def write_servers(path, **servers):
    path.write_text(json.dumps({"mcpServers": servers}, indent=4))


def commit(path):
    run_git(path.parent, "add", path.name)
    run_git(path.parent, "commit", "-m", "servers")


def install(path, command=COMMAND):
    apply_changes(plan_install(path, command))


def uninstall(path):
    apply_changes(plan_uninstall(path))


@pytest.mark.parametrize("servers", [{NAME: SHORT}, {NAME: GENERATED, "other": OTHER}, {"other": OTHER}])
def test_uninstall_keeps_a_file_that_replaced_the_created_one(path, servers):
    install(path)
    run_git(path.parent, "clean", "-f")
    assert not path.exists()
    write_servers(path, **servers)
    commit(path)
    before = path.read_bytes()
    uninstall(path)
    assert path.read_bytes() == before
    assert (explain_kept_server(path) is not None) == (NAME in servers)


@pytest.mark.parametrize("entry", [SHORT, GENERATED])
@pytest.mark.parametrize("is_committed", [True, False])
def test_uninstall_restores_a_replaced_file_after_another_install(path, entry, is_committed):
    install(path)
    run_git(path.parent, "clean", "-f")
    write_servers(path, **{NAME: entry}, other=OTHER)
    if is_committed:
        commit(path)
    before = path.read_bytes()
    install(path, ["/new/bin/tune-skill"])
    assert path.read_bytes() != before
    uninstall(path)
    others = {"other": OTHER} if entry == GENERATED and not is_committed else {"other": OTHER, NAME: entry}
    assert json.loads(path.read_text())["mcpServers"] == others
    assert not is_committed or path.read_bytes() == before


def test_uninstall_keeps_an_entry_that_arrived_after_a_checkout(path):
    write_servers(path, other=OTHER)
    commit(path)
    install(path)
    run_git(path.parent, "checkout", "--", path.name)
    write_servers(path, other=OTHER, **{NAME: GENERATED})
    commit(path)
    before = path.read_bytes()
    uninstall(path)
    assert path.read_bytes() == before


@pytest.mark.parametrize("existed", [True, False])
def test_uninstall_undoes_an_installation_that_was_committed(path, existed):
    if existed:
        write_servers(path, other=OTHER)
    before = path.read_bytes() if existed else None
    install(path)
    commit(path)
    uninstall(path)
    assert (path.read_bytes() if path.exists() else None) == before
    assert find_backups(path) == []


@pytest.mark.parametrize("indent", [2, 4])
@pytest.mark.parametrize("times", [1, 2])
def test_uninstall_restores_the_committed_file_if_its_backup_is_gone(path, indent, times):
    path.write_text(json.dumps({"mcpServers": {"other": OTHER}}, indent=indent) + "\n")
    commit(path)
    before = path.read_bytes()
    install(path)
    run_git(path.parent, "clean", "-fdx")
    for _ in range(times - 1):
        install(path)
    uninstall(path)
    assert path.read_bytes() == before


@pytest.mark.parametrize("entry", [SHORT, None])
def test_uninstall_restores_the_committed_entry_beside_later_servers(path, entry):
    write_servers(path, other=OTHER, **({NAME: entry} if entry else {}))
    commit(path)
    install(path, ["/new/bin/tune-skill"])
    run_git(path.parent, "clean", "-fdx")
    write_servers(path, **json.loads(path.read_text())["mcpServers"], added=OTHER)
    uninstall(path)
    servers = json.loads(path.read_text())["mcpServers"]
    assert servers == {"other": OTHER, "added": OTHER, **({NAME: entry} if entry else {})}


@pytest.mark.parametrize("is_committed", [True, False])
@pytest.mark.parametrize("entry", [GENERATED, {**GENERATED, "env": {"TEAM": "1"}}])
def test_uninstall_keeps_keys_that_were_added_to_a_replaced_entry(path, entry, is_committed):
    write_servers(path, **{NAME: {**entry, "command": "./tune-skill"}})
    if is_committed:
        commit(path)
    before = path.read_bytes()
    install(path)
    write_servers(path, **{NAME: {**json.loads(path.read_text())["mcpServers"][NAME], "env": {"MINE": "1"}}})
    (change,) = plan_uninstall(path)
    assert "the backup has your keys" in change.subject
    uninstall(path)
    assert json.loads(path.read_bytes()) == json.loads(before)
    backups = [json.loads(file.read_text())["mcpServers"][NAME] for file in find_backups(path)]
    assert {"MINE": "1"} in [backup["env"] for backup in backups]


def test_uninstall_removes_the_server_from_a_moved_project(path, monkeypatch):
    write_servers(path, other=OTHER)
    commit(path)
    install(path)
    moved_project = path.parent.rename(path.parent.with_name("moved"))
    monkeypatch.chdir(moved_project)
    uninstall(moved_project / path.name)
    assert json.loads((moved_project / path.name).read_text()) == {"mcpServers": {"other": OTHER}}


def test_uninstall_keeps_a_committed_server_in_another_clone(path):
    install(path)
    commit(path)
    clone = path.parent.with_name("clone")
    run_git(path.parent, "clone", ".", str(clone))
    assert plan_uninstall(clone / path.name) == []


def test_uninstall_removes_an_entry_beside_servers_that_were_committed_without_it(path):
    install(path)
    write_servers(path, other=OTHER)
    commit(path)
    write_servers(path, other=OTHER, **{NAME: GENERATED})
    uninstall(path)
    assert json.loads(path.read_text()) == {"mcpServers": {"other": OTHER}}


def test_settings_of_the_repository_start_no_program(path):
    """`uninstall` asks git about a repository that may be hostile."""
    install(path)
    write_servers(path, other=OTHER, **{NAME: GENERATED})
    commit(path)
    mark = path.parent / "started"
    (path.parent / ".gitattributes").write_text("* filter=x diff=x\n")
    for key in ("filter.x.smudge", "filter.x.clean", "diff.x.textconv", "core.fsmonitor"):
        run_git(path.parent, "config", key, f"touch {mark}; cat")
    plan_uninstall(path)
    assert not os.path.lexists(mark)
