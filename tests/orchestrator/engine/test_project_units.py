"""Test `diagnose` on a folder: it checks agents, hooks, manifests and servers as well as skills."""

import json
import os
import subprocess
from pathlib import Path

import pytest

from orchestrator.cli import main
from orchestrator.engine.scan import scan_project_units
from orchestrator.engine.units import ScanOptions
from orchestrator.project.project_reader import find_project_folder, read_project
from orchestrator.project.targets import find_targets

PLUGIN = {
    ".claude-plugin/plugin.json": '{"name": "birds"}',
    "skills/count/SKILL.md": "---\nname: count\ndescription: Counts birds. Use when birds are counted.\n---\n\nCount.\n",
    "agents/watcher.md": "---\nname: watcher\ndescription: Watches.\npermissionMode: plan\n---\n\nWatch.\n",
    "hooks/hooks.json": json.dumps(
        {"hooks": {"PreTool": [{"hooks": [{"type": "command", "command": "${CLAUDE_PLUGIN_ROOT}/check.sh"}]}]}}
    ),
}


@pytest.fixture
def plugin(tmp_path):
    """Return a plugin that is not in a git repository."""
    for path, text in PLUGIN.items():
        (tmp_path / "birds" / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "birds" / path).write_text(text)
    return tmp_path / "birds"


def list_findings(folder):
    rows = scan_project_units(find_targets([str(folder)]).units, ScanOptions())
    return {(row.unit.path, issue.pattern) for row in rows for issue in row.open_issues}


def run_main(*args):
    with pytest.raises(SystemExit) as exit_info:
        main([*args])
    return exit_info.value.code


def test_units_beside_skills_are_checked(plugin):
    assert list_findings(plugin) == {
        ("agents/watcher.md", "PRJ-004"),
        ("hooks/hooks.json", "PRJ-001"),
        ("hooks/hooks.json", "PRJ-003"),
    }


def test_folder_in_a_project_restricts_the_units(plugin):
    assert list_findings(plugin / "agents") == {("agents/watcher.md", "PRJ-004")}


def test_diagnose_prints_a_row_per_unit(plugin, monkeypatch, capsys):
    monkeypatch.chdir(plugin)
    assert run_main("diagnose", ".", "--format", "json") == 1
    units = [row.get("unit") for row in json.loads(capsys.readouterr().out)]
    assert units == [
        None,
        {"kind": "manifest", "name": "birds", "path": ".claude-plugin/plugin.json"},
        {"kind": "agent", "name": "birds:watcher", "path": "agents/watcher.md"},
        {"kind": "hooks", "name": "birds", "path": "hooks/hooks.json"},
    ]


def test_diagnose_says_what_was_checked(plugin, monkeypatch, capsys):
    monkeypatch.chdir(plugin)
    run_main("diagnose", ".")
    out = capsys.readouterr().out
    assert "4 units (1 skill, 1 agent, 1 hooks file, 1 manifest): 2 without findings, " in out
    assert "agents/watcher.md:4: medium PRJ-004 " in out


def test_project_without_skills_is_checked(plugin, monkeypatch, capsys):
    (plugin / "skills/count/SKILL.md").unlink()
    monkeypatch.chdir(plugin)
    assert run_main("diagnose", ".") == 1
    assert "PRJ-001" in capsys.readouterr().out


def test_skill_outside_a_project_is_checked(plugin, monkeypatch, capsys):
    monkeypatch.chdir(plugin)
    assert run_main("diagnose", "skills/count", "--format", "json") == 0
    assert json.loads(capsys.readouterr().out)["skill"]["name"] == "count"


def test_ignored_files_are_not_units(plugin):
    command = ["git", "-c", "init.defaultBranch=main", "init", "-q"]
    subprocess.run(command, cwd=plugin, check=True, env={"PATH": os.environ["PATH"], "HOME": str(plugin.parent)})
    (plugin / ".gitignore").write_text("agents/\n")
    assert ("agents/watcher.md", "PRJ-004") not in list_findings(plugin)
    assert read_project(plugin).ignored == {"agents"}


def test_mode_in_the_index_decides_whether_a_file_is_executable(plugin):
    environment = {"PATH": os.environ["PATH"], "HOME": str(plugin.parent)}
    hooks = {"Stop": [{"hooks": [{"type": "command", "command": "${CLAUDE_PLUGIN_ROOT}/check.sh"}]}]}
    (plugin / "hooks/hooks.json").write_text(json.dumps({"hooks": hooks}))
    (plugin / "check.sh").write_text("#!/bin/sh\n")
    assert ("hooks/hooks.json", "PRJ-009") in list_findings(plugin)
    for command in ("init -q", "add .", "update-index --chmod=+x check.sh"):
        subprocess.run(["git", *command.split()], cwd=plugin, check=True, env=environment)
    assert ("hooks/hooks.json", "PRJ-009") not in list_findings(plugin)


@pytest.mark.parametrize("file_mode", ["true", "false"])
def test_new_mode_of_a_tracked_file_counts_where_git_trusts_it(plugin, file_mode):
    environment = {"PATH": os.environ["PATH"], "HOME": str(plugin.parent)}
    hooks = {"Stop": [{"hooks": [{"type": "command", "command": "${CLAUDE_PLUGIN_ROOT}/check.sh"}]}]}
    (plugin / "hooks/hooks.json").write_text(json.dumps({"hooks": hooks}))
    (plugin / "check.sh").write_text("#!/bin/sh\n")
    for command in ("init -q", f"config core.fileMode {file_mode}", "add ."):
        subprocess.run(["git", *command.split()], cwd=plugin, check=True, env=environment)
    (plugin / "check.sh").chmod(0o755)
    assert (("hooks/hooks.json", "PRJ-009") in list_findings(plugin)) is (file_mode == "false")


def test_links_are_not_followed(plugin, tmp_path):
    (tmp_path / "secret.md").write_text(PLUGIN["agents/watcher.md"])
    (plugin / "agents/link.md").symlink_to(tmp_path / "secret.md")
    (plugin / "linked").symlink_to(tmp_path)
    project = read_project(plugin)
    assert "agents/link.md" not in project.files
    assert project.unread == {"agents/link.md", "linked"}
    assert project.exists("linked/secret.md")


@pytest.mark.parametrize(
    "text", ["", "[]", "null", '{"hooks": []}', '{"hooks": {"Stop": 1}}', "{" * 5000, "\ufeff{}", '"x"']
)
def test_odd_hooks_file_does_not_stop_the_scan(plugin, text):
    (plugin / "hooks/hooks.json").write_text(text)
    of_hooks = {("hooks/hooks.json", pattern) for pattern in ("PRJ-007", "PRJ-015")}
    assert list_findings(plugin) - of_hooks == {("agents/watcher.md", "PRJ-004")}


@pytest.mark.parametrize(
    "text", ["[]", "", '{"name": 3}', '{"name": "birds", "agents": {"a": 1}, "skills": "../../x"}']
)
def test_odd_manifest_does_not_stop_the_scan(plugin, text):
    (plugin / ".claude-plugin/plugin.json").write_text(text)
    assert ("agents/watcher.md", "PRJ-004") in list_findings(plugin)


def test_project_of_a_file_is_the_outermost_plugin(plugin):
    assert find_project_folder(plugin / "agents/watcher.md") == plugin
    assert find_project_folder(Path("/")) == Path("/")
