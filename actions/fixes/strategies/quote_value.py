"""Quote a frontmatter value that YAML rejects, or cuts off at ` #`.

There is no fix if the frontmatter is still invalid with quotes, or if the value continues on the next line.
"""

from actions.case import Case
from actions.fixes.strategies.edits import draft_line_changes
from actions.fixes.strategies.strategy import Draft, Strategy
from actions.project.frontmatter import find_cut_values, find_frontmatter_fault
from actions.regex import regex
from actions.skill.example import Example
from actions.skill.skill import SkillFile
from schemas.issues import Issue
from schemas.vocabulary import Risk

STRATEGY = Strategy("quote_value", fixes=("PRJ-005", "PRJ-021"), risk=Risk.LOW)
_KEY_AND_VALUE = regex(r"(\s*(?:- +)?)([A-Za-z_-]+:\s+)(\S.*)")


def propose(issue: Issue, case: Case) -> Draft | None:
    """Quote the value on the issue's line and, if the frontmatter is invalid, the other values that YAML rejects."""
    file, line = case.skill.main, issue.location.line_start or 0
    is_cut = any(cut.line == line for cut in find_cut_values(file.text))
    lines = _quote_rejected(file) if issue.pattern == "PRJ-005" else {line: _quote_line(file, line)} if is_cut else {}
    changed = {(file.path, number): text for number, text in lines.items() if text}
    if not changed or len(changed) < len(lines):
        return None
    return draft_line_changes(
        case.skill,
        changed,
        description=f"Put the value of `{', '.join(text.partition(':')[0].lstrip(' -') for text in changed.values())}` in quotes.",
        rationale="Without quotes, YAML misreads the value or rejects the line.",
        impact="Claude Code reads the whole value.",
    )


def _quote_line(file: SkillFile, number: int) -> str:
    """Return a line with its value in quotes, or "" if it has no value or the value continues on the next line."""
    match, after = _KEY_AND_VALUE.fullmatch(file.doc.line(number).rstrip()), file.doc.line(number + 1)
    is_continued = match and after.strip() and len(after) - len(after.lstrip()) > len(match[1])
    if not match or is_continued or match[3][0] in "|>&*!":
        return ""
    value = match[3].replace("\\", "\\\\").replace('"', '\\"')
    return f'{match[1]}{match[2]}"{value}"'


def _quote_rejected(file: SkillFile) -> dict[int, str]:
    """Quote one invalid value after another, and return the new lines by number, or {} if that does not help."""
    quoted: dict[int, str] = {}
    lines = file.text.replace("\r\n", "\n").split("\n")
    while (fault := find_frontmatter_fault("\n".join(lines))) is not None:
        text = _quote_line(file, fault.line)
        if fault.line in quoted or not text:
            return {}
        quoted[fault.line] = lines[fault.line - 1] = text
    return quoted


_TEXT = "---\nname: counter\n%s\n---\n\nCount the birds.\n"
_ARGUMENT = "arguments:\n  - name: place\n    description: %s\n    required: false"
BEFORE: tuple[Example, ...] = (
    {".claude/commands/count.md": _TEXT % 'description: "Counts" birds.'},
    {".claude/agents/counter.md": _TEXT % "description: Counts the birds of #bay and #pier"},
    {".claude/commands/count.md": _TEXT % _ARGUMENT % "The place (default: bay)"},
)
AFTER: tuple[Example, ...] = (
    {".claude/commands/count.md": _TEXT % 'description: "\\"Counts\\" birds."'},
    {".claude/agents/counter.md": _TEXT % 'description: "Counts the birds of #bay and #pier"'},
    {".claude/commands/count.md": _TEXT % _ARGUMENT % '"The place (default: bay)"'},
)
