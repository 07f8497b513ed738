"""Test `install` and `uninstall`: what they write, print and refuse, and that `uninstall` removes everything."""

import errno
import json
import os
import re
import shutil
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path

import pytest

import schemas
from orchestrator.installation import changes
from orchestrator.installation.changes import lock_folders
from tests.orchestrator.cli.claude_code.conftest import LOCAL, SKILL, list_changes, read_tree

SERVER_FILE = Path(".mcp.json")
ROOT = str(Path(__file__).parents[4])


@pytest.mark.parametrize("scope", [(), ("--project",), ("--user",)])
def test_install_is_repeatable_and_removable(tune, project, scope):
    home = Path(os.environ["HOME"])
    before = read_tree(project), read_files(home)
    first = tune("install", *scope, "--hooks", "--json")
    settings = "settings.json" if scope == ("--user",) else "settings.local.json"
    servers = ".claude.json" if scope == ("--user",) else ".mcp.json"
    written = [("written", name) for name in ("SKILL.md", "skill-judge.md", servers, settings)]
    assert list_changes(first) == written
    assert list_changes(tune("install", *scope, "--hooks", "--json")) == []
    removed = [("removed", name) for name in (settings, "SKILL.md", "skill-judge.md", servers)]
    assert list_changes(tune("uninstall", *scope, "--hooks", "--json")) == removed
    assert list_changes(tune("uninstall", *scope, "--json")) == []
    assert (read_tree(project), read_files(home)) == before


def read_files(home):
    """Return the files of a home folder, without .gitignore in our state folder."""
    return {path: data for path, data in read_tree(home).items() if data is not None and ".gitignore" not in path}


def test_second_installation_waits_for_the_first(project, tune, monkeypatch):
    first, waits = ExitStack(), []
    monkeypatch.setattr(changes.time, "sleep", lambda seconds: (waits.append(seconds), first.close()))
    for command in (["install", "--hooks"], ["uninstall"], ["hooks", "install"], ["hooks", "uninstall"]):
        first.enter_context(lock_folders(project))
        assert tune(*command).code == 0
    assert len(waits) == 4


@pytest.mark.parametrize("command", ["install", "uninstall"])
@pytest.mark.parametrize(
    ("function", "message"),
    [("remove_leftovers", "all changes were made"), ("_wait_for_lock", "nothing was changed")],
)
def test_ctrl_c_says_whether_anything_was_changed(tune, project, monkeypatch, command, function, message):
    if command == "uninstall":
        assert tune("install").code == 0
    before = read_tree(project)
    monkeypatch.setattr(changes, function, interrupt)
    result = tune(command)
    assert (result.code, result.err.strip()) == (130, f"tune-skill: interrupted; {message}")
    assert (read_tree(project) == before) is (message == "nothing was changed")


def interrupt(*arguments):
    raise KeyboardInterrupt


def test_config_waits_for_an_installation(project, tune, monkeypatch):
    with lock_folders(project):
        waits = []
        monkeypatch.setattr(changes.time, "sleep", waits.append)
        assert tune("config", "set", "hooks.speak_at_tools", "true").code == 0
    assert len(waits) == changes._MAX_ATTEMPTS


@pytest.mark.parametrize("error", [OSError(errno.ENOLCK, "No locks available"), BlockingIOError()])
def test_installation_works_without_a_lock(project, tune, monkeypatch, error):
    """Other programs may lock the folder of a project for hours, and some disks have no locks."""

    def fail(fd, how):
        raise error

    monkeypatch.setattr("orchestrator.fs.append_log.fcntl.flock", fail)
    monkeypatch.setattr(changes.time, "sleep", lambda seconds: None)
    assert tune("install").code == 0
    assert (project / SKILL).exists()


KILLED_COMMAND = """
import os, sys
from tune_skill import main
def die(source, target, **options):
    if target.startswith(killed_at):
        os._exit(9)
    rename(source, target, **options)
rename, os.replace = os.replace, die
killed_at, sys.argv = sys.argv[1], ["tune-skill", "install", "--hooks"]
main()
"""


