"""Test that a shell runs the status line of Claude Code, so that quotes protect a `~` in it."""

import json

import pytest

from actions.project.find_units import find_units
from actions.project.started_files import find_started_files
from actions.project.unexpanded_homes import find_unexpanded_homes
from orchestrator.project.project_reader import read_project
from tests.e2e.interactive import Interactive
from tests.scripted_api import ScriptedApi


@pytest.mark.slow
def test_quoted_tilde_in_a_status_line_is_not_expanded(machine):
    script = machine.home / "status.sh"
    script.write_text('#!/bin/sh\ntouch "$HOME/ran-$1"\n')
    script.chmod(0o755)
    command = '~/status.sh bare; "~/status.sh" quoted; "$HOME/status.sh" variable'
    settings = machine.project / ".claude" / "settings.json"
    settings.write_text(json.dumps({"statusLine": {"type": "command", "command": command}}))
    with ScriptedApi(lambda _: "ok") as api, Interactive(machine, api) as terminal:
        terminal.wait_for((machine.home / "ran-variable").exists)
    assert sorted(path.name for path in machine.home.glob("ran-*")) == ["ran-bare", "ran-variable"]
    project = read_project(machine.project)
    homes = [home for unit in find_units(project) for home in find_unexpanded_homes(project, unit)]
    assert [home.word for home in homes] == ['"~/status.sh"']


@pytest.mark.slow
def test_status_line_starts_files_of_the_project_that_are_executable(machine):
    """The variable and a relative path are the project's; a file that is not executable does not run."""
    folder = machine.project / ".claude"
    for name, mode in (("plain", 0o644), ("first", 0o755), ("second", 0o755)):
        script = folder / f"{name}.sh"
        script.write_text(f'#!/bin/sh\ntouch "$HOME/ran-{name}"\n')
        script.chmod(mode)
    command = (
        '.claude/plain.sh; .claude/first.sh; .claude/gone.sh; "$CLAUDE_PROJECT_DIR"/.claude/second.sh; touch ~/end'
    )
    (folder / "settings.json").write_text(json.dumps({"statusLine": {"type": "command", "command": command}}))
    with ScriptedApi(lambda _: "ok") as api, Interactive(machine, api) as terminal:
        terminal.wait_for((machine.home / "end").exists)
    assert sorted(path.name for path in machine.home.glob("ran-*")) == ["ran-first", "ran-second"]
    project = read_project(machine.project)
    started = [file for unit in find_units(project) for file in find_started_files(project, unit)]
    not_run = [file.word for file in started if not file.exists or not project.files[file.path].is_executable]
    assert not_run == [".claude/plain.sh", ".claude/gone.sh"]
