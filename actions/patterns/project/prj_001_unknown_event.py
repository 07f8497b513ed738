"""Hooks for an event that Claude Code does not have.

It is:
- an event in the `hooks` of a hooks file, of settings or of a manifest that Claude Code does not know (proven)
- an event in another spelling, such as `preToolUse` or `PreTool` (proven)
It is not:
- an event without hooks
- a key of the author, such as `"directory": ".claude/hooks"`: its value is no list, and its name resembles no event
- a comment: a key that begins with `_`, `$`, `//`, `#` or `comment`
Why it is bad: Claude Code silently ignores the entry. A guard that never runs looks like one that allows everything.
Instead: Write the event as Claude Code spells it, for example `PreToolUse`, `PostToolUse`, `Stop`, `SessionStart`.
"""

from collections.abc import Iterator

from actions.case import Case
from actions.patterns.pattern import Finding, Pattern, UnitKind
from actions.project.facts.hooks import EVENTS
from actions.project.hooks_file import find_hook_events, find_intended_event
from actions.regex import regex
from templates.filters import did_you_mean

PATTERN = Pattern(
    id="PRJ-001",
    impact=("blocks", "easy"),
    strategies=("correct_name",),
    asks_model=False,
    kinds=(UnitKind.HOOKS, UnitKind.MANIFEST),
)
_GIT = regex(r"(?i)commit|push|merge|rebase|checkout")
"""A word in the name of an event that git has and Claude Code has not."""
_GIT_ADVICE = ". Claude Code has no events of git: use a hook of git, or `PreToolUse` with the matcher `Bash`."
_HOOKS = '{"hooks": {\n  "%s": [{"hooks": [{"type": "command", "command": "true"}]}]\n}}\n'
BAD = (
    {".claude/settings.json": _HOOKS % "preToolUse"},
    {".claude-plugin/plugin.json": '{"name": "birds"}', "hooks/hooks.json": _HOOKS % "OnStop"},
    {".claude/settings.json": '{"hooks": {"preToolUse": {"command": "true"}}}'},
)
GOOD = (
    {".claude/settings.json": _HOOKS % "PreToolUse"},
    {".claude/settings.json": '{"hooks": {"directory": ".claude/hooks", "enabled": true}}'},
    {".claude/settings.json": '{"hooks": {"_comment_if_field": "One per tool.", "Stop": []}}'},
    {".claude-plugin/plugin.json": '{"name": "birds"}', "hooks/hooks.json": _HOOKS % "Stop"},
)


def check(case: Case) -> Iterator[Finding]:
    """Yield the hook events in this unit that Claude Code does not have."""
    for event in case.project.list_for_unit(find_hook_events, case.unit.path):
        if event.name not in EVENTS and (event.has_list or find_intended_event(event.name) in EVENTS):
            hint = _GIT_ADVICE if _GIT.search(event.name) else did_you_mean(event.name, EVENTS, near=0.6)
            message = f"Unknown hook event `{event.name}`: its hooks never run{hint or '.'}"
            yield Finding(event.unit.path, event.line, message, cause=event.name)
