"""A skill of a plugin in a place where Claude Code does not look.

It is:
- a `SKILL.md` one folder too deep, such as `skills/group/name/SKILL.md`, that no manifest names (proven)
- a `skill.md` or `Skill.md` in a folder of `skills`: Linux distinguishes upper and lower case (proven)
- a file such as `skills/count.md` with a name and a description, which has no folder of its own: medium (proven)
It is not:
- a folder that `skills` of plugin.json, or of an entry of marketplace.json, names
- a skill in a group such as `skills/drafts`, if the manifest names skills of other groups and none of this one
- a file inside another skill, or in templates, examples or fixtures
Why it is bad: The skill is neither listed nor ever used, and no message says so.
Instead: Move it to `skills/NAME/SKILL.md`, or name its folder under `skills` in plugin.json.
"""

from collections.abc import Iterator

from actions.case import Case
from actions.patterns.pattern import Finding, Pattern, Severity, UnitKind
from actions.project.unseen_skills import find_unseen_skills

PATTERN = Pattern(
    id="PRJ-013",
    impact=("blocks", "easy"),
    strategies=("rename_to_skill_md",),
    asks_model=False,
    kinds=(UnitKind.MANIFEST,),
)
_SKILL = "---\nname: count\ndescription: Counts birds.\n---\n\nCount.\n"
_MANIFEST = ".claude-plugin/plugin.json"
BAD = (
    {_MANIFEST: '{"name": "birds"}\n', "skills/sea/count/SKILL.md": _SKILL},
    {_MANIFEST: '{"name": "birds"}\n', "skills/count/skill.md": _SKILL},
    {_MANIFEST: '{"name": "birds"}\n', "skills/count.md": _SKILL},
)
GOOD = (
    {_MANIFEST: '{"name": "birds"}\n', "skills/count/SKILL.md": _SKILL},
    {_MANIFEST: '{"name": "birds", "skills": ["./skills/sea"]}\n', "skills/sea/count/SKILL.md": _SKILL},
    {_MANIFEST: '{"name": "birds"}\n', "skills/sea/SKILL.md": _SKILL, "skills/sea/count/SKILL.md": _SKILL},
    {_MANIFEST: '{"name": "birds", "commands": ["./skills/count.md"]}\n', "skills/count.md": _SKILL},
    {_MANIFEST: '{"name": "birds"}\n', "skills/count.md": _SKILL, "skills/count/SKILL.md": _SKILL},
    {_MANIFEST: '{"name": "birds"}\n', "skills/README.md": "# Skills\n"},
)


def check(case: Case) -> Iterator[Finding]:
    """Yield the skills of this manifest's plugin that are not loaded."""
    for skill in find_unseen_skills(case.project):
        if case.unit.plugin_root == skill.plugin_root and case.unit.path.endswith("/plugin.json"):
            hint = " where upper and lower case differ" if skill.path.lower() == skill.expected.lower() else ""
            message = f"Claude Code does not load `{skill.path}`{hint}: it looks for `{skill.expected}`."
            severity = Severity.MEDIUM if skill.is_loose else PATTERN.severity
            yield Finding(case.unit.path, 1, message, severity=severity)
