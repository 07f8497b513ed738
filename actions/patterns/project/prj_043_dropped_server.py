"""An MCP server that Claude Code drops.

It is:
- a server whose `command` or `url` is missing or misspelled, or whose `command` is empty (proven)
- a server of an unknown type, or one that has a `url` and no `type` (proven)
- `args` that are not a list of strings, or an `env` whose values are not strings (proven)
It is not:
- an unknown key beside all the required ones
- a program that does not exist: that is PRJ-003
Why it is bad: The server and all of its tools are missing, and only `claude mcp list` reports it.
Instead: Write `{"command": "npx", "args": [...]}`, or `{"type": "http", "url": ...}`.
"""

from collections.abc import Iterator

from actions.case import Case
from actions.patterns.pattern import Finding, Pattern, UnitKind
from actions.project.server_faults import find_server_faults

PATTERN = Pattern(
    id="PRJ-043",
    impact=("blocks", "easy"),
    strategies=("correct_name",),
    asks_model=False,
    kinds=(UnitKind.MCP, UnitKind.MANIFEST),
)
_SERVER = '{"mcpServers": {"count": {\n  %s}}}\n'
BAD = (
    {".mcp.json": _SERVER % '"comand": "npx"'},
    {".mcp.json": _SERVER % '"type": "htp", "url": "https://example.com/mcp"'},
    {".mcp.json": _SERVER % '"url": "https://example.com/mcp"'},
    {".claude-plugin/plugin.json": _SERVER.replace("{", '{"name": "birds", ', 1) % '"command": "npx", "args": "birds"'},
)
GOOD = (
    {".mcp.json": _SERVER % '"command": "npx", "args": ["birds"], "disabled": true'},
    {".mcp.json": _SERVER % '"type": "http", "url": "https://example.com/mcp"'},
    {".mcp.json": _SERVER % '"type": "stdio", "command": "npx"'},
)


def check(case: Case) -> Iterator[Finding]:
    """Yield the servers of this unit that are dropped."""
    for fault in case.project.list_for_unit(find_server_faults, case.unit.path):
        message = f"Claude Code drops the server `{fault.server[:60]}`: {fault.problem}."
        yield Finding(fault.unit.path, fault.line, message)