def kill_install_at(target):
    child = [sys.executable, "-c", KILLED_COMMAND, target]
    assert subprocess.run(child, env=os.environ | {"PYTHONPATH": ROOT}, check=False).returncode == 9


@pytest.mark.parametrize("command", ["install", "uninstall"])
@pytest.mark.parametrize(
    "target", ["SKILL.md", "skill-judge.md", ".mcp.json", "settings.local.json", f"{LOCAL.name}.b"]
)
def test_temp_files_of_a_killed_install_are_removed(tune, project, command, target):
    file_of_user = LOCAL.parent / ".tune-skill-0123456789abcdef.tmp"
    file_of_user.parent.mkdir()
    file_of_user.write_text("mine")
    LOCAL.write_text("{}")
    before = read_tree(project)
    kill_install_at(target)
    assert len(list(project.rglob(".tune-skill-*.tmp"))) == 2
    assert tune(command).code == 0
    assert list(project.rglob(".tune-skill-*.tmp")) == [file_of_user.absolute()]
    assert tune("uninstall").code == 0
    assert read_tree(project) == before


def test_uninstall_removes_folders_that_a_kill_left(tune, project):
    before = read_tree(project)
    kill_install_at("SKILL.md")
    assert SKILL.parent.is_dir()
    assert tune("uninstall").code == 0
    assert read_tree(project) == before


@pytest.mark.parametrize("folder", [".claude", ".claude/agents", ".claude/skills/tune-skill"])
@pytest.mark.parametrize("commands", [["install", "uninstall"], ["uninstall"], ["install", "uninstall", "uninstall"]])
def test_uninstall_keeps_empty_folders_of_the_user(tune, project, monkeypatch, folder, commands):
    named_alike = project / "tune-skill"
    (named_alike / ".git").mkdir(parents=True)
    (named_alike / folder).mkdir(parents=True)
    monkeypatch.chdir(named_alike)
    before = read_tree(project)
    for command in commands:
        assert tune(command).code == 0
    assert read_tree(project) == before


def test_uninstall_removes_a_backup_that_a_kill_left(tune):
    LOCAL.parent.mkdir()
    LOCAL.write_text('{"model":"opus"}')
    tune("install", "--hooks")
    LOCAL.write_text('{"model":"opus"}')
    tune("uninstall")
    assert [path.name for path in LOCAL.parent.iterdir()] == [LOCAL.name]


@pytest.mark.parametrize(("installed_scope", "other_scope"), [("--user", ()), ("--project", ("--user",))])
def test_uninstall_suggests_the_scope_that_is_installed(tune, installed_scope, other_scope):
    tune("install", installed_scope)
    assert f"to remove it: `tune-skill uninstall {installed_scope}`" in tune("uninstall", *other_scope).out
    tune("uninstall", installed_scope)
    assert "to remove it" not in tune("uninstall", *other_scope).out


def test_install_prints_changes_and_backups(tune, project):
    LOCAL.parent.mkdir()
    LOCAL.write_text('{"model":"opus"}')
    printed = tune("install", "--hooks").out
    backup = next(LOCAL.parent.glob("*.backup-*"))
    assert f"changed  {LOCAL.absolute()}\n         8 hooks: SessionStart," in printed
    assert f"backup: {backup.absolute()}" in printed
    assert backup.read_text() == '{"model":"opus"}'
    assert "restored" in tune("uninstall").out
    assert LOCAL.read_text() == '{"model":"opus"}'
    assert not backup.exists()


def test_install_without_hooks_writes_none(tune, project):
    assert [name for _, name in list_changes(tune("install", "--json"))] == ["SKILL.md", "skill-judge.md", ".mcp.json"]
    assert not LOCAL.exists()


