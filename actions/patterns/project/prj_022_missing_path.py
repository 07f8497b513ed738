"""A manifest or a marketplace names a path that does not exist, is rejected, or is of the wrong kind.

It is:
- a `source` of an entry in marketplace.json that is not a folder of the repository (proven)
- a path under `skills`, `commands`, `agents`, `hooks`, `mcpServers` or `outputStyles` of plugin.json that does not exist (proven)
- a path under these keys that does not begin with `./`, or that leaves the plugin, such as `../commands/` (proven)
- a folder under `agents` of plugin.json, such as `./agents`: each path must be that of a `.md` file (proven)
- a file under `skills`, or a folder of loose `.md` files: a skill is a folder with a `SKILL.md` (proven)
- a folder under `hooks`, `mcpServers` or `lspServers`, or a file that does not end in `.json` (proven)
It is not:
- a source in another repository
- a path that git ignores, or that is in a folder created by a build
Low when:
- the skill of a file under `skills` is loaded from another place all the same
Why it is bad: The plugin cannot be installed or is not loaded, or it lacks these skills, commands or hooks.
Instead: Correct the path, or remove the entry. Paths are relative to the root of the plugin and begin with `./`.
"""

from collections.abc import Iterator

from actions.case import Case
from actions.patterns.pattern import Finding, Pattern, Severity, UnitKind
from actions.project.manifest_paths import find_missing_paths, find_rejected_paths
from actions.project.path_kinds import find_wrong_kinds

PATTERN = Pattern(
    id="PRJ-022", impact=("blocks", "easy"), strategies=("correct_path",), asks_model=False, kinds=(UnitKind.MANIFEST,)
)
_MARKETPLACE = ".claude-plugin/marketplace.json"
_ENTRY = '{"name": "m", "plugins": [\n  {"name": "birds",\n   "source": "%s"}]}\n'
_MANIFEST = ".claude-plugin/plugin.json"
_COMMAND = "---\ndescription: Counts.\n---\n\nCount.\n"
BAD = (
    {_MARKETPLACE: _ENTRY % "./plugins/brids", f"plugins/birds/{_MANIFEST}": '{"name": "birds"}\n'},
    {_MANIFEST: '{"name": "birds",\n "commands": ["./cmds"]}\n', "commands/count.md": _COMMAND},
    {_MANIFEST: '{"name": "birds",\n "commands": "../commands/"}\n', "commands/count.md": _COMMAND},
    {_MANIFEST: '{"name": "birds",\n "commands": ["cmds/count.md"]}\n', "cmds/count.md": _COMMAND},
    {_MANIFEST: '{"name": "birds",\n "commands": ["./../cmds"]}\n'},
    {_MANIFEST: '{"name": "birds",\n "agents": "./agents"}\n', "agents/counter.md": _COMMAND},
    {_MANIFEST: '{"name": "birds",\n "skills": ["./extra/count.md"]}\n', "extra/count.md": _COMMAND},
    {_MANIFEST: '{"name": "birds",\n "hooks": "./hooks/"}\n', "hooks/hooks.json": '{"hooks": {}}\n'},
)
GOOD = (
    {_MARKETPLACE: _ENTRY % "./plugins/birds", f"plugins/birds/{_MANIFEST}": '{"name": "birds"}\n'},
    {_MANIFEST: '{"name": "birds",\n "commands": ["./cmds"]}\n', "cmds/count.md": _COMMAND},
    {_MANIFEST: '{"name": "birds",\n "skills": ["."]}\n', "SKILL.md": "---\nname: birds\n---\n\nCount.\n"},
    {_MANIFEST: '{"name": "birds",\n "mcpServers": "./dist/servers.json"}\n'},
    {_MANIFEST: '{"name": "birds",\n "skills": ["./extra/count"]}\n', "extra/count/SKILL.md": _COMMAND},
    {_MANIFEST: '{"name": "birds",\n "mcpServers": "./.mcp.json"}\n', ".mcp.json": '{"mcpServers": {}}\n'},
)


def check(case: Case) -> Iterator[Finding]:
    """Yield the missing and the rejected paths of this manifest."""
    for rejected in find_rejected_paths(case.project, case.unit):
        if rejected.loses_plugin:
            reason = "is not a `.md` file" if rejected.word.startswith("./") else "does not begin with `./`"
            message = f"`{rejected.word[:80]}` {reason}: Claude Code does not load the plugin."
        else:
            message = f"`{rejected.word[:80]}` leaves the plugin: its `{rejected.key}` are not loaded."
        yield Finding(case.unit.path, rejected.line, message, cause=f"rejected paths of {case.unit.path}")
    for missing in find_missing_paths(case.project, case.unit):
        effect = "the plugin cannot be installed" if missing.key == "source" else f"its `{missing.key}` are not loaded"
        message = f"`{missing.path}` does not exist: {effect}."
        folder = case.project.find_missing_folder(missing.path)
        yield Finding(case.unit.path, missing.line, message, cause=missing.path, folder=folder)
    for wrong in find_wrong_kinds(case.project, case.unit):
        effect = "Claude Code does not load the plugin" if wrong.loses_plugin else f"its `{wrong.key}` are not loaded"
        message = f"`{wrong.word[:80]}` {wrong.fault}; {effect}."
        severity = Severity.LOW if wrong.is_harmless else PATTERN.severity
        cause = f"{wrong.key} of the wrong kind in {case.unit.path}{' (harmless)' * wrong.is_harmless}"
        yield Finding(case.unit.path, wrong.line, message, severity=severity, cause=cause)
