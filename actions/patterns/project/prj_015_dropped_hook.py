"""A hook that Claude Code does not load, or never runs.

It is:
- a hook without `type`, of an unknown type, or with a field of the wrong kind, such as `"timeout": "30"` (proven)
- a hook outside the list `hooks` of its matcher, or an event in hooks.json outside the top-level key `hooks` (proven)
- a hook with `if` for an event without a tool, such as `Stop`, or with an `if` that is not a permission rule (proven)
- `hooks` as a list instead of an object by event: the plugin is not loaded, or the whole settings file is ignored (proven)
- `.claude/hooks.json` or `.claude/hooks/hooks.json` with hooks in a project that is not a plugin: medium (proven)
- hooks.json of a plugin with neither `hooks` nor events (proven)
It is not:
- `.claude/hooks.json` or `.claude/hooks/hooks.json` if settings register one of its scripts, or if a script of the project names it
- a list in plugin.json of paths, or of objects by event
- a key that Claude Code does not know
- a hook for an unknown event
Low when:
- a plugin's hooks.json has no events either
Why it is bad: Nothing runs and nothing fails. One invalid hook of `PreToolUse` removes all hooks of its file.
Instead: Write `{"type": "command", "command": ...}` inside `"hooks": [...]`; where `if` does not work, test the input in the script.
"""

from collections.abc import Iterator

from actions.case import Case
from actions.patterns.pattern import Finding, Pattern, Severity, UnitKind
from actions.project.hook_faults import find_dropped_hooks

PATTERN = Pattern(
    id="PRJ-015",
    impact=("blocks", "easy"),
    strategies=("correct_name",),
    asks_model=False,
    kinds=(UnitKind.HOOKS, UnitKind.MANIFEST),
)
_HOOKS = '{"hooks": {"%s": [{"hooks": [\n  %s]}]}}\n'
BAD = (
    {".claude/hooks/hooks.json": _HOOKS % ("Stop", '{"type": "command", "command": "sh .claude/hooks/check.sh"}')},
    {".claude/hooks.json": _HOOKS % ("Stop", '{"type": "command", "command": "sh .claude/hooks/check.sh"}')},
    {".claude/settings.json": _HOOKS % ("Stop", '{"type": "command", "command": "true", "timeout": "30"}')},
    {".claude/settings.json": _HOOKS % ("PreToolUse", '{"command": "true"}')},
    {".claude/settings.json": _HOOKS % ("Stop", '{"type": "command", "command": "true", "if": "Bash(git *)"}')},
    {".claude-plugin/plugin.json": '{"name": "birds"}', "hooks/hooks.json": '{"Stop": [{"hooks": []}]}\n'},
    {".claude-plugin/plugin.json": '{"name": "birds"}', "hooks/hooks.json": '{"preToolUse": {"command": "true"}}\n'},
    {".claude/settings.json": '{"hooks": {"Stop": [\n  {"type": "command", "command": "true"}]}}\n'},
    {".claude/settings.json": '{"hooks": [{"event": "Stop", "hooks": []}]}\n'},
    {".claude-plugin/plugin.json": '{"name": "birds"}', "hooks/hooks.json": '{"hooks": []}\n'},
    {".claude-plugin/plugin.json": '{"name": "birds", "hooks": [{"event": "Stop", "hooks": []}]}'},
)
GOOD = (
    {
        ".claude/hooks/hooks.json": _HOOKS % ("Stop", '{"type": "command", "command": "sh .claude/hooks/check.sh"}'),
        ".claude/settings.json": _HOOKS % ("Stop", '{"type": "command", "command": ".claude/hooks/check.sh"}'),
        ".claude/hooks/check.sh": "exit 0\n",
    },
    {".claude/settings.json": _HOOKS % ("Stop", '{"type": "command", "command": "true", "timeout": 30}')},
    {".claude/settings.json": _HOOKS % ("PreToolUse", '{"type": "prompt", "prompt": "Is it safe? $ARGUMENTS"}')},
    {".claude/settings.json": _HOOKS % ("PreToolUse", '{"type": "command", "command": "true", "if": "Bash(git *)"}')},
    {
        ".claude-plugin/plugin.json": '{"name": "birds", "hooks": ["./hooks.json", {"Stop": []}]}',
        "hooks.json": '{"hooks": {}}',
    },
)


def check(case: Case) -> Iterator[Finding]:
    """Yield the hooks of this unit that Claude Code does not load or never runs."""
    for fault in case.project.list_for_unit(find_dropped_hooks, case.unit.path):
        severity = Severity.MEDIUM if fault.is_unread else PATTERN.severity
        severity = Severity.LOW if fault.is_harmless else severity
        yield Finding(fault.unit.path, fault.line, fault.message, severity=severity)
