"""Test which faults of hooks and listings have low severity."""

import json

import pytest

from actions.patterns import get_patterns
from schemas.vocabulary import Severity
from tests.examples import list_project_cases

PLUGIN = {".claude-plugin/plugin.json": '{"name": "birds"}'}


def find_faults(id, files):
    module = get_patterns()[id]
    return [f for case in list_project_cases(module, {**PLUGIN, **files}) for f in module.check(case)]


@pytest.mark.parametrize(("timeout", "severities"), [(30, []), (90, [Severity.LOW]), (30000, [Severity.MEDIUM])])
def test_timeout_over_a_minute_at_the_end_is_low(timeout, severities):
    hook = {"type": "command", "command": "sync_birds", "timeout": timeout}
    files = {"hooks/hooks.json": json.dumps({"hooks": {"SessionEnd": [{"hooks": [hook]}]}})}
    assert [f.severity for f in find_faults("PRJ-016", files)] == severities


@pytest.mark.parametrize(("event", "severity"), [("SessionStart", Severity.LOW), ("Stop", Severity.MEDIUM)])
def test_once_at_the_start_of_a_session_is_low(event, severity):
    hook = {"type": "command", "command": "sync_birds", "once": True}
    files = {"hooks/hooks.json": json.dumps({"hooks": {event: [{"hooks": [hook]}]}})}
    assert [f.severity for f in find_faults("PRJ-016", files)] == [severity]


@pytest.mark.parametrize(("count", "is_reported"), [(8, False), (24, False), (30, True)])
def test_descriptions_that_only_small_windows_drop_are_left_out(count, is_reported):
    text = "---\nname: s%d\ndescription: " + "Counts birds. " * 100 + "\n%s---\n\nCount.\n"
    files = {f"skills/s{n}/SKILL.md": text % (n, "") for n in range(count)}
    files["skills/hidden/SKILL.md"] = text % (99, "disable-model-invocation: true\n")
    findings = find_faults("PRJ-027", files)
    assert len(findings) == is_reported
    assert all(f" of {count} descriptions" in finding.message for finding in findings)