def test_uninstall_works_beside_settings_with_a_comment(tune, project):
    shared = project / ".claude/settings.json"
    shared.parent.mkdir()
    shared.write_text('{\n  // mine\n  "model": "opus"\n}\n')
    before = read_tree(project)
    assert tune("install", "--hooks").code == 0
    assert tune("uninstall").code == 0
    assert read_tree(project) == before
    (project / SERVER_FILE).write_text('{"mcpServers": {}, "mcpServers": {"tune-skill": {}}}')
    refused = tune("uninstall")
    assert refused.code != 0
    assert f"{SERVER_FILE}: not plain JSON (duplicate key); fix it first, nothing was changed" in refused.err


@pytest.mark.parametrize(
    "command", [("uninstall",), ("hooks", "uninstall"), ("config", "set", "hooks.speak_at_tools", "true")]
)
def test_hooks_that_a_project_shares_stay(tune, project, command):
    shared = project / ".claude/settings.json"
    shared.parent.mkdir()
    hook = {"type": "command", "command": "tune-skill hook Stop"}
    shared.write_text(json.dumps({"hooks": {"Stop": [{"hooks": [hook]}]}}, indent=4))
    before = read_tree(project)
    assert f"{shared} already has the hooks of tune-skill" in tune("install", "--hooks").err
    assert tune("install").code == 0
    result = tune(*command)
    assert result.code == 0
    assert command[0] == "config" or f"the hooks in {shared} stay" in " ".join(result.out.split())
    assert tune("uninstall").code == 0
    assert read_tree(project) == before


def test_install_of_hooks_says_whose_folder_it_cannot_use(tune, project, monkeypatch):
    monkeypatch.setattr("orchestrator.fs.ownership.describe_other_owner", lambda path: f"{path} belongs to ann")
    printed = " ".join(tune("install", "--hooks").out.split())
    assert f"sessions of this project are not recorded: {project / '.maceff'} belongs to ann" in printed
    assert "new sessions are recorded" not in printed


@pytest.mark.parametrize("text", ["{ // mine\n}", "[]", '{"hooks": []}'])
def test_install_refuses_invalid_settings(tune, project, text):
    LOCAL.parent.mkdir()
    LOCAL.write_text(text)
    before = read_tree(project)
    result = tune("install", "--hooks")
    assert result.code == 2
    assert result.err.count("\n") == 1
    assert "settings.local.json" in result.err
    assert read_tree(project) == before


@pytest.mark.parametrize("blocked", [".claude", ".claude/skills/tune-skill", LOCAL])
def test_install_undoes_all_changes_on_a_write_error(tune, project, blocked):
    """Even root cannot write if a folder is replaced by a file, or a file by a folder."""
    Path(blocked).parent.mkdir(parents=True, exist_ok=True)
    Path(blocked).mkdir() if Path(blocked) == LOCAL else Path(blocked).write_text("mine")
    before = read_tree(project)
    result = tune("install", "--hooks")
    assert result.code == 2
    assert result.err.count("\n") == 1
    assert read_tree(project) == before


def test_install_into_a_read_only_home_prints_one_line(tune, project, monkeypatch):
    """In /sys even root cannot create a folder."""
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", "/sys/no/claude")
    result = tune("install", "--user", "--hooks")
    assert result.code == 2
    assert result.err.count("\n") == 1
    assert "nothing was changed" in result.err


def test_install_keeps_a_foreign_skill_of_the_same_name(tune, project):
    SKILL.parent.mkdir(parents=True)
    SKILL.write_text("---\nname: tune-skill\n---\nTune my guitar.\n")
    before = read_tree(project)
    assert "did not write" in tune("install").err
    assert list_changes(tune("uninstall", "--json")) == []
    assert read_tree(project) == before


