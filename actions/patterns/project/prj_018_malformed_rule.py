"""A permission rule that Claude Code skips.

It is:
- a rule of `permissions` that is not `Tool` or `Tool(content)`, such as `Bash(git`, `bash(git:*)` or `rm -rf /` (proven)
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
from actions.project.permission_rules import PermissionRule, find_permission_rules, is_shell_command
from templates.filters import counted

PATTERN = Pattern(
    id="PRJ-018", impact=("every_run", "easy"), strategies=("correct_name",), asks_model=False, kinds=(UnitKind.HOOKS,)
)
_COMMANDS = "shell commands"
_SETTINGS = '{"permissions": {"%s": [\n  "%s"]}}\n'
BAD = (
    {".claude/settings.json": _SETTINGS % ("deny", "Bash(rm -rf")},
    {".claude/settings.json": _SETTINGS % ("deny", "rm -rf /")},
    {".claude/settings.json": _SETTINGS % ("allow", "Read(src:*)")},
    {".claude/settings.json": _SETTINGS % ("allow", "mcp__atlas__find(bird)")},
)
GOOD = (
    {".claude/settings.json": _SETTINGS % ("deny", "*")},
    {".claude/settings.json": _SETTINGS % ("allow", "Bash(git log:*)")},
    {".claude/settings.json": _SETTINGS % ("allow", "mcp__atlas__*")},
)


def check(case: Case) -> Iterator[Finding]:
    """Yield the permission rules of this unit that Claude Code skips, one for each line.

    Equal faults of a tool have one cause, and all shell commands without the name of a tool.
    """
    rules = case.project.list_for_unit(find_permission_rules, case.unit.path)
    faulty = group_by_key((_name_cause(rule), rule) for rule in rules if rule.fault)
    for cause, (first, *others) in faulty.items():
        is_command = cause == _COMMANDS
        kind = counted(len(others), "more shell command" if is_command else "more rule")
        more = f" and {kind}{'' if is_command else ' for this tool'}" if others else ""
        message = f"Claude Code skips the rule `{first.text[:80]}`{more}: {first.fault}."
        for line in dict.fromkeys(rule.line for rule in (first, *others)):
            yield Finding(first.unit.path, line, message, cause=cause)


def _name_cause(rule: PermissionRule) -> str:
    return _COMMANDS if is_shell_command(rule.text) else f"{rule.tool}: {rule.fault}"
