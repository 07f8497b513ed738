"""A hook uses a variable that Claude Code does not set.

It is:
- `$CLAUDE_FILE_PATH`, `$CLAUDE_TOOL_INPUT`, `$CLAUDE_COMMAND` or the like in the command of a hook (proven)
- any other name that begins with `CLAUDE_TOOL_` or says that it has the data of a hook, such as `$CLAUDE_MODIFIED_FILES` (proven)
- `$TOOL_NAME`, `$TOOL_INPUT`, `$FILE_PATH`, `$STDIN` or the like in the command of a hook (proven)
- the first names in a shell, Python or JavaScript script that a hook starts and that never reads its input (proven)
- `process.env.TOOL_INPUT_file_path` or the like in JavaScript or Python in the command of a hook, or in such a script (proven)
- a path below `$CLAUDE_PLUGIN_DIR`, `$CLAUDE_PROJECT_ROOT` or the like in the command of a hook (proven)
- `CLAUDE_PLUGIN_ROOT` or `CLAUDE_PLUGIN_DATA` in settings: only the hooks of plugins have them (proven)
It is not:
- a variable that the command, the script or `env` in the settings sets, or that has a default with data
- `$FILE_PATH`, `$CLAUDE_TOOL_HOME` or a folder that a text or a script of the project exports, or that an installer replaces
- a hook, or a script that it starts, that may read its standard input as well (not if the variable is a condition for it)
- a test whether the variable is set
Low when:
- the value is only printed, such as in a log
Why it is bad: The value is always empty: a guard blocks nothing, a formatter gets no file, and no message says so. Claude Code gives
a hook its data as JSON on standard input. A path begins at `/`, so its script does not start. Claude Code does not run a hook in
settings that has `${CLAUDE_PLUGIN_ROOT}`. The severity is medium if only data are missing and the hook does not run before a tool.
Instead: Read standard input: `jq -r '.tool_input.file_path'`. Begin paths with `${CLAUDE_PLUGIN_ROOT}` in a plugin, else with
`$CLAUDE_PROJECT_DIR`.
"""

from collections.abc import Iterator

from actions.case import Case
from actions.patterns.pattern import Finding, Pattern, Severity, UnitKind
from actions.project.facts.hooks import EVENTS, TOOL
from actions.project.unset_roots import UnsetRoot, find_unset_roots
from actions.project.unset_variables import UnsetVariable, find_unset_variables

