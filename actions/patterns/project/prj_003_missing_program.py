"""A hook or a server starts a file that is not in the project.

It is:
- a command of a hook that names a file below `${CLAUDE_PLUGIN_ROOT}` or `$CLAUDE_PROJECT_DIR` that does not exist (proven)
- the same in the command or the arguments of an MCP server (proven)
It is not:
- a file that git ignores, such as a build output
- a path with a glob, another variable or a placeholder
Why it is bad: The hook fails at every event, or the server never starts; what it should guard or offer is missing.
Instead: Correct the path, or add the file.
"""

from collections.abc import Iterator

from actions.case import Case
from actions.patterns.pattern import Finding, Pattern, UnitKind
from actions.project.started_files import find_started_files
from actions.skill.paths import find_missing_folder

PATTERN = Pattern(
    id="PRJ-003",
    impact=("blocks", "easy"),
    asked=False,
    kinds=(UnitKind.HOOKS, UnitKind.MANIFEST, UnitKind.MCP),
)
_PLUGIN = {".claude-plugin/plugin.json": '{"name": "birds"}'}
_HOOKS = '{"hooks": {"Stop": [{"hooks": [\n  {"type": "command", "command": "%s"}]}]}}\n'
_SERVER = '{"mcpServers": {"count": {\n  "command": "node",\n  "args": ["%s"]}}}\n'
BAD = (
    {
        **_PLUGIN,
        "hooks/hooks.json": _HOOKS % "bash ${CLAUDE_PLUGIN_ROOT}/scripts/chek.sh",
        "scripts/check.sh": "exit 0\n",
    },
    {".claude/settings.json": _HOOKS % "$CLAUDE_PROJECT_DIR/.claude/hooks/check.sh"},
    {**_PLUGIN, ".mcp.json": _SERVER % "${CLAUDE_PLUGIN_ROOT}/server.js"},
)
GOOD = (
    {
        **_PLUGIN,
        "hooks/hooks.json": _HOOKS % "bash ${CLAUDE_PLUGIN_ROOT}/scripts/check.sh",
        "scripts/check.sh": "exit 0\n",
    },
    {**_PLUGIN, "hooks/hooks.json": _HOOKS % "${CLAUDE_PLUGIN_ROOT}/bin/*.sh"},
    {**_PLUGIN, ".mcp.json": _SERVER % "${CLAUDE_PLUGIN_ROOT}/server.js", "server.js": "serve()\n"},
)


def check(case: Case) -> Iterator[Finding]:
    """Yield the files of this unit's commands that do not exist."""
    for file in find_started_files(case.project, case.unit):
        if not file.exists:
            message = f"`{file.path}` does not exist: `{file.word}` is started here."
            folder = find_missing_folder(file.path, case.project.folders)
            yield Finding(case.skill.main_path, file.line, message, cause=file.path, folder=folder)
