"""A matcher for an event that takes no matcher.

It is:
- a `matcher` other than `*` for an event that takes none, such as `Stop` or `UserPromptSubmit` (proven)
It is not:
- an empty matcher, `*` or `.*`
- a matcher for an event of tools, sub-agents, sessions or notifications
Why it is bad: The hook runs at every such event, although its author wanted it to run only at some of them.
Instead: Remove the matcher, or test its condition in the script.
"""

from collections.abc import Iterator

from actions.case import Case
from actions.patterns.pattern import Finding, Pattern, UnitKind
from actions.project.facts.hooks import EVENTS
from actions.project.hooks_file import find_hook_groups

PATTERN = Pattern(
    id="PRJ-002",
    impact=("every_run", "easy"),
    asks_model=False,
    kinds=(UnitKind.HOOKS, UnitKind.MANIFEST),
)
_HOOKS = '{"hooks": {"%s": [{\n  "matcher": "%s",\n  "hooks": [{"type": "command", "command": "true"}]}]\n}}\n'
BAD = (
    {".claude/settings.json": _HOOKS % ("Stop", "Bash")},
    {".claude/settings.json": _HOOKS % ("UserPromptSubmit", "deploy.*")},
)
GOOD = (
    {".claude/settings.json": _HOOKS % ("Stop", "*")},
    {".claude/settings.json": _HOOKS % ("SessionStart", "startup")},
)


def check(case: Case) -> Iterator[Finding]:
    """Yield the matchers in this unit that have no effect."""
    for group in case.project.list_for_unit(find_hook_groups, case.unit.path):
        if group.matcher not in ("", "*", ".*") and EVENTS.get(group.event) == "":
            message = f"`{group.event}` takes no matcher: `{group.matcher}` has no effect, so its hooks always run."
            yield Finding(group.unit.path, group.line, message, cause=f"{group.event} {group.matcher}")
