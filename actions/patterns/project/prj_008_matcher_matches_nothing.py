"""A hook matcher that no tool name can match.

It is:
- a matcher of a tool event that requires a character that no tool name has, such as `Bash.*git commit` (proven)
- a matcher in the form of a permission rule or a glob, such as `Bash(git commit:*)`, `Skill(count)` or `Edit(*.py)` (proven)
- the name of an MCP server, or its beginning, such as `mcp__atlas` or `mcp__`: it is compared with whole names (proven)
It is not:
- a matcher with an alternative that can match
- a matcher of an event that is not about tools
Why it is bad: The matcher is compared only with the name of the tool. The hook never runs, and nothing is guarded.
Instead: Match the tool by its name, `Bash`, and put the rule into `if` of the hook: `Bash(git commit *)`. Or test the tool's input in
the script: `tool_input.command`. Match all tools of an MCP server with `mcp__atlas__.*`.
"""

from collections.abc import Iterator

from actions.case import Case
from actions.patterns.pattern import Finding, Pattern, UnitKind
from actions.project.facts.hooks import EVENTS, TOOL
from actions.project.hooks_file import find_hook_groups
from actions.project.matchers import can_match_tool
from actions.regex import regex

PATTERN = Pattern(
    id="PRJ-008",
    impact=("blocks", "easy"),
    asks_model=False,
    kinds=(UnitKind.HOOKS, UnitKind.MANIFEST),
)
_HOOKS = '{"hooks": {"%s": [{\n  "matcher": "%s",\n  "hooks": [{"type": "command", "command": "true"}]}]\n}}\n'
_RULE = regex(r"\w+\(.*\)")
BAD = (
    {".claude/settings.json": _HOOKS % ("PreToolUse", "Bash.*git commit")},
    {".claude/settings.json": _HOOKS % ("PostToolUse", "Edit(*.py)|Write(*.py)")},
    {".claude/settings.json": _HOOKS % ("PostToolUse", "Skill(count-birds)")},
    {".claude/settings.json": _HOOKS % ("PostToolUse", "mcp__")},
)
GOOD = (
    {".claude/settings.json": _HOOKS % ("PreToolUse", "Write, Edit|mcp__atlas__.*")},
    {".claude/settings.json": _HOOKS % ("SubagentStop", "birds:counter")},
    {".claude/settings.json": _HOOKS % ("PostToolUse", "mcp__atlas__find")},
    {".claude/settings.json": _HOOKS % ("PostToolUse", "Task(Create|Update)")},
)


def check(case: Case) -> Iterator[Finding]:
    """Yield the matchers in this unit that no tool name can match."""
    for group in case.project.list_for_unit(find_hook_groups, case.unit.path):
        if EVENTS.get(group.event) == TOOL and not can_match_tool(group.matcher):
            message = f"No tool name can match `{group.matcher}`: its hooks never run."
            is_rule = _RULE.fullmatch(group.matcher) is not None
            cause = f"permission rules in {group.unit.path}" if is_rule else group.matcher
            yield Finding(group.unit.path, group.line, message, cause=cause)
