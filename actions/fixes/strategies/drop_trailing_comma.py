"""Remove trailing commas from a file that is otherwise valid JSON.

There is no fix if the file has another fault, such as a comment.
"""

import json

from actions.case import Case
from actions.fixes.strategies.edits import draft_line_changes
from actions.fixes.strategies.strategy import Draft, Strategy
from actions.regex import regex
from actions.skill.example import Example
from schemas.issues import Issue
from schemas.vocabulary import Risk

STRATEGY = Strategy("drop_trailing_comma", fixes=("PRJ-007",), risk=Risk.LOW)
_STRING_OR_COMMA = regex(r'"(?:[^"\\\n]|\\.)*+"?|(,)(?=\s*[\]}])')
"""A string, which is skipped, or a trailing comma (group 1)."""


def propose(issue: Issue, case: Case) -> Draft | None:
    """Remove the trailing commas, or return None if the file is not valid JSON without them."""
    file = case.skill.main
    text = file.text.replace("\r\n", "\n")
    new = _STRING_OR_COMMA.sub(lambda part: "" if part[1] else part[0], text)
    try:
        json.loads(new.removeprefix("\ufeff"))
    except (ValueError, RecursionError):
        return None
    pairs = enumerate(zip(text.split("\n"), new.split("\n"), strict=True), 1)
    lines = {(file.path, number): after for number, (before, after) in pairs if before != after}
    if not lines:
        return None
    return draft_line_changes(
        case.skill,
        lines,
        description=f"Remove the trailing {'comma' if len(lines) == 1 else 'commas'}.",
        rationale="JSON allows no comma after the last entry, and the file has no other fault.",
        impact="Claude Code loads the file.",
    )


BEFORE: tuple[Example, ...] = (
    {".claude-plugin/plugin.json": '{\n  "name": "birds",\n  "keywords": ["gull", "tern"],\n}\n'},
    {".claude/settings.json": '{\n  "permissions": {\n    "allow": ["Read(a,]b)",],\n  }\n}\n'},
)
AFTER: tuple[Example, ...] = (
    {".claude-plugin/plugin.json": '{\n  "name": "birds",\n  "keywords": ["gull", "tern"]\n}\n'},
    {".claude/settings.json": '{\n  "permissions": {\n    "allow": ["Read(a,]b)"]\n  }\n}\n'},
)
