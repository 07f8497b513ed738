"""An MCP server that Claude Code drops, or does not start as written.

It is:
- a server whose `command` or `url` is missing or misspelled, or whose `command` is empty (proven)
- a server of an unknown type, or one that has a `url` and no `type` (proven)
- `args` that are not a list of strings, or an `env` whose values are not strings (proven)
- a program or the script of an interpreter below `~`, which Claude Code does not replace (proven)
- `mcpServers` in settings.json, which Claude Code reads only from `.mcp.json` and manifests: medium (proven)
- `${input:NAME}`, `${env:NAME}` or `${workspaceFolder}` of VS Code, which Claude Code does not replace: medium (proven)
It is not:
- an unknown key beside all the required ones
- a program that does not exist: that is PRJ-003
Low when:
- the servers of settings.json are in `.mcp.json` as well, or a script of the project may read them there
- the file has `inputs`, so another program reads it as well
Why it is bad: The server and all of its tools are missing, and only `claude mcp list` reports it. A variable that is not
replaced reaches the server as text, for example as its token.
Instead: Write `{"command": "npx", "args": [...]}`, or `{"type": "http", "url": ...}`, in `.mcp.json`, and variables as `${TOKEN}`. For `~`, write `${HOME}`.
"""

from collections.abc import Iterator

from actions.case import Case
from actions.patterns.pattern import Finding, Pattern, Severity, UnitKind
from actions.project.misused_servers import find_misused_servers
from actions.project.server_faults import find_server_faults
from actions.project.unexpanded_homes import find_unexpanded_server_homes

PATTERN = Pattern(
    id="PRJ-043",
    impact=("blocks", "easy"),
    strategies=("correct_name", "expand_home"),
    asks_model=False,
    kinds=(UnitKind.MCP, UnitKind.MANIFEST, UnitKind.HOOKS),
)
_SERVER = '{"mcpServers": {"count": {\n  %s}}}\n'
BAD = (
    {".mcp.json": _SERVER % '"comand": "npx"'},
    {".mcp.json": _SERVER % '"type": "htp", "url": "https://example.com/mcp"'},
    {".mcp.json": _SERVER % '"url": "https://example.com/mcp"'},
    {".claude-plugin/plugin.json": _SERVER.replace("{", '{"name": "birds", ', 1) % '"command": "npx", "args": "birds"'},
    {".claude/settings.json": _SERVER % '"command": "npx", "args": ["birds"]'},
    {".mcp.json": _SERVER % '"command": "npx", "env": {"TOKEN": "${input:token}"}'},
    {".mcp.json": _SERVER % '"command": "${workspaceFolder}/serve.sh"'},
    {".mcp.json": _SERVER % '"command": "node", "args": ["~/birds/serve.js"]'},
)
GOOD = (
    {".mcp.json": _SERVER % '"command": "npx", "args": ["birds"], "disabled": true'},
    {".mcp.json": _SERVER % '"type": "http", "url": "https://example.com/mcp"'},
    {".mcp.json": _SERVER % '"type": "stdio", "command": "npx"'},
    {".mcp.json": _SERVER % '"command": "npx", "env": {"TOKEN": "${TOKEN:-}"}'},
    {".mcp.json": _SERVER % '"command": "npx", "args": ["birds", "~/birds"]'},
    {".claude/settings.json": '{"mcpServers": {}}\n'},
)


def check(case: Case) -> Iterator[Finding]:
    """Yield the servers of this unit that are dropped."""
    for fault in case.project.list_for_unit(find_server_faults, case.unit.path):
        message = f"Claude Code drops the server `{fault.server[:60]}`: {fault.problem}."
        yield Finding(fault.unit.path, fault.line, message)
    for home in find_unexpanded_server_homes(case.project, case.unit):
        message = (
            f"Claude Code does not replace `~` in `{home.word}`, so the server does not start: write `{home.intended}`."
        )
        yield Finding(case.unit.path, home.line, message, cause=home.word)
    for misuse in case.project.list_for_unit(find_misused_servers, case.unit.path):
        severity = Severity.LOW if misuse.is_shared else Severity.MEDIUM
        yield Finding(misuse.unit.path, misuse.line, misuse.problem, severity=severity, cause=misuse.variable)
