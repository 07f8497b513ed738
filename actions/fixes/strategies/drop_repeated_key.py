"""Remove a repeated key with equal values from JSON or frontmatter.

In JSON, the first of the two is removed, and the value of the file must stay the same. Keys with different values are
not removed, because only the author can tell which value is right.
"""

import json

from actions.case import Case
from actions.fixes.strategies.edits import Edit, RemovedStatements, apply_edits
from actions.fixes.strategies.strategy import Draft, Strategy
from actions.project.frontmatter import find_repeated_keys
from actions.project.json_document import DuplicateKey
from actions.skill.example import Example
from actions.skill.skill import SkillFile
from schemas.issues import Issue
from schemas.vocabulary import Risk

STRATEGY = Strategy("drop_repeated_key", fixes=("PRJ-006",), risk=Risk.LOW)


def propose(issue: Issue, case: Case) -> Draft | None:
    """Remove the repeated key that the issue names, or return None if other text is on the lines of the key."""
    file, line = case.skill.main, issue.location.line_start or 0
    spans = _list_equal_lines(file, line) if file.is_markdown else _find_first_pair(case, line)
    if not spans:
        return None
    writes = {file.path: apply_edits(file, [Edit(start, end, []) for start, end in spans])}
    return Draft(
        writes=writes,
        description=f"Remove the repeated key on line {', '.join(str(start) for start, _ in spans)}.",
        rationale="The key is repeated with the same value.",
        impact="The value is set in only one place.",
        token_limit=0,
        drops=RemovedStatements(case.skill, writes, _list_equal_places(file, spans)),
    )


def _list_equal_places(file: SkillFile, spans: list[tuple[int, int]]) -> list[tuple[str, int]]:
    """Return (path, line number) of the removed lines and of all equal lines, which a diff may report instead."""
    gone = {file.doc.line(number) for start, end in spans for number in range(start, end + 1)}
    return [(file.path, number) for number, line in enumerate(file.doc.lines, 1) if line in gone]


def _find_first_pair(case: Case, line: int) -> list[tuple[int, int]]:
    """Return the lines of the first of two equal pairs in JSON, or [] if other text would be removed with them."""
    document = case.project.read_json(case.skill.main_path)
    duplicates = document.duplicates if document else ()
    first_lines = [duplicate.first_line for duplicate in duplicates if duplicate.line == line][:1]
    repeats = [duplicate for duplicate in duplicates if duplicate.first_line in first_lines]
    if len(repeats) != 1 or not repeats[0].is_equal or not _is_only_pair_on_lines(case.skill.main, repeats[0]):
        return []
    return [(repeats[0].first_line, repeats[0].first_end)]


def _is_only_pair_on_lines(file: SkillFile, duplicate: DuplicateKey) -> bool:
    """Return whether the lines of the first pair contain only the pair and a comma."""
    text = "\n".join(file.doc.lines[duplicate.first_line - 1 : duplicate.first_end]).strip()
    try:
        return text.endswith(",") and list(json.loads(f"{{{text[:-1]}}}")) == [duplicate.key]
    except ValueError:
        return False


def _list_equal_lines(file: SkillFile, line: int) -> list[tuple[int, int]]:
    """Return (line, line) for each frontmatter line that repeats the key on `line`, if all these lines are equal."""
    all_repeated = list(find_repeated_keys(file.text))
    keys = {repeated.key for repeated in all_repeated if repeated.line == line}
    same = [repeated for repeated in all_repeated if repeated.key in keys]
    numbers = {number for repeated in same for number in (repeated.line, repeated.first_line)}
    is_continued = any(file.doc.line(number + 1)[:1] in (" ", "\t") for number in numbers)
    is_equal = len({file.doc.line(number) for number in numbers}) == 1 and ": " in file.doc.line(line)
    return [(repeated.line, repeated.line) for repeated in same] if is_equal and not is_continued else []


_TWICE = "---\nname: counter\n{}description: Counts.\n{}---\n\nCount.\n"
_SERVERS = '{{\n  "mcpServers": {{\n{}    "count": {{"command": "npx", "args": ["count"]}}\n  }}\n}}\n'
_SERVER = '    "count": {"command": "npx", "args": ["count"]},\n'
BEFORE: tuple[Example, ...] = (
    {".claude/agents/counter.md": _TWICE.format("model: opus\n", "model: opus\n")},
    {".claude/agents/counter.md": _TWICE.format("model: opus\nmodel: opus\n", "")},
    {".mcp.json": _SERVERS.format(_SERVER)},
)
AFTER: tuple[Example, ...] = (
    {".claude/agents/counter.md": _TWICE.format("model: opus\n", "")},
    {".claude/agents/counter.md": _TWICE.format("model: opus\n", "")},
    {".mcp.json": _SERVERS.format("")},
)
