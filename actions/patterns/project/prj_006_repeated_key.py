"""A key that occurs twice.

It is:
- a key that the frontmatter of a skill, a command or an agent has twice (proven)
- a key that an object of a manifest, a hooks file, settings or `.mcp.json` has twice (proven)
It is not:
- the same key in two different objects
Low when:
- both values are equal, or Claude Code does not read the key
Why it is bad: Only the last value counts, and the others are silently dropped: a second `PreToolUse` removes all hooks of the first.
Instead: Merge the values under one key, or remove the one that is out of date.
"""

from collections.abc import Iterator

from actions.case import Case
from actions.grouping import group_by_key
from actions.patterns.pattern import Finding, Pattern, Severity, UnitKind
from actions.project.facts.frontmatter import READ_KEYS
from actions.project.frontmatter import find_repeated_keys

PATTERN = Pattern(
    id="PRJ-006",
    impact=("blocks", "easy"),
    strategies=("drop_repeated_key",),
    asks_model=False,
    kinds=(UnitKind.SKILL, UnitKind.AGENT, UnitKind.COMMAND, UnitKind.HOOKS, UnitKind.MANIFEST, UnitKind.MCP),
)
_STOP = '"Stop": [{"hooks": [{"type": "command", "command": "%s"}]}]'
BAD = (
    {".claude/agents/counter.md": "---\nname: counter\ndescription: Counts.\nname: watcher\n---\n\nCount.\n"},
    {".claude/skills/count/SKILL.md": "---\nname: count\ndescription: Counts.\ndescription: Sorts.\n---\n\nCount.\n"},
    {".claude/settings.json": '{"hooks": {\n' + ",\n".join((_STOP % "true", _STOP % "false")) + "\n}}\n"},
)
GOOD = (
    {".claude/agents/counter.md": "---\nname: counter\ndescription: |\n  name: x\n  name: y\n---\n\nCount.\n"},
    {".mcp.json": '{"mcpServers": {\n"a": {"command": "x"},\n"b": {"command": "x"}}}\n'},
)


def check(case: Case) -> Iterator[Finding]:
    """Yield the repeated keys in this unit."""
    path = case.skill.main_path
    if case.skill.kind in (UnitKind.SKILL, UnitKind.AGENT, UnitKind.COMMAND):
        get_line = case.skill.main.doc.line
        repeated = group_by_key((key.key, key) for key in find_repeated_keys(case.skill.main.text))
        for name, repeats in repeated.items():
            is_equal = len({get_line(number) for key in repeats for number in (key.line, key.first_line)}) == 1
            is_low = name not in READ_KEYS or (is_equal and ": " in get_line(repeats[0].line))
            yield from (_report(path, name, key.line, key.first_line, is_low=is_low) for key in repeats)
    elif document := case.project and case.project.read_json(path):
        for duplicate in document.duplicates:
            yield _report(path, duplicate.key, duplicate.line, duplicate.first_line, is_low=duplicate.is_equal)


def _report(path: str, key: str, line: int, first_line: int, *, is_low: bool) -> Finding:
    """Return the finding about a key on `line` that repeats the key on `first_line`."""
    message = f"`{key}` repeats the key of line {first_line}: Claude Code uses only the last value."
    severity = Severity.LOW if is_low else Severity.CRITICAL
    return Finding(path, line, message, severity=severity, cause=f"{path}:{first_line}: {key}")
