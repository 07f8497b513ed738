"""A manifest, a hooks file, settings or `.mcp.json` that is not JSON.

It is:
- a file that `JSON.parse` rejects: a comment, an extra or missing comma, a missing bracket (proven)
- an empty manifest or hooks file of a plugin (proven)
- JSON that is not an object, such as a list at the top (proven)
It is not:
- a file with a byte order mark
- empty settings, or an empty `.mcp.json`
Why it is bad: Claude Code does not load the plugin, its hooks, the settings or the servers.
Instead: Correct the syntax in the line that the parser names.
"""

from collections.abc import Iterator

from actions.case import Case
from actions.patterns.pattern import Finding, Pattern, UnitKind

PATTERN = Pattern(
    id="PRJ-007",
    impact=("blocks", "easy"),
    strategies=("drop_trailing_comma",),
    asks_model=False,
    kinds=(UnitKind.HOOKS, UnitKind.MANIFEST, UnitKind.MCP),
)
_PLUGIN = {".claude-plugin/plugin.json": '{"name": "birds"}\n'}
BAD = (
    {".claude-plugin/plugin.json": '{\n  "name": "birds",\n}\n'},
    {".claude/settings.json": '{\n  // who may count\n  "permissions": {}\n}\n'},
    {**_PLUGIN, "hooks/hooks.json": "\n"},
    {**_PLUGIN, ".mcp.json": "[]\n"},
)
GOOD = (
    _PLUGIN,
    {".claude/settings.json": '{\n  "note": "// who may count"\n}\n'},
    {".mcp.json": "\n"},
)


def check(case: Case) -> Iterator[Finding]:
    """Yield a finding if this unit is not a JSON object, at the line of the error."""
    document = case.project.read_json(case.skill.main_path)
    if document is not None and not document.error and not isinstance(document.value, dict):
        yield Finding(case.skill.main_path, 1, "Claude Code cannot load this file: it is not a JSON object.")
    if document is None or not document.error or document.exceeds_limit:
        return
    is_blank = not document.raw.strip(b"\xef\xbb\xbf \t\r\n")
    if not is_blank or (case.unit.plugin_root is not None and case.skill.kind is not UnitKind.MCP):
        message = f"Claude Code cannot load this file: it is not JSON ({document.error})."
        line = min(document.error_line, len(case.skill.main.doc.lines))
        yield Finding(case.skill.main_path, line, message)
