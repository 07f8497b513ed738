"""A hook, a server or a text names a file of its plugin or skill that does not exist.

It is:
- a command of a hook that names a file below `${CLAUDE_PLUGIN_ROOT}` or `$CLAUDE_PROJECT_DIR` that does not exist (proven)
- a relative path of `.claude` in settings that a hook starts, such as `python3 .claude/check.py` (proven)
- either also inside `if`, `&&`, `(...)` or `bash -c` of a hook's command (proven)
- a file of the project that a status line of settings starts by such a path (proven)
- a file below `~/.claude` that settings start, if they start another one of its folder that is kept beside them (proven)
- a relative path of a plugin's hook to a file of the plugin: Claude Code takes it from the user's project (proven)
- a file below a `~` that a hook or a status line starts in quotes, such as `bash "~/.claude/check.sh"`, or by `args` (proven)
- a file below these variables in the command or the arguments of an MCP server (proven)
- a path below `${CLAUDE_PLUGIN_ROOT}` or `${CLAUDE_SKILL_DIR}` in shell code or a code span of a skill, a command or an agent (proven)
It is not:
- a file that git ignores, such as a build output, or that the text or a script of the plugin creates
- a file that the command tests first, as in `[ -f FILE ] && sh FILE`, creates or removes
- a file below `~/.claude` whose name another file of the project has
- a path in a text about plugins, or in a text in which most paths do not exist: such paths are samples
- a path with a glob, another variable or a placeholder
Why it is bad: The hook fails at every event and guards nothing, the server never starts, or the model's command fails.
The severity is medium if a text names a file that is not a script, and for a `~` if the hook has other commands,
or only the status line is lost.
Instead: Correct the path, or add the file. In quotes, write `$HOME` for `~`.
"""

from collections.abc import Iterator

from actions.case import Case
from actions.patterns.pattern import Finding, Pattern, Severity, UnitKind
from actions.project.named_paths import find_missing_paths
from actions.project.started_files import find_misplaced_files, find_missing_home_files, find_started_files
from actions.project.unexpanded_homes import UnexpandedHome, find_unexpanded_homes

