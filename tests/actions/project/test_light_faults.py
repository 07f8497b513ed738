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


@pytest.mark.parametrize(("count", "severity"), [(8, Severity.LOW), (24, Severity.MEDIUM)])
def test_descriptions_that_only_older_models_drop_are_low(count, severity):
    text = "---\nname: s%d\ndescription: " + "Counts birds. " * 100 + "\n%s---\n\nCount.\n"
    files = {f"skills/s{n}/SKILL.md": text % (n, "") for n in range(count)}
    files["skills/hidden/SKILL.md"] = text % (99, "disable-model-invocation: true\n")
    (finding,) = find_faults("PRJ-027", files)
    assert finding.severity is severity
    assert f" of {count} descriptions" in finding.message


@pytest.mark.parametrize(("count", "is_reported"), [(30, False), (40, True)])
def test_few_descriptions_that_older_models_drop_are_left_out(count, is_reported):
    text = "---\nname: s%d\ndescription: " + "Counts birds. " * 18 + "\n---\n\nCount.\n"
    files = {f"skills/s{n}/SKILL.md": text % n for n in range(count)}
    assert len(find_faults("PRJ-027", files)) == is_reported
