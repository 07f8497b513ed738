"""Repair the frontmatter of SKILL.md: quote a value, use the folder's name, or correct a misspelled key.

An unknown key is not changed if it resembles no known key, or if the skill or the project's programs use it. A name is
not changed if it differs from the folder's name in more than capitals and separators.
"""

from actions.case import Case
from actions.fixes.strategies.edits import Edit, RemovedStatements, apply_edits
from actions.fixes.strategies.strategy import Draft, Strategy
from actions.skill import Skill
from actions.skill.example import Example
from actions.skill.frontmatter_keys import (
    DESCRIPTIVE_KEYS,
    find_known_key,
    get_folder_name,
    is_spelling_of,
    is_well_formed,
    quote_values,
)
from schemas.issues import Issue
from schemas.vocabulary import Risk

STRATEGY = Strategy("repair_frontmatter", ("SPEC-001", "SPEC-002", "SPEC-004"), Risk.LOW, Risk.HIGH)


def propose(issue: Issue, case: Case) -> Draft | None:
    """Quote the values, use the folder's name, or correct the key, depending on the issue's pattern."""
    skill = case.skill
    if issue.pattern == "SPEC-001":
        lines = quote_values(skill.main.doc.lines, skill.frontmatter)
        edits = [Edit(number, number, [line]) for number, line in lines.items()]
        return _draft_edits(skill, edits, "Quote the values that are not valid YAML without quotes.") if edits else None
    is_name = issue.pattern == "SPEC-002"
    edit = _correct_name(skill) if is_name else _correct_key(skill, issue.location.line_start or 0)
    has_effect = edit and edit.lines[0].partition(":")[0] not in DESCRIPTIVE_KEYS
    description = f"Write `{edit.lines[0][:80]}` in the frontmatter." if edit else ""
    return _draft_edits(skill, [edit], description, Risk.HIGH if has_effect else None) if edit else None


def _correct_name(skill: Skill) -> Edit | None:
    frontmatter, folder = skill.frontmatter, get_folder_name(skill.folder)
    name = frontmatter.text("name")
    if folder is None or frontmatter.error or is_well_formed(name) or (name and not is_spelling_of(name, folder)):
        return None
    if ":" in name:  # users call the skill as `/name`, and other texts may refer to it by that name
        return None
    line = frontmatter.lines.get("name")
    return Edit(line, line, [f"name: {folder}"]) if line else Edit(2, 1, [f"name: {folder}"])


def _correct_key(skill: Skill, line: int) -> Edit | None:
    """Correct a misspelled key. The key `tools` is not changed, because its meaning is unclear."""
    frontmatter = skill.frontmatter
    key = next((key for key, at in frontmatter.lines.items() if at == line and key in frontmatter.values), "")
    known = find_known_key(key, frontmatter.values.get(key)) if key != "tools" else None
    is_used = key in skill.outside or skill.is_mentioned(key, ignored_lines=frozenset({("SKILL.md", line)}))
    if known is None or known in frontmatter.values or is_used:
        return None
    return Edit(line, line, [skill.main.doc.line(line).replace(key, known, 1)])


def _draft_edits(skill: Skill, edits: list[Edit], description: str, risk: Risk | None = None) -> Draft:
    writes = {skill.main.path: apply_edits(skill.main, edits)}
    return Draft(
        writes=writes,
        description=description,
        rationale="The specification allows only one correction.",
        impact="Claude Code loads the skill with its name and settings.",
        token_limit=20,
        rewrites=RemovedStatements(skill, writes, [(skill.main.path, e.start) for e in edits if e.end >= e.start]),
        risk=risk,
    )


_TEXT = """---
name: {name}
description: Counts words. Use when a text must be counted.{more}
---

Count the words.
"""
_CHINESE = """---
name: example
description: {description}
---

逐段统计。
"""
BEFORE: tuple[Example, ...] = (
    {"SKILL.md": _TEXT.format(name="Example", more="")},
    {"SKILL.md": _CHINESE.format(description='统计字数: 当用户说 "统计" 时使用')},
    {"SKILL.md": _TEXT.format(name="example", more="\nallowed_tools: Read, Grep\nlocale: en")},
)
AFTER: tuple[Example, ...] = (
    {"SKILL.md": _TEXT.format(name="example", more="")},
    {"SKILL.md": _CHINESE.format(description=r'"统计字数: 当用户说 \"统计\" 时使用"')},
    {"SKILL.md": _TEXT.format(name="example", more="\nallowed-tools: Read, Grep\nlocale: en")},
)
