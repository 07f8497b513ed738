"""Test `diagnose` on large files, many files, deep folders and many entries."""

import json
import os
import subprocess

import pytest

from orchestrator.engine import units
from orchestrator.project.project_reader import MAX_FILES, read_project
from orchestrator.project.projects import Projects
from tests.growth import grows_at_most, measure_seconds
from tests.orchestrator.cli.repositories.samples import AGENT, HOOK, MARKET, MISSING, PLUGIN, run_git, write_files


def test_file_of_50_mb_is_reported_as_not_checked(project, tune, monkeypatch):
    write_files(project, {**PLUGIN, MARKET: "", "CLAUDE.md": "", "agents/a.md": ""})
    for name in (MARKET, "CLAUDE.md", "agents/a.md"):
        os.truncate(project / name, 50_000_000)
    monkeypatch.chdir(project)
    result = tune("diagnose", ".", "--fail-on", "never")
    assert result.code == 1
    assert result.err.count("not checked, because it is not UTF-8, is too large or cannot be opened") == 3


@pytest.mark.parametrize("padding", ["[" * 1_100 + "]" * 1_100, f'"{"a" * 5_000_000}"'], ids=["deep", "large"])
def test_json_beyond_the_limits_is_reported_as_not_checked(project, tune, monkeypatch, padding):
    """Such a file can hide any fault, so its gate is not pass and the command fails."""
    faults = '"hooks": {"OnStop": [{"hooks": [{"type": "command", "command": "./nope.sh"}]}]}'
    write_files(project, {"CLAUDE.md": "", ".claude/settings.json": f'{{{faults}, "x": {padding}}}'})
    monkeypatch.chdir(project)
    found = tune("diagnose", ".")
    assert (found.code, found.err.count("1 unit could not be checked")) == (1, 1)
    assert "note: .claude/settings.json: not checked, it " in found.out
    assert "1 without findings, gate: 1 to review, 1 not checked" in found.out
    unit = tune("diagnose", ".claude/settings.json", "--format", "json", "--fail-on", "gate")
    assert (unit.code, unit.json["quality_gate"], len(unit.json["notes"])) == (1, "review", 1)
    log = json.loads(tune("diagnose", ".", "--format", "sarif").out)
    (invocation,) = log["runs"][0]["invocations"]
    (notification,) = invocation["toolExecutionNotifications"]
    assert (invocation["executionSuccessful"], notification["level"]) == (False, "error")
    assert ": not checked, it " in notification["message"]["text"]
    page = tune("diagnose", ".", "--format", "markdown").out
    assert ("**Not checked.**" in page, "Nothing found" in page) == (True, False)
    run = tune("run", ".claude/settings.json", "--apply", "none")
    assert "score 100, gate review" in run.out
    assert "not checked" in run.out
    assert "Nothing found, but not everything was checked.\n" in run.out
    assert ("docs: not checked" in run.err, "nothing found" in run.err) == (True, False)
    report = tune("report").out
    assert "\nNothing, but not everything was checked: see *Not known*.\n" in report
    assert "\nNo finding that counts, but not everything was checked.\n" in report
    log = json.loads(tune("report", "--format", "sarif").out)
    assert log["runs"][0]["invocations"][0]["executionSuccessful"] is False


def test_text_above_the_limit_skips_the_largest_units(project, tune, monkeypatch):
    monkeypatch.setattr(units, "MAX_TEXT", 4_000)
    write_files(
        project, {f".claude/agents/large{n}.md": AGENT.format(f"large{n}") + "Watch.\n" * 200 for n in range(4)}
    )
    write_files(project, {f".claude/agents/small{n}.md": AGENT.format(f"small{n}") for n in range(4)})
    result = tune("diagnose", str(project), "--format", "json")
    names = [row["unit"]["name"] for row in result.json]
    assert names == ["large0", "large1", "small0", "small1", "small2", "small3"]
    skipped_lines = [line for line in result.err.splitlines() if "not checked" in line]
    assert [line.partition(".md")[0][-6:] for line in skipped_lines] == ["large2", "large3"]