PATTERN = Pattern(
    id="PRJ-046",
    impact=("blocks", "easy"),
    asks_model=False,
    kinds=(UnitKind.HOOKS, UnitKind.MANIFEST),
)
_GUARDS = frozenset({"PreToolUse", "PermissionRequest"})
_SETTINGS = ".claude/settings.json"
_HOOKS = '{"hooks": {"%s": [{"hooks": [{"type": "command",\n  "command": "%s"}]}]}}\n'
_PLUGIN = {".claude-plugin/plugin.json": '{"name": "birds"}'}
BAD = (
    {**_PLUGIN, "hooks/hooks.json": _HOOKS % ("Stop", "bash $CLAUDE_PLUGIN_DIR/check.sh"), "check.sh": "exit 0\n"},
    {_SETTINGS: _HOOKS % ("Stop", "node ${CLAUDE_PLUGIN_ROOT}/check.js")},
    {_SETTINGS: _HOOKS % ("PostToolUse", "pnpm prettier --write $FILE_PATH")},
    {_SETTINGS: _HOOKS % ("PostToolUse", "pnpm prettier --write $CLAUDE_TOOL_FILE_PATH")},
    {_SETTINGS: _HOOKS % ("PreToolUse", "echo $CLAUDE_TOOL_INPUT | grep -q secret && exit 2 || exit 0")},
    {_SETTINGS: _HOOKS % ("PostToolUse", 'npx prettier --write \\"$CLAUDE_FILE_PATH\\"')},
    {_SETTINGS: _HOOKS % ("PostToolUse", "if [[ $CLAUDE_FILE_PATH == *.ts ]]; then node scripts/check.js; fi")},
    {
        **_PLUGIN,
        "hooks/hooks.json": _HOOKS % ("PreToolUse", "bash ${CLAUDE_PLUGIN_ROOT}/guard.sh"),
        "guard.sh": 'COMMAND="${CLAUDE_TOOL_INPUT:-}"\nif [[ "$COMMAND" == *"git push"* ]]; then exit 2; fi\n',
    },
    {_SETTINGS: _HOOKS % ("PreToolUse", "node -e 'const f=process.env.TOOL_INPUT_file_path; process.exit(f ? 2 : 0)'")},
    {
        **_PLUGIN,
        "hooks/hooks.json": _HOOKS % ("PostToolUse", "python3 ${CLAUDE_PLUGIN_ROOT}/log.py"),
        "log.py": 'import os\n\nopen("log", "a").write(os.environ.get("CLAUDE_TOOL_NAME", ""))\n',
    },
)
GOOD = (
    {_SETTINGS: _HOOKS % ("Stop", "bash ${CLAUDE_PLUGIN_ROOT:-.}/check.sh")},
    {
        **_PLUGIN,
        "hooks/hooks.json": _HOOKS % ("Stop", "bash $CLAUDE_PLUGIN_DIR/check.sh"),
        "README.md": "Run `export CLAUDE_PLUGIN_DIR=~/birds` first.\n",
    },
    {_SETTINGS: _HOOKS % ("PreToolUse", "jq -r .tool_input.command | grep -q secret && exit 2 || exit 0")},
    {
        _SETTINGS: _HOOKS
        % ("PostToolUse", "FILE=${CLAUDE_FILE_PATH:-$(jq -r .tool_input.file_path)}; npx prettier $FILE")
    },
    {_SETTINGS: _HOOKS % ("Stop", "CLAUDE_TOOL_NAME=Stop; echo $CLAUDE_TOOL_NAME >> log")},
    {
        **_PLUGIN,
        "hooks/hooks.json": _HOOKS % ("PreToolUse", "bash ${CLAUDE_PLUGIN_ROOT}/guard.sh $CLAUDE_TOOL_INPUT"),
        "guard.sh": 'COMMAND="${1:-$(cat)}"\nif [[ "$COMMAND" == *"git push"* ]]; then exit 2; fi\n',
    },
)


def check(case: Case) -> Iterator[Finding]:
    """Yield the hooks of this unit that use variables that Claude Code does not set."""
    for root in case.project.list_for_unit(find_unset_roots, case.unit.path):
        yield Finding(root.unit.path, root.line, _format_root_message(root), cause=root.name)
    for fault in case.project.list_for_unit(find_unset_variables, case.unit.path):
        severity = PATTERN.severity if fault.event in _GUARDS else Severity.MEDIUM
        severity = Severity.LOW if fault.is_message else severity
        yield Finding(fault.unit.path, fault.line, _format_message(fault), severity=severity, cause=fault.names[0])


def _format_root_message(fault: UnsetRoot) -> str:
    if fault.is_refused:
        return f"Claude Code does not run this hook: only plugins have `${{{fault.name}}}`. Write `{fault.instead}`."
    return f"Claude Code does not set `${fault.name}`, so the path is wrong. Write `{fault.instead}`."


def _format_message(fault: UnsetVariable) -> str:
    *others, last = [f"`${name}`" for name in fault.names]
    names = f"{', '.join(others)} and {last}" if others else last
    path, _, line = fault.script.rpartition(":")
    reader = f"line {line} of `{path}`" if fault.script else "this hook"
    values = "empty values" if others else "an empty value"
    return f"Claude Code does not set {names}, so {reader} gets {values}. {_advise(fault)}"


def _advise(fault: UnsetVariable) -> str:
    """Return what to do instead, with the field of the input if the hook's event has it."""
    is_given = EVENTS.get(fault.event) == TOOL or not fault.field.startswith("tool_")
    command = f": `jq -r '.{fault.field}'`" if is_given and fault.field else ", which has the data as JSON"
    return f"Read standard input{command}."
