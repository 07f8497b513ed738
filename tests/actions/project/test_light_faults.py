"""Test which faults of hooks and listings are low."""

import json

import pytest

from actions.patterns import all_patterns
from schemas.vocabulary import Severity
from tests.examples import project_cases

PLUGIN = {".claude-plugin/plugin.json": '{"name": "birds"}'}


def find(id, files):
    module = all_patterns()[id]
    return [f for case in project_cases(module, {**PLUGIN, **files}) for f in module.check(case)]


def end_hook(script="exit 0\n", **hook):
    hooks = {"hooks": {"SessionEnd": [{"hooks": [{"timeout": 5, **hook}]}]}}
    return {"hooks/hooks.json": json.dumps(hooks), "scripts/end.sh": script}


COMMAND = {"type": "command", "command": "bash ${CLAUDE_PLUGIN_ROOT}/scripts/end.sh"}


@pytest.mark.parametrize(
    "files",
    [
        end_hook(type="http", url="http://localhost:3838/events"),
        end_hook(type="command", command="sync_birds &"),
        end_hook("# count\nnohup sh -c 'count' > /dev/null 2>&1 &\necho '{}'\n", **COMMAND),
    ],
)
def test_timeout_of_a_brief_hook_at_the_end_is_low(files):
    assert [f.severity for f in find("PRJ-016", files)] == [Severity.LOW]


@pytest.mark.parametrize(
    "files",
    [
        end_hook(type="http", url="https://localhost.example.org/events"),
        end_hook(type="command", command="sync_birds && rm a"),
        end_hook("# nohup count &\ncount a 2>&1\n", **COMMAND),
    ],
)
def test_timeout_of_another_hook_at_the_end_is_medium(files):
    assert [f.severity for f in find("PRJ-016", files)] == [Severity.MEDIUM]


@pytest.mark.parametrize(("count", "severity"), [(8, Severity.LOW), (24, Severity.MEDIUM)])
def test_descriptions_that_only_older_models_drop_are_low(count, severity):
    text = "---\nname: s%d\ndescription: " + "Counts birds. " * 100 + "\n%s---\n\nCount.\n"
    files = {f"skills/s{n}/SKILL.md": text % (n, "") for n in range(count)}
    files["skills/hidden/SKILL.md"] = text % (99, "disable-model-invocation: true\n")
    (found,) = find("PRJ-027", files)
    assert found.severity is severity
    assert f" of {count} descriptions" in found.message
