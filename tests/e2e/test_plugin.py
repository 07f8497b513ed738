"""Test the plugin in Claude Code: valid, installed from its marketplace, called by its name, and recording events."""

import json
import re

import pytest

from tests.claude_code import CLAUDE
from tests.e2e.author import call_bash, find_command_line
from tests.e2e.machine import ROOT, Model, reply_with
from tests.scripted_api import get_last_user_text

pytestmark = pytest.mark.slow


def run_plugin_command(machine, *arguments):
    return machine.run(str(CLAUDE), "plugin", *arguments)


@pytest.mark.parametrize("options", [("--strict",), ("--strict", "--profile", "directory")])
def test_plugin_passes_the_validation_of_claude_code(machine, options):
    result = run_plugin_command(machine, "validate", *options, str(ROOT / "plugin"))
    assert result.code == 0, result.out
    assert "Validation passed" in result.out


def test_plugin_records_events_and_tolerates_a_missing_program(machine):
    assert run_plugin_command(machine, "marketplace", "add", str(ROOT / "plugin")).code == 0
    assert run_plugin_command(machine, "install", "tune-skill@tune-skill").code == 0
    row = next(
        row
        for row in json.loads(run_plugin_command(machine, "list", "--json").out)
        if row["id"] == "tune-skill@tune-skill"
    )
    assert row["enabled"]
    assert machine.tune_skill("--version").out == f"tune-skill {row['version']}\n"

    def turns(inputs):
        yield call_bash(
            find_command_line(inputs[0], "run").replace("'SKILL'", "release-notes").replace(" --issue 'WORDS'", "")
        )
        (run,) = set(re.findall(r"tune-skill apply (\S+)", inputs[-1]))
        yield call_bash(find_command_line(inputs[0], "apply").replace("RUN", run).replace("FIX-001 FIX-003", "--none"))
        yield "Nothing was applied."

    result, requests = machine.run_claude(
        "/tune-skill:tune-skill release-notes 'it forgets'", Model(turns), "--strict-mcp-config"
    )
    assert result["permission_denials"] == []
    assert "<arguments>\nrelease-notes 'it forgets'\n</arguments>" in get_last_user_text(requests[0])
    events = machine.events()
    assert {"session_started", "dev_drv_started", "tool_call_started", "run_created", "dev_drv_ended"} <= set(events)
    assert events.count("tool_call_started") == 2
    status = json.loads(machine.tune_skill("hooks", "status", "--json").out)
    assert {hook["scope"] for hook in status["hooks"] if hook["last_run"]} == {"plugin"}
    refused_install = machine.tune_skill("install", "--hooks")
    assert refused_install.code == 2
    assert "recorded twice" in refused_install.err
    assert machine.tune_skill("hooks", "logs", "--json").json == []

    (machine.bin / "tune-skill").unlink()
    events_before = machine.events()
    result, _ = machine.run_claude("hello", reply_with("Good day."))
    assert result["result"] == "Good day."
    assert machine.events() == events_before