def test_install_backs_up_an_edited_command(tune, project, monkeypatch):
    monkeypatch.setattr("orchestrator.version.version", lambda: "0.0.9")
    tune("install")
    old = SKILL.read_text()
    monkeypatch.undo()
    monkeypatch.chdir(project)
    assert list_changes(tune("install", "--json")) == [("changed", "SKILL.md"), ("changed", "skill-judge.md")]
    assert "generator: tune-skill 0.0.9" in old
    assert list(SKILL.parent.iterdir()) == [SKILL]
    SKILL.write_text(SKILL.read_text() + "My own line.\n")
    tune("install")
    (backup,) = SKILL.parent.glob("*.backup-*")
    assert backup.read_text().endswith("My own line.\n")
    assert "My own line" not in SKILL.read_text()
    SKILL.write_bytes(backup.read_bytes())
    assert list_changes(tune("uninstall", "--json"))[0] == ("removed", "SKILL.md")
    assert {path.read_bytes() for path in SKILL.parent.iterdir()} == {backup.read_bytes()}
    assert not SKILL.exists()


def test_install_warns_of_settings_that_git_would_commit(tune, project):
    shutil.rmtree(".git")
    assert "git does not ignore" not in tune("install", "--hooks").out
    tune("uninstall")
    subprocess.run(["git", "init", "--quiet"], check=True)
    assert "git does not ignore" in tune("install", "--hooks").out
    Path(".gitignore").write_text("settings.local.json\n")
    assert "git does not ignore" not in tune("install", "--hooks").out
    tune("uninstall")
    Path(".mcp.json").write_text("{}\n")
    (note,) = (line for line in tune("install").out.splitlines() if "git does not ignore" in line)
    assert ".mcp.json.backup-" in note
    tune("uninstall")
    Path(".gitignore").write_text("*.backup-*\n")
    assert "git does not ignore" not in tune("install").out


def test_install_does_not_treat_home_as_a_project(tune, project, monkeypatch):
    monkeypatch.chdir(os.environ["HOME"])
    assert "use --user" in tune("install").err


def test_install_names_another_tune_skill_on_path(tune, project, tmp_path, monkeypatch):
    other = tmp_path / "bin" / "tune-skill"
    other.parent.mkdir()
    other.write_text("#!/bin/sh\nexit 1\n")
    other.chmod(0o755)
    monkeypatch.setenv("PATH", f"{other.parent}:{os.environ['PATH']}")
    assert f"another tune-skill, {other}" in tune("install", "--hooks").out
    assert str(other) not in SKILL.read_text() + LOCAL.read_text()
    shutil.rmtree(other.parent)


def list_problems(result):
    schemas.check("session_output", result.json)
    return {part["name"]: part["problem"] for part in result.json["parts"] if part["problem"]}


def test_install_check_reports_broken_parts_and_their_fixes(tune, project):
    before = read_tree(project)
    result = tune("install", "--check", "--json")
    assert (result.code, list(list_problems(result))) == (1, ["command /tune-skill", "agent", "server"])
    assert read_tree(project) == before, "`install --check` changed a file"
    tune("install")
    result = tune("install", "--check")
    assert result.code == 0, result.out
    assert re.search(r"^ok     server answers: \d+ tools$", result.out, re.MULTILINE)
    assert "choose “Use this MCP server”" in " ".join(result.out.split())
    LOCAL.write_text(json.dumps({"disabledMcpjsonServers": ["tune-skill"]}))
    (problem,) = list_problems(tune("install", "--check", "--json")).values()
    assert "run `claude mcp reset-project-choices`" in problem
    SKILL.write_text(SKILL.read_text().replace("Tune a skill", "Tune"))
    assert "command /tune-skill" in list_problems(tune("install", "--check", "--json"))


def test_install_check_starts_no_command_of_the_project(tune, project):
    tune("install")
    entry = json.loads(SERVER_FILE.read_text())
    entry["mcpServers"]["tune-skill"] |= {"command": "/tmp/tune-skill", "args": ["mcp"]}
    SERVER_FILE.write_text(json.dumps(entry))
    result = tune("install", "--check", "--json")
    assert list(list_problems(result)) == ["server"]
    assert "server answers" not in {part["name"] for part in result.json["parts"]}
