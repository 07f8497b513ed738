"""A description that Claude Code cuts in the listing of skills.

It is:
- a `description` with its `when_to_use` of more than 1,536 characters, where `<` counts as `&lt;` and spaces of indented lines count (proven)
It is not:
- a skill that the model cannot start: `disable-model-invocation`, `paths`
Why it is bad: The model chooses a skill by the listing alone. It never sees the text after the cut, which often says when not to use it.
Instead: Say what the skill does and when in a few sentences; put the rest into the body.
"""

from collections.abc import Iterator

from actions.case import Case
from actions.patterns.pattern import Finding, Pattern, UnitKind
from actions.project.listing import read_listed_skill
from actions.skill.text import MAX_DESCRIPTION

PATTERN = Pattern(
    id="PRJ-026",
    impact=("every_run", "easy"),
    asks_model=False,
    cause="long description",
    kinds=(UnitKind.SKILL, UnitKind.COMMAND),
)
_SKILL = "---\nname: count\ndescription: %s\nwhen_to_use: When birds are to be counted.\n%s---\n\nCount.\n"
BAD = (
    {"SKILL.md": _SKILL % ("Counts birds. " * 115, "")},
    {".claude/commands/count.md": _SKILL % ("Counts birds. " * 108, "")},
    {"SKILL.md": _SKILL % ("Counts <birds> of each bay. " * 50, "")},
)
GOOD = (
    {"SKILL.md": _SKILL % ("Counts birds. " * 100, "")},
    {"SKILL.md": _SKILL % ("Counts birds. " * 115, "disable-model-invocation: true\n")},
)


def check(case: Case) -> Iterator[Finding]:
    """Yield one finding if the description of this skill is cut."""
    main = case.skill.main
    listed = read_listed_skill(case.unit, main.text)
    full = listed.full_description
    if listed.shown_description != full and not listed.is_hidden:
        words = listed.shown_description[-41:-1]
        message = f"The listing shows {MAX_DESCRIPTION:,} of {len(full):,} characters, up to `{words}`."
        yield Finding(main.path, case.skill.frontmatter.lines.get("description", 1), message)
