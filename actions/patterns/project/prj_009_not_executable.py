"""A script is started by a hook, a status line or a server, but is not executable.

It is:
- a command that begins with a file of the project, not with an interpreter, where the file is not executable (proven)
- the same in a status line of settings: medium, as only the line is lost (proven)
It is not:
- a file that is executable on disk, or in git's index, whose mode a clone gets
- a command that begins with an interpreter, such as `bash` or `python3`
- a file with another extension than `.sh` or `.bash` that does not begin with `#!`
- a copy in a folder of another tool, such as `.agents`, from which Claude Code does not load it
Why it is bad: The shell fails with "Permission denied" at every event, and the hook guards nothing.
Instead: Run `git update-index --chmod=+x FILE` and `chmod +x FILE`, or put the interpreter before the file.
"""

from collections.abc import Iterator

from actions.case import Case
from actions.patterns.pattern import Finding, Pattern, Severity, UnitKind
from actions.project.loaders import is_for_claude_code
from actions.project.project import Project
from actions.project.started_files import find_started_files

PATTERN = Pattern(
    id="PRJ-009",
    impact=("blocks", "easy"),
    strategies=("make_executable",),
    asks_model=False,
    kinds=(UnitKind.HOOKS, UnitKind.MANIFEST, UnitKind.MCP),
)
_SHELL = (".sh", ".bash")
_PLUGIN = {".claude-plugin/plugin.json": '{"name": "birds"}'}
_HOOKS = '{"hooks": {"Stop": [{"hooks": [\n  {"type": "command", "command": "%s"}]}]}}\n'
_STATUS_LINE = '{"statusLine": {"type": "command",\n  "command": "%s"}}\n'
_SERVER = '{"mcpServers": {"count": {\n  "command": "${CLAUDE_PLUGIN_ROOT}/bin/serve"}}}\n'
BAD = (
    {".claude/settings.json": _HOOKS % ".claude/hooks/check", ".claude/hooks/check": "count\n"},
    {**_PLUGIN, "hooks/hooks.json": _HOOKS % "${CLAUDE_PLUGIN_ROOT}/check --all", "check": "count\n"},
    {**_PLUGIN, ".mcp.json": _SERVER, "bin/serve": "serve\n"},
    {".claude/settings.json": _STATUS_LINE % ".claude/line", ".claude/line": "count\n"},
    {".claude/settings.json": _STATUS_LINE % ".claude/line.sh", ".claude/line.sh": "\n#!/bin/sh\ncount\n"},
)
GOOD = (
    {".claude/settings.json": _STATUS_LINE % "bash .claude/line", ".claude/line": "count\n"},
    {**_PLUGIN, "hooks/hooks.json": _HOOKS % "bash ${CLAUDE_PLUGIN_ROOT}/check", "check": "count\n"},
    {**_PLUGIN, "hooks/hooks.json": _HOOKS % "${CLAUDE_PLUGIN_ROOT}/check", "check": "#!/bin/sh\ncount\n"},
    {**_PLUGIN, "hooks/hooks.json": _HOOKS % "${CLAUDE_PLUGIN_ROOT}/check.cmd", "check.cmd": "count\n"},
)


def check(case: Case) -> Iterator[Finding]:
    """Yield the files that this unit starts directly and that are not executable."""
    project, unit = case.project, case.unit
    for file in find_started_files(project, unit) if is_for_claude_code(project, unit) else ():
        if file.is_program and file.path in project.files and not project.files[file.path].is_executable:
            raw = project.read_bytes(file.path) or b""
            if raw.startswith(b"#!") or "." not in file.path.rpartition("/")[2] or file.path.endswith(_SHELL):
                message = f"`{file.path}` is started here, but it is not executable."
                severity = Severity.MEDIUM if file.is_of_status_line else PATTERN.severity
                yield Finding(
                    case.skill.main_path,
                    file.line,
                    message,
                    severity=severity,
                    cause=_find_original(project, file.path),
                )


def _find_original(project: Project, path: str) -> str:
    """Return the file of which a file in `.claude` is a copy, byte for byte and in its mode, or else the file itself."""
    original = path.replace(".claude/", "", 1)
    if original not in project.files or project.files[original].is_executable:
        return path
    return original if project.read_bytes(original) == project.read_bytes(path) else path