PATTERN = Pattern(
    id="PRJ-003",
    impact=("blocks", "easy"),
    strategies=("correct_path", "expand_home"),
    asks_model=False,
    kinds=(UnitKind.HOOKS, UnitKind.MANIFEST, UnitKind.MCP, UnitKind.SKILL, UnitKind.COMMAND, UnitKind.AGENT),
)
_PLUGIN = {".claude-plugin/plugin.json": '{"name": "birds"}'}
_HOOKS = '{"hooks": {"Stop": [{"hooks": [\n  {"type": "command", "command": "%s"}]}]}}\n'
_SKILL = "---\nname: count\ndescription: Counts.\n---\n\nRun:\n\n```bash\n%s\n```\n"
_SERVER = '{"mcpServers": {"count": {\n  "command": "node",\n  "args": ["%s"]}}}\n'
BAD = (
    {".claude/settings.json": _HOOKS % "python3 .claude/hooks/check.py --all"},
    {**_PLUGIN, "hooks/hooks.json": _HOOKS % "python3 scripts/check.py", "scripts/check.py": "count()\n"},
    {
        **_PLUGIN,
        "hooks/hooks.json": _HOOKS % "bash ${CLAUDE_PLUGIN_ROOT}/scripts/chek.sh",
        "scripts/check.sh": "exit 0\n",
    },
    {".claude/settings.json": _HOOKS % "$CLAUDE_PROJECT_DIR/.claude/hooks/check.sh"},
    {
        "claude/settings.json": _HOOKS % "~/.claude/hooks/count.sh; sh ~/.claude/hooks/check.sh",
        "claude/hooks/count.sh": "exit 0\n",
    },
    {".claude/settings.json": _HOOKS % "if make; then (sh .claude/hooks/check.sh; exit 0); fi"},
    {".claude/settings.json": '{"statusLine": {"type": "command",\n  "command": "sh .claude/line.sh"}}\n'},
    {".claude/settings.json": _HOOKS % 'bash \\"~/.claude/check.sh\\" --all'},
    {**_PLUGIN, ".mcp.json": _SERVER % "${CLAUDE_PLUGIN_ROOT}/server.js"},
    {**_PLUGIN, "skills/count/SKILL.md": _SKILL % "sh ${CLAUDE_SKILL_DIR}/count.sh", "scripts/count.sh": "exit 0\n"},
    {**_PLUGIN, "agents/counter.md": "Read `${CLAUDE_PLUGIN_ROOT}/docs/birds.md`.\n", "docs/bird.md": "# Birds\n"},
)
GOOD = (
    {".claude/settings.json": _HOOKS % "bash .claude/check.sh", ".claude/check.sh": "exit 0\n"},
    {".claude/settings.json": _HOOKS % "[ -f $CLAUDE_PROJECT_DIR/check.sh ] && sh $CLAUDE_PROJECT_DIR/check.sh"},
    {
        "claude/settings.json": _HOOKS % "sh ~/.claude/hooks/check.sh",
        "README.md": "Link claude/settings.json to ~/.claude\n",
    },
    {".claude/settings.json": _HOOKS % "bash ~/.claude/check.sh '~/birds'"},
    {".claude/settings.json": _HOOKS % "date >> $CLAUDE_PROJECT_DIR/.claude/log"},
    {**_PLUGIN, "hooks/hooks.json": _HOOKS % "python3 scripts/check.py"},
    {
        **_PLUGIN,
        "hooks/hooks.json": _HOOKS % "bash ${CLAUDE_PLUGIN_ROOT}/scripts/check.sh",
        "scripts/check.sh": "exit 0\n",
    },
    {**_PLUGIN, "hooks/hooks.json": _HOOKS % "${CLAUDE_PLUGIN_ROOT}/bin/*.sh"},
    {"bot/.claude/settings.json": _HOOKS % "$CLAUDE_PROJECT_DIR/check.sh", "bot/check.sh": "exit 0\n"},
    {**_PLUGIN, ".mcp.json": _SERVER % "${CLAUDE_PLUGIN_ROOT}/server.js", "server.js": "serve()\n"},
    {
        **_PLUGIN,
        "skills/count/SKILL.md": _SKILL % "sh ${CLAUDE_PLUGIN_ROOT}/scripts/count.sh > ${CLAUDE_SKILL_DIR}/birds.txt",
        "scripts/count.sh": "exit 0\n",
    },
)


def check(case: Case) -> Iterator[Finding]:
    """Yield the files that this unit starts or names and that do not exist."""
    for file in find_started_files(case.project, case.unit):
        if not file.exists:
            message = f"`{file.path}` does not exist, but `{file.word}` is started here."
            folder = case.project.find_missing_folder(file.path)
            severity = Severity.MEDIUM if file.is_of_status_line else PATTERN.severity
            unit, line = case.skill.main_path, file.line
            yield Finding(unit, line, message, severity=severity, cause=file.path, folder=folder, is_shared=True)
    for file in find_missing_home_files(case.project, case.unit):
        message = f"`{file.path}` does not exist, but `{file.word}` is started here."
        yield Finding(case.skill.main_path, file.line, message, cause=file.path)
    for file in find_misplaced_files(case.project, case.unit):
        advice = f"write `${{CLAUDE_PLUGIN_ROOT}}/{file.word.removeprefix('./')}`"
        message = f"`{file.word}` is a path in the user's project, not in the plugin: {advice}."
        yield Finding(case.skill.main_path, file.line, message, cause=file.path)
    for home in find_unexpanded_homes(case.project, case.unit):
        severity = PATTERN.severity if home.disables_hook else Severity.MEDIUM
        yield Finding(case.skill.main_path, home.line, _format_home(home), severity=severity, cause=home.word)
    for path in find_missing_paths(case.project, case.unit, case.skill):
        message = f"`{path.path}` does not exist, but `{path.word}` refers to it."
        severity = PATTERN.severity if path.is_script else Severity.MEDIUM
        folder = case.project.find_missing_folder(path.path)
        yield Finding(path.file, path.line, message, severity=severity, cause=path.path, folder=folder, is_shared=True)


def _format_home(home: UnexpandedHome) -> str:
    advice = f"write `{home.intended}`" if home.intended else 'write `"$HOME/…"` in a command without `args`'
    return f"Nothing replaces `~` in `{home.word}`, so the file is not found: {advice}."
