"""A permission rule that Claude Code skips.

It is:
- a rule of `permissions` that is not `Tool` or `Tool(content)`, such as `Bash(git` or `bash(git:*)` (proven)
- `:*` in a rule for files, a URL in a rule for WebFetch, parentheses after an MCP tool, `*` under `allow` (proven)
It is not:
- a rule for a tool that this version does not have
- a rule with an escaped parenthesis
Why it is bad: A skipped `deny` rule denies nothing, and a skipped `allow` rule leaves Claude Code asking every time. Only
`claude doctor` reports it.
Instead: Write `Bash(git *)`, `Read(src/**)`, `WebFetch(domain:example.com)`, `mcp__server__tool`.
"""

from collections.abc import Iterator

from actions.case import Case
from actions.grouping import group_by_key
from actions.patterns.pattern import Finding, Pattern, UnitKind
from actions.project.permission_rules import find_permission_rules
from templates.filters import counted

PATTERN = Pattern(
    id="PRJ-018", impact=("every_run", "easy"), strategies=("correct_name",), asks_model=False, kinds=(UnitKind.HOOKS,)
)
_SETTINGS = '{"permissions": {"%s": [\n  "%s"]}}\n'
BAD = (
    {".claude/settings.json": _SETTINGS % ("deny", "Bash(rm -rf")},
    {".claude/settings.json": _SETTINGS % ("allow", "Read(src:*)")},
    {".claude/settings.json": _SETTINGS % ("allow", "mcp__atlas__find(bird)")},
)
GOOD = (
    {".claude/settings.json": _SETTINGS % ("deny", "*")},
    {".claude/settings.json": _SETTINGS % ("allow", "Bash(git log:*)")},
    {".claude/settings.json": _SETTINGS % ("allow", "mcp__atlas__*")},
)


def check(case: Case) -> Iterator[Finding]:
    """Yield the permission rules of this unit that Claude Code skips. Equal faults of a tool have one cause."""
    rules = case.project.list_for_unit(find_permission_rules, case.unit.path)
    faulty = group_by_key((f"{rule.tool}: {rule.fault}", rule) for rule in rules if rule.fault)
    for cause, (first, *others) in faulty.items():
        more = f" and {counted(len(others), 'more rule')} for this tool" if others else ""
        message = f"Claude Code skips the rule `{first.text[:80]}`{more}: {first.fault}."
        for rule in (first, *others):
            yield Finding(rule.unit.path, rule.line, message, cause=cause)
