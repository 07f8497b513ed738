"""Replace `$CLAUDE_PLUGIN_ROOT` with `${CLAUDE_PLUGIN_ROOT}` where Claude Code expands only the form with braces.

In Markdown, this applies to all shell code; in JSON, only to commands that no shell runs.
"""

import json

from actions.case import Case
from actions.fixes.strategies.edits import draft_line_changes
from actions.fixes.strategies.strategy import Draft, Strategy
from actions.project.unbraced import find_unbraced_in_code, find_unbraced_words
from actions.regex import regex
from actions.skill.example import Example
from schemas.issues import Issue
from schemas.vocabulary import Risk

STRATEGY = Strategy("add_braces", fixes=("PRJ-010",), risk=Risk.LOW)
_UNBRACED = regex(r"\$CLAUDE_PLUGIN_ROOT\b")
_BRACED = "${CLAUDE_PLUGIN_ROOT}"


def propose(issue: Issue, case: Case) -> Draft | None:
    """Add the braces throughout the issue's file, or return None if a word is escaped in its line."""
    file, lines = case.skill.by_path.get(issue.location.file), dict[tuple[str, int], str]()
    if file is None:
        return None
    for number, _ in find_unbraced_in_code(file):
        lines[file.path, number] = _UNBRACED.sub(_BRACED, file.doc.line(number))
    for number, word in () if file.is_markdown else find_unbraced_words(case.project, case.unit):
        line, written = lines.get((file.path, number), file.doc.line(number)), json.dumps(word, ensure_ascii=False)
        if written not in line and _UNBRACED.sub(_BRACED, written) not in line:
            return None
        lines[file.path, number] = line.replace(written, _UNBRACED.sub(_BRACED, written))
    if not any(number == issue.location.line_start for _, number in lines):
        return None
    return draft_line_changes(
        case.skill,
        lines,
        description=f"Replace `$CLAUDE_PLUGIN_ROOT` with `{_BRACED}`.",
        rationale="Claude Code expands only the form with braces, and no environment variable of that name is set.",
        impact="The path begins with the folder of the plugin.",
    )


_PLUGIN = {".claude-plugin/plugin.json": '{"name": "birds"}\n'}
_TEXT = "---\ndescription: Counts.\n---\n\nRun:\n\n```bash\nbash %s/count.sh %s/birds\n```\n\n`$CLAUDE_PLUGIN_ROOT` is it.\n"
_SERVER = '{"count": {\n  "command": "node",\n  "args": ["%s/serve.js"]}}\n'
_FILES = {"count.sh": "#!/bin/sh\n", "birds": "gull\n"}
_FORMS = ("$CLAUDE_PLUGIN_ROOT", _BRACED)
BEFORE: tuple[Example, ...] = (
    {**_PLUGIN, **_FILES, "commands/count.md": _TEXT % (_FORMS[0], _FORMS[0])},
    {**_PLUGIN, ".mcp.json": _SERVER % _FORMS[0], "serve.js": "serve()\n"},
)
AFTER: tuple[Example, ...] = (
    {**_PLUGIN, **_FILES, "commands/count.md": _TEXT % (_FORMS[1], _FORMS[1])},
    {**_PLUGIN, ".mcp.json": _SERVER % _FORMS[1], "serve.js": "serve()\n"},
)
