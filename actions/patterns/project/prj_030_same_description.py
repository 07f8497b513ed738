"""Two skills, agents or commands with the same description.

It is:
- a description with the same words in the same order as another unit's, of the same kind and in the same plugin or `.claude` folder (proven)
It is not:
- units of different plugins, or of different kinds
- a skill or a command that only the user can start (`disable-model-invocation: true`): the model does not see it
- the same placeholder of a template in several units (SPEC-003)
- descriptions that differ in one significant word, such as `Python` and `TypeScript`
Why it is bad: The model chooses by the description. It cannot tell the two apart and takes either.
Instead: Say in each what it does that the other does not, or merge them.
"""

from collections.abc import Iterator

from actions.case import Case
from actions.patterns.pattern import Finding, Pattern, UnitKind
from actions.project.same_descriptions import find_same_descriptions
from actions.project.upkeep import is_leftover_copy

PATTERN = Pattern(
    id="PRJ-030", impact=("easy",), asks_model=False, kinds=(UnitKind.SKILL, UnitKind.AGENT, UnitKind.COMMAND)
)
_TEXT = "---\nname: %s\ndescription: Counts the %s of a bay by the photos of the last tide%s\n---\n\nCount.\n"
BAD = (
    {".claude/agents/a.md": _TEXT % ("a", "gulls", "."), ".claude/agents/b.md": _TEXT % ("b", "gulls", ", for you.")},
    {
        ".claude/skills/a/SKILL.md": _TEXT % ("a", "gulls", "."),
        ".claude/skills/b/SKILL.md": _TEXT % ("b", "gulls", "."),
    },
)
GOOD = (
    {".claude/agents/a.md": _TEXT % ("a", "gulls", "."), ".claude/skills/b/SKILL.md": _TEXT % ("b", "gulls", ".")},
    {".claude/agents/a.md": _TEXT % ("a", "gulls", "."), ".claude/agents/b.md": _TEXT % ("b", "terns", ".")},
)


def check(case: Case) -> Iterator[Finding]:
    """Yield one finding if an earlier unit has the same description."""
    if other := find_same_descriptions(case.project).get(case.unit.path):
        message = f"`{other.name}` ({other.path}) has the same description."
        if is_leftover_copy(case.project, other.path):
            message = f"`{other.path}` is a leftover copy with the same description: delete it."
        yield Finding(case.skill.main_path, case.skill.frontmatter.lines.get("description", 1), message)
