"""Test that a shell runs the status line of Claude Code, so that quotes protect a `~` in it."""

import json

import pytest

from actions.project.find_units import find_units
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
