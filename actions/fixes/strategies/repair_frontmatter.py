"""Mends the head of SKILL.md where one outcome is forced: quotes around a value, the folder's name, a slip in a key.

A key that is only unknown stays where it is, and so does one that the skill speaks of or a program around it reads. A name that is another
than the folder's, and not only written otherwise, is left to the author.
"""

from actions.case import Case
from actions.fixes.strategies.edits import Edit, RemovedStatements, apply_edits
from actions.fixes.strategies.strategy import Draft, Strategy
from actions.skill import Skill
from actions.skill.example import Example
from actions.skill.frontmatter_keys import SAYING, as_slug, folder_name, is_well_formed, key_for, quote_values
from schemas.issues import Issue
from schemas.vocabulary import Risk

STRATEGY = Strategy("repair_frontmatter", ("SPEC-001", "SPEC-002", "SPEC-004"), Risk.LOW)


def propose(issue: Issue, case: Case) -> Draft | None:
    """Return the quoted values, the folder's name, or the key as it is known."""
    skill = case.skill
    if issue.pattern == "SPEC-001":
        lines = quote_values(skill.main.doc.lines, skill.frontmatter)
        edits = [Edit(number, number, [line]) for number, line in lines.items()]
        return _draft(skill, edits, "Quote the values that YAML cannot read plain.") if edits else None
    change = _name(skill) if issue.pattern == "SPEC-002" else _key(skill, issue.location.line_start or 0)
    acts = change and change.lines[0].partition(":")[0] not in SAYING
    told = f"Write `{change.lines[0][:80]}` in the frontmatter." if change else ""
    return _draft(skill, [change], told, Risk.HIGH if acts else None) if change else None


def _name(skill: Skill) -> Edit | None:
    head, folder = skill.frontmatter, folder_name(skill.folder)
    name = head.text("name")
    if folder is None or head.error or is_well_formed(name) or (name and as_slug(name) != folder):
        return None
    if ":" in name:  # the user calls `/name` so, and other texts may
        return None
    line = head.lines.get("name")
    return Edit(line, line, [f"name: {folder}"]) if line else Edit(2, 1, [f"name: {folder}"])


def _key(skill: Skill, line: int) -> Edit | None:
    """Return the key as it is known; `tools` stays: that it was meant to allow them is a reading."""
    head = skill.frontmatter
    key = next((key for key, at in head.lines.items() if at == line and key in head.values), "")
    known = key_for(key, head.values.get(key)) if key != "tools" else None
    read = key in skill.outside or skill.is_mentioned(key, beside=frozenset({("SKILL.md", line)}))
    if known is None or known in head.values or read:
        return None
    return Edit(line, line, [skill.main.doc.line(line).replace(key, known, 1)])


def _draft(skill: Skill, edits: list[Edit], told: str, risk: Risk | None = None) -> Draft:
    writes = {skill.main.path: apply_edits(skill.main, edits)}
    return Draft(
        writes=writes,
        description=told,
        rationale="The head of SKILL.md is read by the specification's rules, and only one reading fits.",
        impact="Every reader of skills finds the skill, its name and its settings.",
        token_limit=20,
        rewrites=RemovedStatements(skill, writes, [(skill.main.path, e.start) for e in edits if e.end >= e.start]),
        risk=risk,
    )


_BODY = "description: Counts words. Use when a text must be counted.\n---\n\nCount the words.\n"
_QUOTED = "---\nname: example\ndescription: {}\n---\n\n逐段统计。\n"
BEFORE: tuple[Example, ...] = (
    {"SKILL.md": "---\nname: Example\n" + _BODY},
    {"SKILL.md": _QUOTED.format('统计字数: 当用户说 "统计" 时使用')},
    {"SKILL.md": "---\nname: example\nallowed_tools: Read, Grep\nlocale: en\n" + _BODY},
)
AFTER: tuple[Example, ...] = (
    {"SKILL.md": "---\nname: example\n" + _BODY},
    {"SKILL.md": _QUOTED.format('"统计字数: 当用户说 \\"统计\\" 时使用"')},
    {"SKILL.md": "---\nname: example\nallowed-tools: Read, Grep\nlocale: en\n" + _BODY},
)
