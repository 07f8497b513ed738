"""Write `$HOME` for a `~` that quotes protect from the shell, and `${HOME}` for a `~` in the command of a server.

The word is corrected on the lines of the finding. A command with `args` is left alone, because no variable helps there.
"""

import json

from actions.case import Case
from actions.fixes.strategies.edits import draft_line_changes
from actions.fixes.strategies.strategy import Draft, Strategy
from actions.project.unexpanded_homes import find_unexpanded_homes, find_unexpanded_server_homes
from actions.skill.example import Example
from schemas.issues import Issue
from schemas.vocabulary import Risk

STRATEGY = Strategy("expand_home", fixes=("PRJ-003", "PRJ-043"), risk=Risk.LOW)


def propose(issue: Issue, case: Case) -> Draft | None:
    """Replace the words, or return None if one has no correct form, or is not in its line as expected."""
    find = find_unexpanded_homes if issue.pattern == "PRJ-003" else find_unexpanded_server_homes
    places = {(place.file, place.line_start) for place in issue.places}
    path, lines, words = case.skill.main_path, dict[tuple[str, int], str](), dict[str, str]()
    for home in find(case.project, case.unit):
        if (path, home.line) not in places:
            continue
        line = lines.get((path, home.line), case.skill.main.doc.line(home.line))
        old, new = (json.dumps(word, ensure_ascii=False)[1:-1] for word in (home.word, home.intended))
        if not new or (old not in line and new not in line):
            return None
        lines[path, home.line], words[home.word] = line.replace(old, new), home.intended
    if not lines:
        return None
    return draft_line_changes(
        case.skill,
        lines,
        description="Replace " + ", ".join(f"`{old}` with `{new}`" for old, new in words.items()) + ".",
        rationale="Nothing replaces `~` there: a shell does only outside quotes, and no shell starts a server.",
        impact="The file is found.",
    )


_HOOKS = '{"hooks": {"Stop": [{"hooks": [\n  {"type": "command", "command": "%s --all"}]}]}}\n'
_SERVER = '{"mcpServers": {"count": {\n  "command": "node",\n  "args": ["%s/birds/serve.js"]}}}\n'
BEFORE: tuple[Example, ...] = (
    {".claude/settings.json": _HOOKS % 'bash \\"~/.claude/check.sh\\"'},
    {".claude/settings.json": _HOOKS % "'~/.claude/check.sh'"},
    {".mcp.json": _SERVER % "~"},
)
AFTER: tuple[Example, ...] = (
    {".claude/settings.json": _HOOKS % 'bash \\"$HOME/.claude/check.sh\\"'},
    {".claude/settings.json": _HOOKS % '\\"$HOME/.claude/check.sh\\"'},
    {".mcp.json": _SERVER % "${HOME}"},
)
