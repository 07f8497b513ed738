"""Mends the head of SKILL.md where one reading is certain: quotes around a value, the folder's name, a slip in a key.

A description is never made up, and a name that differs from the folder's is left to the author.
"""

from actions.example import Example
from actions.facts.spec.head_keys import KNOWN, meant_key
from actions.facts.spec.quoting import quoted
from actions.facts.spec.skill_name import as_slug, folder_name, is_well_formed
from actions.model import Case, Skill
from actions.strategies.edits import Edit, edit, reworded
from actions.strategies.strategy import Draft, Strategy
from schemas.records import Issue
from schemas.vocabulary import Risk

STRATEGY = Strategy("repair_frontmatter", ("SPEC-001", "SPEC-002", "SPEC-004"), Risk.LOW)


def propose(issue: Issue, case: Case) -> Draft | None:
    """Quote the values, write the folder's name, or spell the key; None where that would be a guess."""
    skill = case.skill
    if issue.pattern == "SPEC-001":
        lines = quoted(skill.main.doc.lines, skill.frontmatter)
        return _draft(
            skill, [Edit(n, n, [line]) for n, line in lines.items()], "Quote the values that YAML cannot read plain."
        )
    change = _name(skill) if issue.pattern == "SPEC-002" else _key(skill, issue.location.line_start or 0)
    return _draft(skill, [change], f"Write `{change.lines[0]}` in the frontmatter.") if change else None


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
    meant = meant_key(key)
    if key not in head.values or key in KNOWN or meant is None or meant in head.values:
        return None
    old = skill.main.doc.line(line)
    return Edit(line, line, [old.replace(key, meant, 1)])


def _draft(skill: Skill, edits: list[Edit], told: str) -> Draft | None:
    if not edits:
        return None
    return Draft(
        writes={skill.main.path: edit(skill.main, edits)},
        description=told,
        rationale="The head of SKILL.md is read by the specification's rules, and only one reading fits.",
        impact="Every reader of skills finds the skill, its name and its settings.",
        token_limit=20,
        rewrites=reworded(skill.main, edits),
    )


_BODY = "description: Counts words. Use when a text must be counted.\n---\n\nCount the words.\n"
BEFORE: tuple[Example, ...] = (
    {"SKILL.md": "---\n" + _BODY},
    {"SKILL.md": "---\nname: Example\n" + _BODY},
    {
        "SKILL.md": '---\nname: example\ndescription: 统计字数: 当用户说 "统计" 时使用\nargument-hint: [文件] [语言]\n---\n\n逐段统计。\n'
    },
    {"SKILL.md": "---\nname: example\nallowed_tools: Read, Grep\n" + _BODY},
)
AFTER: tuple[Example, ...] = (
    {"SKILL.md": "---\nname: example\n" + _BODY},
    {"SKILL.md": "---\nname: example\n" + _BODY},
    {
        "SKILL.md": '---\nname: example\ndescription: "统计字数: 当用户说 \\"统计\\" 时使用"\nargument-hint: "[文件] [语言]"\n---\n\n逐段统计。\n'
    },
    {"SKILL.md": "---\nname: example\nallowed-tools: Read, Grep\n" + _BODY},
)
