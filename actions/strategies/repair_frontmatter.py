"""Mends the head of SKILL.md where one reading is certain: quotes around a value, the folder's name, a slip in a key.

A key that only the author's own tools know goes under `metadata:`, where the specification has room for it. A
description is never made up, and a name that differs from the folder's is left to the author.
"""

from actions.example import Example
from actions.skill.keys import KNOWN, key_for
from actions.facts.spec.quoting import quoted
from actions.facts.spec.skill_name import as_slug, folder_name, is_well_formed
from actions.skill import Case, Skill
from actions.strategies.edits import Edit, edit, indent_of, reworded
from actions.strategies.strategy import Draft, Strategy
from schemas.issues import Issue
from schemas.vocabulary import Confidence, Risk

STRATEGY = Strategy("repair_frontmatter", ("SPEC-001", "SPEC-002", "SPEC-004"), Risk.LOW)


def propose(issue: Issue, case: Case) -> Draft | None:
    """Quote the values, write the folder's name, or spell the key; None where that would be a guess."""
    skill = case.skill
    if issue.pattern == "SPEC-001":
        lines = quoted(skill.main.doc.lines, skill.frontmatter)
        return _draft(
            skill, [Edit(n, n, [line]) for n, line in lines.items()], "Quote the values that YAML cannot read plain."
        )
    line = issue.location.line_start or 0
    change = _name(skill) if issue.pattern == "SPEC-002" else _key(skill, line)
    if change:
        return _draft(skill, [change], f"Write `{change.lines[0]}` in the frontmatter.")
    edits = _under_metadata(skill, line) if issue.pattern == "SPEC-004" else []
    told = f"Put `{skill.main.doc.line(line).strip()[:80]}` under `metadata:`."
    return _draft(skill, edits, told, Confidence.MEDIUM)  # a tool of the project may read the key where it is


def _name(skill: Skill) -> Edit | None:
    head, folder = skill.frontmatter, folder_name(skill)
    name = head.text("name")
    if folder is None or head.error or is_well_formed(name) or (name and as_slug(name) != folder):
        return None
    if ":" in name:  # the user calls `/name` so, and other texts may
        return None
    line = head.lines.get("name")
    return Edit(line, line, [f"name: {folder}"]) if line else Edit(2, 1, [f"name: {folder}"])


def _key(skill: Skill, line: int) -> Edit | None:
    head = skill.frontmatter
    key = next((key for key, at in head.lines.items() if at == line), "")
    meant = key_for(key)
    if key not in head.values or key in KNOWN or meant is None or meant in head.values:
        return None
    old = skill.main.doc.line(line)
    return Edit(line, line, [old.replace(key, meant, 1)])


def _under_metadata(skill: Skill, line: int) -> list[Edit]:
    """Move an own key of one line to where the specification has room for it."""
    head, doc = skill.frontmatter, skill.main.doc
    key = next((key for key, at in head.lines.items() if at == line), "")
    metadata, value = head.values.get("metadata", {}), head.values.get(key)
    if not isinstance(value, str | int | float) or not isinstance(metadata, dict) or key in metadata:
        return []
    below = doc.line(line + 1)
    if doc.line(line).rstrip().endswith((":", "|", ">", "-")) or below.startswith((" ", "\t")):
        return []
    own = doc.line(line).strip()
    start = head.lines.get("metadata")
    if start is None:
        return [Edit(line, line, []), Edit(head.end, head.end - 1, ["metadata:", f"  {own}"])]
    if doc.line(start).strip() != "metadata:" or not doc.line(start + 1).startswith(" "):
        return []
    last = start + 1
    while doc.line(last + 1).startswith(" "):
        last += 1
    return [Edit(line, line, []), Edit(last + 1, last, [indent_of(doc.line(start + 1)) + own])]


def _draft(skill: Skill, edits: list[Edit], told: str, confidence: Confidence = Confidence.HIGH) -> Draft | None:
    if not edits:
        return None
    return Draft(
        writes={skill.main.path: edit(skill.main, edits)},
        description=told,
        rationale="The head of SKILL.md is read by the specification's rules, and only one reading fits.",
        impact="Every reader of skills finds the skill, its name and its settings.",
        token_limit=20,
        rewrites=reworded(skill.main, edits),
        confidence=confidence,
    )


_BODY = "description: Counts words. Use when a text must be counted.\n---\n\nCount the words.\n"
BEFORE: tuple[Example, ...] = (
    {"SKILL.md": "---\n" + _BODY},
    {"SKILL.md": "---\nname: Example\n" + _BODY},
    {
        "SKILL.md": '---\nname: example\ndescription: 统计字数: 当用户说 "统计" 时使用\nargument-hint: [文件] [语言]\n---\n\n逐段统计。\n'
    },
    {"SKILL.md": "---\nname: example\nallowed_tools: Read, Grep\n" + _BODY},
    {"SKILL.md": '---\nname: example\npackage: "@acme/count"\n' + _BODY},
    {"SKILL.md": "---\nname: example\nmetadata:\n    owner: harbour\n语言: 中文\n" + _BODY},
)
AFTER: tuple[Example, ...] = (
    {"SKILL.md": "---\nname: example\n" + _BODY},
    {"SKILL.md": "---\nname: example\n" + _BODY},
    {
        "SKILL.md": '---\nname: example\ndescription: "统计字数: 当用户说 \\"统计\\" 时使用"\nargument-hint: "[文件] [语言]"\n---\n\n逐段统计。\n'
    },
    {"SKILL.md": "---\nname: example\nallowed-tools: Read, Grep\n" + _BODY},
    {"SKILL.md": "---\nname: example\n" + _BODY.replace("---", 'metadata:\n  package: "@acme/count"\n---', 1)},
    {"SKILL.md": "---\nname: example\nmetadata:\n    owner: harbour\n    语言: 中文\n" + _BODY},
)
