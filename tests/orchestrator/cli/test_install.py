"""`install`, `uninstall` and `hooks` in the whole: what they write, say and refuse, and that all of it goes again."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import schemas
from orchestrator.hooks.dispatch import HANDLERS, dispatch
from orchestrator.installation import smoke
from orchestrator.sessions import breadcrumbs
from tests.fakes import configure

SKILL = Path(".claude/skills/tune-skill/SKILL.md")
LOCAL = Path(".claude/settings.local.json")
SERVERS = Path(".mcp.json")


@pytest.fixture
def project(project, tmp_path, monkeypatch):
    """A project under a name that quoting must get right, which has a log of its own."""
    for name in ("CLAUDE_PROJECT_DIR", "MACF_EVENTS_LOG_PATH", "TUNE_SKILL_JUDGE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    breadcrumbs._place.cache_clear()
    folder = project.rename(tmp_path / "it's 项目 $(x)")
    (folder / ".git").mkdir()
    monkeypatch.chdir(folder)
    return folder


def tree(folder):
    """Give everything below a folder but git's and the log's, with the bytes of files."""
    return {
        str(path.relative_to(folder)): path.read_bytes() if path.is_file() else None
        for path in sorted(folder.rglob("*"))
        if not {".git", ".maceff"} & set(path.relative_to(folder).parts)
    }


def changes(done):
    assert done.code == 0, done.err
    schemas.check("session_output", done.json)
    return [(one["change"], Path(one["path"]).name) for one in done.json["changes"]]


@pytest.mark.parametrize("scope", [(), ("--project",), ("--user",)])
def test_what_is_installed_can_be_repeated_and_goes_without_a_trace(tune, project, scope):
    home = Path(os.environ["HOME"])
    before = tree(project), tree(home)
    first = tune("install", *scope, "--hooks", "--json")
    settings = "settings.json" if scope == ("--user",) else "settings.local.json"
    servers = ".claude.json" if scope == ("--user",) else ".mcp.json"
    written = [("written", name) for name in ("SKILL.md", "skill-judge.md", servers, settings)]
    assert changes(first) == written
    assert changes(tune("install", *scope, "--hooks", "--json")) == []
    removed = [("removed", name) for name in (settings, "SKILL.md", "skill-judge.md", servers)]
    assert changes(tune("uninstall", *scope, "--hooks", "--json")) == removed
    assert changes(tune("uninstall", *scope, "--json")) == []
    assert (tree(project), tree(home)) == before


def test_it_says_what_it_changed_and_where_the_file_as_it_was_is_kept(tune, project):
    LOCAL.parent.mkdir()
    LOCAL.write_text('{"model":"opus"}')
    told = tune("install", "--hooks").out
    backup = next(LOCAL.parent.glob("*.backup-*"))
    assert f"changed  {LOCAL.absolute()}\n         8 hooks: SessionStart," in told
    assert f"as it was: {backup.absolute()}" in told
    assert backup.read_text() == '{"model":"opus"}'
    assert "restored" in tune("uninstall").out
    assert LOCAL.read_text() == '{"model":"opus"}'
    assert not backup.exists()


def test_the_command_alone_brings_no_hooks(tune, project):
    assert [name for _, name in changes(tune("install", "--json"))] == ["SKILL.md", "skill-judge.md", ".mcp.json"]
    assert not LOCAL.exists()


def test_other_servers_stay_and_the_file_comes_back_to_the_byte(tune, project):
    mine = '{"mcpServers":{"mine":{"command":"gulls"}},   "more": 1}'
    SERVERS.write_text(mine)
    tune("install")
    assert set(json.loads(SERVERS.read_text())["mcpServers"]) == {"mine", "tune-skill"}
    assert json.loads(SERVERS.read_text())["more"] == 1
    assert changes(tune("uninstall", "--json"))[-1] == ("restored", ".mcp.json")
    assert SERVERS.read_text() == mine
    assert not list(SERVERS.parent.glob(".mcp.json.backup-*"))


def test_what_was_added_to_the_servers_since_stays(tune, project):
    SERVERS.write_text("{}")
    tune("install")
    now = json.loads(SERVERS.read_text())
    now["mcpServers"]["mine"] = {"command": "gulls"}
    SERVERS.write_text(json.dumps(now))
    tune("uninstall")
    assert json.loads(SERVERS.read_text()) == {"mcpServers": {"mine": {"command": "gulls"}}}


@pytest.mark.parametrize("text", [
    '{"mcpServers": {"tune-skill": {"command": "guitar"}}}', '{"mcpServers": []}', "{ // mine\n}", "[]",
])  # fmt: skip
def test_a_server_of_someone_else_or_a_file_of_another_form_stops_all_of_it(tune, project, text):
    SERVERS.write_text(text)
    before = tree(project)
    done = tune("install", "--hooks")
    assert (done.code, done.err.count("\n")) == (2, 1)
    assert ".mcp.json" in done.err
    assert tree(project) == before


@pytest.mark.parametrize("text", ["{ // mine\n}", "[]", '{"hooks": []}'])
def test_settings_of_another_form_cost_one_line_and_nothing_is_written(tune, project, text):
    LOCAL.parent.mkdir()
    LOCAL.write_text(text)
    before = tree(project)
    done = tune("install", "--hooks")
    assert done.code == 2
    assert done.err.count("\n") == 1
    assert "settings.local.json" in done.err
    assert tree(project) == before


@pytest.mark.parametrize("blocked", [".claude", ".claude/skills/tune-skill", LOCAL])
def test_what_cannot_be_written_costs_one_line_and_takes_the_rest_back(tune, project, blocked):
    """A file in the place of a folder, and a folder in the place of a file, stop root as well as anyone."""
    Path(blocked).parent.mkdir(parents=True, exist_ok=True)
    Path(blocked).mkdir() if Path(blocked) == LOCAL else Path(blocked).write_text("mine")
    before = tree(project)
    done = tune("install", "--hooks")
    assert done.code == 2
    assert done.err.count("\n") == 1
    assert tree(project) == before


def test_a_home_that_cannot_be_written_costs_one_line(tune, project, monkeypatch):
    """In /sys even root makes no folder."""
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", "/sys/no/claude")
    done = tune("install", "--user", "--hooks")
    assert done.code == 2
    assert done.err.count("\n") == 1
    assert "nothing was changed" in done.err


def test_a_skill_of_the_same_name_by_someone_else_stays(tune, project):
    SKILL.parent.mkdir(parents=True)
    SKILL.write_text("---\nname: tune-skill\n---\nTune my guitar.\n")
    before = tree(project)
    assert "did not write" in tune("install").err
    assert changes(tune("uninstall", "--json")) == []
    assert tree(project) == before


def test_an_edited_command_is_kept_beside_the_new_one_and_an_old_version_is_not(tune, project, monkeypatch):
    monkeypatch.setattr("orchestrator.version.version", lambda: "0.0.9")
    tune("install")
    old = SKILL.read_text()
    monkeypatch.undo()
    monkeypatch.chdir(project)
    assert changes(tune("install", "--json")) == [("changed", "SKILL.md"), ("changed", "skill-judge.md")]
    assert "generator: tune-skill 0.0.9" in old
    assert list(SKILL.parent.iterdir()) == [SKILL]
    SKILL.write_text(SKILL.read_text() + "My own line.\n")
    tune("install")
    (kept,) = SKILL.parent.glob("*.backup-*")
    assert kept.read_text().endswith("My own line.\n")
    assert "My own line" not in SKILL.read_text()
    SKILL.write_bytes(kept.read_bytes())
    assert changes(tune("uninstall", "--json"))[0] == ("removed", "SKILL.md")
    assert {path.read_bytes() for path in SKILL.parent.iterdir()} == {kept.read_bytes()}
    assert not SKILL.exists()


def test_hooks_are_refused_beside_those_of_the_plugin(tune, project):
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
def test_hooks_are_refused_beside_those_of_other_settings(tune, project, first, second):
    assert tune("hooks", "install", first).code == 0
    refused = tune("hooks", "install", second)
    assert refused.code == 2
    assert "recorded twice" in refused.err
    assert tune("hooks", "uninstall", first).code == 0
    assert tune("hooks", "install", second).code == 0


def test_local_settings_that_git_would_commit_are_named(tune, project):
    shutil.rmtree(".git")
    assert "git does not ignore" not in tune("install", "--hooks").out
    tune("uninstall")
    subprocess.run(["git", "init", "--quiet"], check=True)
    assert "git does not ignore" in tune("install", "--hooks").out
    Path(".gitignore").write_text("settings.local.json\n")
    assert "git does not ignore" not in tune("install", "--hooks").out


def test_the_home_is_no_project(tune, project, monkeypatch):
    monkeypatch.chdir(os.environ["HOME"])
    assert "use --user" in tune("install").err


def test_another_installation_on_path_is_named_and_not_called(tune, project, tmp_path, monkeypatch):
    other = tmp_path / "bin" / "tune-skill"
    other.parent.mkdir()
    other.write_text("#!/bin/sh\nexit 1\n")
    other.chmod(0o755)
    monkeypatch.setenv("PATH", f"{other.parent}:{os.environ['PATH']}")
    assert f"another tune-skill, {other}" in tune("install", "--hooks").out
    assert str(other) not in SKILL.read_text() + LOCAL.read_text()
    shutil.rmtree(other.parent)


def test_status_tells_what_is_active_and_when_it_ran_last(tune, project):
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
    told = tune("hooks", "status").out
    assert told.count("has not run yet") == len(HANDLERS) - 1
    assert "power steering    on" in told


def test_status_tells_of_hooks_that_run_twice_and_of_settings_it_cannot_read(tune, project):
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


def test_each_installed_hook_is_tried_as_it_is_run_and_the_project_is_not_touched(tune, project):
    tune("hooks", "install")
    before = tree(project)
    done = tune("hooks", "test", "--json")
    schemas.check("session_output", done.json)
    assert [(one["event"], one["problem"]) for one in done.json] == [(event, "") for event in HANDLERS]
    assert done.code == 0
    assert tree(project) == before
    assert not (project / ".maceff").exists()


def test_a_hook_is_tried_with_the_settings_of_the_project_and_asks_no_judge(tune, project):
    tune("config", "set", "hooks.judge", "sdk")
    tune("config", "set", "hooks.speak_at_tools", "true")
    tune("hooks", "install")
    (one,) = tune("hooks", "test", "PreToolUse", "--json").json
    assert "additionalContext" in json.dumps(one["answer"])
    with smoke._project() as folder:
        hooks = json.loads((folder / ".maceff" / "config.json").read_text())["hooks"]
    assert (hooks["judge"], hooks["speak_at_tools"]) == ("none", True)


@pytest.mark.parametrize("file", ["settings.json", "settings.local.json"])
@pytest.mark.parametrize(
    "command",
    [
        "touch {tmp}/owned; {tmp}/orchestrator/hooks/entry.py Stop",
        "{tmp}/tune-skill hook Stop",
        "sh {tmp}/tune_skill.py hook Stop",
        "sh {tmp}/orchestrator/hooks/entry.py Stop",
    ],
)
def test_a_command_of_a_clone_is_named_in_one_line_and_never_run(tune, project, tmp_path, command, file):
    for name in ("tune-skill", "tune_skill.py", "orchestrator/hooks/entry.py"):
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


def test_a_command_of_a_clone_does_not_keep_the_installed_hook_from_its_test(tune, project):
    tune("hooks", "install")
    Path(".claude/settings.json").write_text(
        json.dumps({"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "/old/tune-skill hook Stop"}]}]}})
    )
    found = tune("hooks", "test", "Stop", "--json").json
    assert ["not run" in one["problem"] for one in found] == [True, False]
    assert found[1]["problem"] == ""


def test_a_hook_that_would_fail_unseen_in_a_session_fails_in_the_test(project):
    torn = [sys.executable, "-c", "import sys; sys.exit('torn')"]
    assert smoke.tried("Stop", torn).problem == "exit code 1: torn"
    assert "cannot be started" in smoke.tried("Stop", ["/gone/tune-skill", "hook", "Stop"]).problem
    assert "not an answer" in smoke.tried("Stop", ["/bin/echo", "yes"]).problem


def test_a_setting_is_changed_by_its_name_and_a_wrong_one_is_refused(tune, project):
    assert tune("config", "set", "hooks.power_steering", "true").code == 0
    assert tune("config", "set", "agent.name", "Ada 艾达").code == 0
    settings = tune("config", "show", "--json").json["settings"]
    assert (settings["hooks"]["power_steering"], settings["agent"]["name"]) == (True, "Ada 艾达")
    for key, value in (
        ("hooks.power_stering", "true"),
        ("hooks.power_steering", "maybe"),
        ("hooks", "1"),
        ("x.y", "1"),
    ):
        assert tune("config", "set", key, value).code == 2
    assert tune("config", "show", "--json").json["settings"] == settings


def commands(path):
    groups = json.loads(path.read_text())["hooks"]
    return {event: hook["command"] for event, found in groups.items() for one in found for hook in one["hooks"]}


def test_hooks_that_are_installed_speak_at_tools_as_soon_as_the_setting_says_so(tune, project):
    tune("hooks", "install")
    before = LOCAL.read_bytes()
    told = tune("config", "set", "hooks.speak_at_tools", "true")
    assert [Path(line.split(": ", 1)[1]).name for line in told.out.splitlines()] == ["config.json", LOCAL.name]
    assert "entry.py" not in commands(LOCAL)["PreToolUse"]
    assert tune("hooks", "status").code == 0
    assert (
        "Bash | "
        in tune("hooks", "test", "PreToolUse", "--json").json[0]["answer"]["hookSpecificOutput"]["additionalContext"]
    )
    tune("config", "set", "hooks.speak_at_tools", "false")
    assert LOCAL.read_bytes() == before
    assert list(LOCAL.parent.glob("*.backup-*")) == []


def test_hooks_of_the_user_may_speak_for_another_project(tune, project):
    tune("hooks", "install", "--user")
    settings = Path(os.environ["HOME"]) / ".claude" / "settings.json"
    tune("config", "set", "hooks.speak_at_tools", "true")
    assert "entry.py" not in commands(settings)["PreToolUse"]
    tune("config", "set", "hooks.speak_at_tools", "false")
    assert "entry.py" not in commands(settings)["PreToolUse"]
    assert tune("hooks", "status").code == 0


def test_a_hook_that_cannot_speak_though_it_should_is_not_called_that_of_another_installation(tune, project):
    tune("hooks", "install")
    configure(project, hooks={"speak_at_tools": True})
    told = tune("hooks", "status")
    assert told.code == 1
    assert "ANOTHER INSTALLATION" not in told.out
    assert told.out.count("ONLY RECORDS") == 3
    assert tune("hooks", "install").code == 0
    assert tune("hooks", "status").code == 0


def test_a_setting_that_does_not_exist_is_told_with_those_that_do(tune, project):
    for key in ("nonsense", "hooks", "hooks.colour", "schema_version", ""):
        done = tune("config", "set", key, "3")
        assert (done.code, done.out) == (2, "")
        assert "agent.id, agent.name" in done.err
        assert "hooks.speak_at_tools" in done.err
        assert "{" not in done.err


def test_the_log_of_the_hooks_shows_what_went_wrong_in_this_project_alone(tune, project, tmp_path, monkeypatch):
    monkeypatch.delenv("TUNE_SKILL_STRICT")
    assert tune("hooks", "logs").out == "nothing went wrong in the hooks of this project\n"
    dispatch("Stop", "[]", testing=False)
    other = tmp_path / "other"
    (other / ".git").mkdir(parents=True)
    monkeypatch.chdir(other)
    dispatch("Stop", "[1, 2]", testing=False)
    dispatch("Stop", "{", testing=False)
    assert len(tune("hooks", "logs", "--json").json) == 2
    monkeypatch.chdir(project)
    (line,) = tune("hooks", "logs", "--json").json
    assert line["line"].endswith("Z Stop: ValueError: stdin holds no JSON object, but a list")


def test_a_setting_that_came_with_the_project_is_told_and_how_to_say_it(tune, project):
    (project / ".maceff").mkdir()
    (project / ".maceff" / "config.json").write_text('{"schema_version": 1, "hooks": {"power_steering": true}}')
    shown = tune("config", "show", "--json")
    schemas.check("session_output", shown.json)
    assert (shown.json["unheeded"], shown.json["settings"]["hooks"]["power_steering"]) == (
        ["hooks.power_steering"],
        False,
    )
    for told in (tune("config", "show").out, tune("hooks", "status").out):
        assert "`tune-skill config set hooks.power_steering true`" in told
    tune("config", "set", "hooks.power_steering", "true")
    assert tune("config", "show", "--json").json["unheeded"] == []
