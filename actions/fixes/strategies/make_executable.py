"""Make a file executable if a hook, a status line or a server starts it as a program.

Everyone who can read the file can then execute it. Its text does not change, and a rollback restores the mode. In the
example, `*` marks an executable file.
"""

from actions.case import Case
from actions.fixes.strategies.strategy import Draft, Strategy
from actions.project.started_files import find_started_files
from actions.skill.example import Example
from schemas.issues import Issue
from schemas.vocabulary import Risk

STRATEGY = Strategy("make_executable", fixes=("PRJ-009",), risk=Risk.LOW)


def propose(issue: Issue, case: Case) -> Draft | None:
    """Make the program at the issue's places executable."""
    files, places = case.project.files, {place.line_start for place in issue.places}
    started = find_started_files(case.project, case.unit)
    programs = dict.fromkeys(file.path for file in started if file.is_program and file.line in places)
    paths = [path for path in programs if path in files and not files[path].is_executable]
    contents = {path: case.project.read_bytes(path) for path in paths}
    if not paths or None in contents.values():
        return None
    return Draft(
        writes=contents,
        description=f"Make {' and '.join(f'`{path}`' for path in paths)} executable.",
        rationale="A hook, a status line or a server starts this file as a program, but the file is not executable.",
        impact="The hook, the status line or the server starts.",
        token_limit=0,
        executable=tuple(paths),
    )


_PLUGIN = {".claude-plugin/plugin.json": '{"name": "birds"}\n'}
_HOOKS = (
    '{"hooks": {"Stop": [{"hooks": [\n  {"type": "command", "command": "${CLAUDE_PLUGIN_ROOT}/bin/check --all"}]}]}}\n'
)
_STATUS_LINE = '{"statusLine": {"type": "command",\n  "command": ".claude/line"}}\n'
_SERVER = '{"count": {\n  "command": "${CLAUDE_PLUGIN_ROOT}/bin/serve"}}\n'
BEFORE: tuple[Example, ...] = (
    {**_PLUGIN, "hooks/hooks.json": _HOOKS, "bin/check": "count\n"},
    {**_PLUGIN, ".mcp.json": _SERVER, "bin/serve": "serve\n"},
    {".claude/settings.json": _STATUS_LINE, ".claude/line": "count\n"},
)
AFTER: tuple[Example, ...] = (
    {**_PLUGIN, "hooks/hooks.json": _HOOKS, "bin/check*": "count\n"},
    {**_PLUGIN, ".mcp.json": _SERVER, "bin/serve*": "serve\n"},
    {".claude/settings.json": _STATUS_LINE, ".claude/line*": "count\n"},
)
