"""Test which agents count as ones that Claude Code does not start, because it knows none of their tools."""

import pytest

from actions.patterns import get_patterns
from actions.patterns.pattern import Severity
from tests.examples import list_unit_cases, make_project

PATH = ".claude/agents/counter.md"
AGENT = "---\nname: counter\ndescription: Counts birds.\ntools: %s\n---\n\nCount.\n"


def list_findings(files):
    check = get_patterns()["PRJ-017"].check
    return [finding for case in list_unit_cases(make_project(files)) for finding in check(case)]


@pytest.mark.parametrize(
    ("tools", "names"),
    [
        ("birdsong", "`birdsong`"),
        ("[eslint, semgrep]", "`eslint`, `semgrep`"),
        ("Graph Engine, Claim Extractor", "`Graph`, `Engine`, `Claim` and 1 more"),
    ],
)
def test_tools_without_a_known_name_are_reported(tools, names):
    (finding,) = list_findings({PATH: AGENT % tools})
    assert finding.message.endswith(f"no tool in `tools`: {names}.")
    assert (finding.line, finding.severity) == (4, Severity.MEDIUM)


@pytest.mark.parametrize(
    "tools",
    [
        "",
        "[]",
        '"*"',
        "Read, eslint",
        "LS",
        "mcp__birds",
        "'{{tools}}'",
        "{eslint: true}",
        "search, web",
        "github/issues",
    ],
)
def test_tools_that_may_be_known_are_not_reported(tools):
    assert not list_findings({PATH: AGENT % tools})


@pytest.mark.parametrize("path", [".github/agents/counter.agent.md", ".opencode/agents/counter.md", "docs/counter.md"])
def test_agents_of_other_programs_are_not_reported(path):
    assert not list_findings({path: AGENT % "eslint"})


def test_agent_of_a_plugin_is_low():
    (finding,) = list_findings({".claude-plugin/plugin.json": '{"name": "b"}', "agents/a.md": AGENT % "eslint"})
    assert finding.severity is Severity.LOW
