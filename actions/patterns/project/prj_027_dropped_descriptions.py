"""Descriptions that do not fit into the listing of skills.

It is:
- the skills of one plugin or `.claude` folder, if their entries alone exceed 40,000 characters, the largest listing of any model (proven)
It is not:
- skills that fit by themselves, but not together with the user's own
- skills that only some models drop: the listing of Opus 5.5 has 30,000 characters, that of Haiku 4.5 has 8,000
Why it is bad: Claude Code drops whole descriptions, beginning with the least used skills. The model sees only a name and does not
use the skill.
Instead: Shorten descriptions, divide the plugin, or hide skills that only people start with `disable-model-invocation: true`.
"""

from collections.abc import Iterator

from actions.case import Case
from actions.patterns.pattern import Finding, Pattern, UnitKind
from actions.project.listing import find_dropped_skills

PATTERN = Pattern(
    id="PRJ-027", impact=("every_run", "easy"), asks_model=False, kinds=(UnitKind.SKILL, UnitKind.COMMAND)
)
_SKILL = "---\nname: s%d\ndescription: " + "Counts birds. " * 100 + "\n%s---\n\nCount.\n"
_PLUGIN = {".claude-plugin/plugin.json": '{"name": "birds"}\n'}
BAD = (
    {f".claude/skills/s{n}/SKILL.md": _SKILL % (n, "") for n in range(30)},
    {**_PLUGIN, **{f"skills/s{n}/SKILL.md": _SKILL % (n, "") for n in range(30)}},
)
GOOD = (
    {f".claude/skills/s{n}/SKILL.md": _SKILL % (n, "") for n in range(27)},
    {f".claude/skills/s{n}/SKILL.md": _SKILL % (n, "disable-model-invocation: true\n") for n in range(30)},
)


def check(case: Case) -> Iterator[Finding]:
    """Yield one finding for each plugin or folder, at the first skill that loses its description."""
    dropped = find_dropped_skills(case.project).get(case.unit.path)
    if dropped:
        message = (
            f"{len(dropped.paths)} of {dropped.count} descriptions of `{dropped.folder or '.'}` are dropped from the"
            f" listing of skills, this one first ({dropped.size:,} characters, {dropped.budget:,} fit)."
        )
        line = case.skill.frontmatter.lines.get("description", 1)
        yield Finding(case.skill.main_path, line, message)