def test_50000_files_are_listed_within_the_limit(project):
    """All files are in the index, but only two are on disk: the listing of git determines how many files are read."""
    write_files(project, PLUGIN)
    run_git(project, "init")
    run_git(project, "add", ".")
    blob = subprocess.run(["git", "rev-parse", ":skills/count/SKILL.md"], cwd=project, capture_output=True, check=True)
    lines = "".join(f"100644 {blob.stdout.decode().strip()}\tz/{n:06}.md\n" for n in range(50_000))
    subprocess.run(["git", "update-index", "--index-info"], cwd=project, input=lines.encode(), check=True)
    listed_project = read_project(project)
    assert list(listed_project.files) == [".claude-plugin/plugin.json", "skills/count/SKILL.md"]
    assert listed_project.exists("z/000000.md")
    assert len(listed_project.unread) == 50_000 >= MAX_FILES


def test_vendored_folders_do_not_use_up_the_limit(project, monkeypatch):
    monkeypatch.setattr("orchestrator.project.project_reader.MAX_FILES", 10)
    write_files(project, {f"node_modules/{n}.md": "x" for n in range(50)} | PLUGIN)
    run_git(project, "init")
    assert "skills/count/SKILL.md" in read_project(project).files


@pytest.mark.parametrize("has_git", [True, False])
def test_files_above_the_limit_are_reported_and_hide_no_unit(project, monkeypatch, has_git):
    monkeypatch.setattr("orchestrator.project.project_reader.MAX_FILES", 20)
    write_files(project, {f"a/{n:03}.txt": "x" for n in range(50)} | {"hooks/hooks.json": HOOK % MISSING} | PLUGIN)
    if has_git:
        run_git(project, "init")
    listed_project = read_project(project)
    assert listed_project.unlisted >= 1
    assert ("hooks/hooks.json" in listed_project.files) is has_git, "a walk stops at the limit"
    projects = Projects()
    projects.read(project)
    assert "more than 50,000 files" in projects.list_notes()[0]


@pytest.mark.parametrize("is_repository", [True, False])
@pytest.mark.parametrize(("name", "levels"), [("a", 1_500), ("b" * 100, 60)])
def test_deep_folders_do_not_stop_the_scan_of_others(project, diagnose, monkeypatch, is_repository, name, levels):
    write_files(project, {**PLUGIN, "hooks/hooks.json": HOOK % MISSING})
    monkeypatch.chdir(project)
    for _ in range(levels):
        os.mkdir(name)  # noqa: PTH102 - the whole path is too long
        os.chdir(name)
    with open("x.md", "w") as file:  # noqa: PTH123
        file.write("# x\n")
    os.chdir(project)
    if is_repository:
        run_git(project, "init")
        run_git(project, "add", ".")
    try:
        assert diagnose(project)[1] == {"hooks/hooks.json": {"PRJ-003"}}
    finally:
        subprocess.run(["rm", "-rf", name], cwd=project, check=True)


@pytest.mark.parametrize(("kind", "small_count"), [("servers", 180), ("events", 15)])
def test_many_entries_take_linear_time(project, diagnose, kind, small_count):
    def measure(count):
        command = {"command": "${CLAUDE_PLUGIN_ROOT}/x%d"}
        servers = {f"s{n}": {**command, "command": command["command"] % n} for n in range(count)}
        events = {f"Stpo{n}": [] for n in range(3 * count)}
        files = {".mcp.json": {"mcpServers": servers}} if kind == "servers" else {"hooks/hooks.json": {"hooks": events}}
        write_files(project, {**PLUGIN, **files})
        return measure_seconds(lambda: diagnose(project))

    measure(1)
    assert grows_at_most(measure, small_count, 4 * small_count, factor=8)
