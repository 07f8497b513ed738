"""A setting of a hook that has no effect, or not the intended one.

It is:
- `once` in hooks.json or settings, where Claude Code ignores it (proven)
- a `timeout` in milliseconds, or one above 60 seconds for `SessionEnd`, whose hooks end after 60, those of a plugin after 1.5 (proven)
- a `timeout` from 1,000 on that is a multiple of 500, in a file with another in milliseconds (proven)
- `matcher` inside a hook, `matchers` next to `hooks`, or a misspelled key, such as `timout` (proven)
It is not:
- a key of the author's own, such as `description`
- a `timeout` of a minute or less for `SessionEnd` in a plugin: it is an upper bound, and most hooks end before 1.5 seconds
- `once` in the frontmatter of a skill
Low when:
- the timeout is above the limit of `SessionEnd`: most hooks finish before that limit
- `once` is at `SessionStart` or `PreCompact`, which occur again only when a session is resumed, cleared or compacted
Why it is bad: The hook runs more often, longer or for other tools than its author meant, and no message says so.
Instead: Spell the key as Claude Code does, put `matcher` next to `hooks`, and give `timeout` in seconds.
"""

from collections.abc import Iterator

from actions.case import Case
from actions.patterns.pattern import Finding, Pattern, Severity, UnitKind
from actions.project.hook_faults import find_idle_settings

PATTERN = Pattern(
    id="PRJ-016",
    impact=("every_run", "easy"),
    strategies=("correct_name",),
    asks_model=False,
    kinds=(UnitKind.HOOKS, UnitKind.MANIFEST),
)
_HOOKS = '{"hooks": {"%s": [{"hooks": [\n  {"type": "command", "command": "true", %s}]}]}}\n'
BAD = (
    {".claude/settings.json": _HOOKS % ("SessionStart", '"once": true')},
    {".claude/settings.json": _HOOKS % ("PostToolUse", '"timeout": 30000')},
    {".claude/settings.json": _HOOKS % ("PreToolUse", '"matcher": "Bash"')},
    {".claude/settings.json": _HOOKS % ("Stop", '"timout": 30')},
    {
        ".claude-plugin/plugin.json": '{"name": "birds"}',
        "hooks/hooks.json": _HOOKS % ("SessionEnd", '"timeout": 90'),
    },
)
GOOD = (
    {".claude/settings.json": _HOOKS % ("SessionStart", '"once": false')},
    {".claude/settings.json": _HOOKS % ("PostToolUse", '"timeout": 3600')},
    {".claude/settings.json": _HOOKS % ("SessionEnd", '"timeout": 30')},
    {
        ".claude-plugin/plugin.json": '{"name": "birds"}',
        "hooks/hooks.json": _HOOKS % ("SessionEnd", '"timeout": 30'),
    },
    {".claude/settings.json": _HOOKS % ("Stop", '"description": "Counts birds"')},
)


def check(case: Case) -> Iterator[Finding]:
    """Yield the settings of this unit's hooks that have no effect or an unintended one."""
    for fault in case.project.list_for_unit(find_idle_settings, case.unit.path):
        severity = Severity.LOW if fault.is_harmless else PATTERN.severity
        yield Finding(
            fault.unit.path, fault.line, fault.message, severity=severity, cause=f"{fault.key} in {fault.unit.path}"
        )
