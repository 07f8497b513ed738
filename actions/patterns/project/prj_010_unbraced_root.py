"""`$CLAUDE_PLUGIN_ROOT` where Claude Code replaces only `${CLAUDE_PLUGIN_ROOT}`.

It is:
- the variable without braces in shell code, or in a fence that begins with a command, of a skill, a command or an agent of a plugin, also after `!` (proven)
- the same in a code span that is a command, such as `bash $CLAUDE_PLUGIN_ROOT/count.sh` (proven)
- the same in a word of a server, or of a hook that has `args` (proven)
It is not:
- a hook's `command` without `args`, because a shell replaces both forms there
- a text that sets the variable itself, a line with a fallback such as `${CLAUDE_PLUGIN_ROOT:+...}`, a shell's argument after `-c`, and a script that begins with `#!`
Why it is bad: The variable is not set where the model runs the command, so the path begins at `/`; in a server no shell replaces it,
so the path begins with the variable's name. If a command after `!` fails, none of the text reaches the model.
Instead: Write `${CLAUDE_PLUGIN_ROOT}`.
"""

from collections.abc import Iterator

from actions.case import Case
from actions.patterns.pattern import Finding, Pattern, UnitKind
from actions.project.unbraced import find_unbraced_in_code, find_unbraced_words

PATTERN = Pattern(
    id="PRJ-010",
    impact=("blocks", "easy"),
    strategies=("add_braces",),
    asks_model=False,
    kinds=(UnitKind.SKILL, UnitKind.AGENT, UnitKind.COMMAND, UnitKind.HOOKS, UnitKind.MANIFEST, UnitKind.MCP),
)
_PLUGIN = {".claude-plugin/plugin.json": '{"name": "birds"}'}
_TEXT = "---\ndescription: Counts.\n---\n\nRun:\n\n```bash\n%s\n```\n"
_HOOKS = '{"hooks": {"Stop": [{"hooks": [{"type": "command",\n  %s}]}]}}\n'
BAD = (
    {**_PLUGIN, "commands/count.md": _TEXT % "bash $CLAUDE_PLUGIN_ROOT/count.sh"},
    {**_PLUGIN, "skills/count/SKILL.md": _TEXT % "bash $CLAUDE_PLUGIN_ROOT/count.sh"},
    {**_PLUGIN, "commands/count.md": "Birds: !`bash $CLAUDE_PLUGIN_ROOT/count.sh`\n"},
    {**_PLUGIN, "agents/counter.md": "Run `bash $CLAUDE_PLUGIN_ROOT/count.sh`.\n"},
    {**_PLUGIN, "agents/counter.md": "Run:\n\n```\nnode $CLAUDE_PLUGIN_ROOT/count.js --all\n```\n"},
    {**_PLUGIN, "hooks/hooks.json": _HOOKS % '"command": "node",\n  "args": ["$CLAUDE_PLUGIN_ROOT/check.js"]'},
    {**_PLUGIN, ".mcp.json": '{"count": {\n  "command": "$CLAUDE_PLUGIN_ROOT/serve"}}\n'},
)
GOOD = (
    {**_PLUGIN, "commands/count.md": _TEXT % "bash ${CLAUDE_PLUGIN_ROOT}/count.sh"},
    {**_PLUGIN, "commands/count.md": _TEXT % "CLAUDE_PLUGIN_ROOT=$(find-root)\nbash $CLAUDE_PLUGIN_ROOT/count.sh"},
    {**_PLUGIN, "commands/count.md": "A hook starts `$CLAUDE_PLUGIN_ROOT/count.sh` at the end.\n"},
    {**_PLUGIN, "commands/count.md": _TEXT % "#!/bin/bash\nbash $CLAUDE_PLUGIN_ROOT/count.sh"},
    {**_PLUGIN, "hooks/hooks.json": _HOOKS % '"command": "node $CLAUDE_PLUGIN_ROOT/check.js"'},
    {**_PLUGIN, ".mcp.json": '{"count": {"command": "sh", "args": ["-c", "$CLAUDE_PLUGIN_ROOT/serve"]}}\n'},
)


def check(case: Case) -> Iterator[Finding]:
    """Yield the lines in this unit that have the variable without braces."""
    if case.unit.plugin_root is None:
        return
    path = case.skill.main_path
    for line, word in find_unbraced_words(case.project, case.unit):
        yield Finding(path, line, f"Claude Code replaces only `${{CLAUDE_PLUGIN_ROOT}}`: `{word}` has no braces.")
    message = (
        "Claude Code replaces only `${CLAUDE_PLUGIN_ROOT}`: `$CLAUDE_PLUGIN_ROOT` is empty when this command runs."
    )
    yield from (Finding(path, line, message, cause=path) for line, _ in find_unbraced_in_code(case.skill.main))
