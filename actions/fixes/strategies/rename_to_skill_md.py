"""Rename `skill.md` or `Skill.md` to `SKILL.md`, where Claude Code looks for it.

There is no fix if a `SKILL.md` exists beside it. There is also no fix on a case-insensitive file system, where git would
not notice the new name; use `git mv` there.
"""

from actions.case import Case
from actions.fixes.strategies.strategy import Draft, Strategy
from actions.project.unseen_skills import find_unseen_skills
from actions.skill.example import Example
from schemas.issues import Issue
from schemas.vocabulary import Risk

STRATEGY = Strategy("rename_to_skill_md", fixes=("PRJ-013",), risk=Risk.LOW)


def propose(issue: Issue, case: Case) -> Draft | None:
    """Rename the file that the issue names, if its name differs from SKILL.md only in case."""
    for skill in find_unseen_skills(case.project) if case.unit.path.endswith("/plugin.json") else ():
        raw, is_named = case.project.read_bytes(skill.path), f"`{skill.path}`" in issue.description
        is_case_only = skill.path.lower() == skill.expected.lower() and not case.project.exists(skill.expected)
        if is_named and is_case_only and raw is not None and skill.plugin_root == case.unit.plugin_root:
            return Draft(
                writes={skill.path: None, skill.expected: raw},
                description=f"Rename `{skill.path}` to `{skill.expected}`.",
                rationale="Claude Code looks for exactly this name, in upper case.",
                impact="The skill is loaded.",
                token_limit=0,
            )
    return None


_PLUGIN = {".claude-plugin/plugin.json": '{"name": "birds"}\n'}
_SKILL = "---\nname: count\ndescription: Counts birds. Use when birds are to be counted.\n---\n\nCount.\n"
BEFORE: tuple[Example, ...] = (
    {**_PLUGIN, "skills/count/skill.md": _SKILL},
    {**_PLUGIN, "skills/count/Skill.MD": _SKILL, "skills/count/run.py": "count()\n"},
)
AFTER: tuple[Example, ...] = (
    {**_PLUGIN, "skills/count/SKILL.md": _SKILL},
    {**_PLUGIN, "skills/count/SKILL.md": _SKILL, "skills/count/run.py": "count()\n"},
)
