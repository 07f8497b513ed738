"""Test that a matcher is reported only if it can match no tool name."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from actions.project.matchers import can_match_tool

MATCHERS_WITHOUT_TOOL = (
    "Bash.*git commit",
    "Bash.*gh pr (create|merge)",
    "Bash(git commit:*)",
    "Bash(git:*)|Bash(gh:*)",
    "Edit(*.py)",
    "Skill(spec-it)",
    "Bash(git)|Bash(npm)",
    r"mcp__a\.b__c",
    "mcp__plugin:a:b__c",
    "Write Edit",
    "a/b|c:d",
    "(a b|c d)",
    "*.py",
    "[",
    "mcp__",
    "mcp",
    "mcp__atlas",
    "mcp__atlas__",
    "mcp__atlas|mcp__maps",
)
POSSIBLE_MATCHERS = (
    "", "*", "Bash", "Write|Edit", "Write, Edit", "mcp__a.b__c", "mcp__a-b__c", "mcp__a|Bash", "mcpx", "mcp__.*", "^Bash$", "Bash(git)?", "(a b)?Bash", "Task(Create|Update)", "Bash(output)?",
    "Read(Mcp.*)", "Bash(x*)", "Bash(.*)", "Bash(|x)", "Skill(a)|Bash", "Bird(song)", "mcp__Read(file)", "a b|Bash",
    "(?!a b).*", "(?:a|b c)", "[a:]", "Bash :?|Read", "x:{0,1}", "Bash.*", r"\w+", r"mcp__\w+", "a" * 300 + ":",
)  # fmt: skip


@pytest.mark.parametrize("matcher", MATCHERS_WITHOUT_TOOL)
def test_matcher_outside_of_names_never_matches(matcher):
    assert not can_match_tool(matcher)


@pytest.mark.parametrize("matcher", POSSIBLE_MATCHERS)
def test_other_matcher_may_match(matcher):
    assert can_match_tool(matcher)


@given(st.text("ab: .*?|()[]{}0,\\^$+-", max_size=12), st.text("ab-", min_size=1, max_size=6))
@pytest.mark.filterwarnings("ignore:Possible")
@settings(max_examples=1000)
def test_matcher_that_matches_a_name_is_never_reported(matcher, name):
    try:
        matches = re.search(matcher, name) is not None
    except re.error:
        return
    if "[]" in matcher or "[^]" in matcher:  # JavaScript reads them as character classes, Python as unfinished ones
        return
    is_rule = ":*)" in matcher
    is_list = is_rule or re.fullmatch(r"[a-zA-Z0-9_|, -]+", matcher) is not None
    assert not matches or is_list or can_match_tool(matcher)
