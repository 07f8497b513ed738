"""Test that Claude Code skips the reported permission rules and has the tools in our table."""

import re

from actions.project.facts.tools import REMOVED, TOOLS
from actions.project.permission_rules import find_rule_fault
from tests.e2e.facts.claude_cli import diagnose_settings

RULES = (
    "Bash", "Bash(git *)", "Bash(git:*)", "Bash(echo (a))", "mcp__a__b", "mcp__a__*", "mcp__a__get_*", "mcp__a",
    "Read(src/**)", "WebFetch(domain:a.b)", "WebFetch(*)", "WebSearch(a b)", "Skill(a:b)", "Agent(x)", "Bash(a:* b)",
    "my_tool", "Bash(*)", "WebSearch(*)",
    "bash(git:*)", "Bash(git", "Bash(git) ", "Bash)git(", "Bash(a)b", "Bash()", "()", " ", "mcp__a__b(x)", "mcp__a(x)",
    "*", "mcp__*", "Web*", "Read(src:*)", "WebFetch(https://a.b)", "WebFetch(a.b)", "WebFetch(domain:http://a)",
    "Bash(:*)", "WebSearch(a*)", "WebSearch(a?)", "read",
)  # fmt: skip


def find_skipped_rules(lines, behavior):
    pattern = re.compile(rf"permissions\.{behavior}: Invalid permission rule \"(.*)\" was skipped: (.*)")
    return {match[1] for line in lines if (match := pattern.search(line))}


def test_rules_reported_are_those_that_claude_skips(tmp_path):
    settings = {"permissions": {"allow": RULES, "deny": RULES}}
    lines = diagnose_settings(settings, tmp_path)
    for behavior in ("allow", "deny"):
        reported_rules = {rule for rule in RULES if find_rule_fault(rule, is_allow=behavior == "allow")}
        assert reported_rules == find_skipped_rules(lines, behavior)


def test_tools_of_the_table_are_known(tmp_path):
    lines = diagnose_settings({"permissions": {"deny": [*sorted(TOOLS), "Raed", "WebFetsh"]}}, tmp_path)
    unknown_names = {name for line in lines for name in re.findall(r'rule "(\w+)" matches no known tool', line)}
    assert unknown_names == {"Raed", "WebFetsh"}
    assert not TOOLS & REMOVED
