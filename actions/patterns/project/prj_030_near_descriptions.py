"""Two skills, agents or commands with nearly the same description.

It is:
- a description that shares at least 85 % of its words with that of another unit of its kind in one plugin or folder (proven)
It is not:
- units of different plugins, or of different kinds
- descriptions of fewer than ten words
Low when:
- always: the two may be variants that are called by name
Why it is bad: The model chooses by the description. It cannot tell the two apart and takes either.
Instead: Say in each what it does that the other does not, or join them.
"""

from collections.abc import Iterator

from actions.case import Case
from actions.patterns.pattern import Finding, Pattern, UnitKind
from actions.project.near_descriptions import find_near_descriptions

PATTERN = Pattern(id="PRJ-030", impact=("easy",), asked=False, kinds=(UnitKind.SKILL, UnitKind.AGENT, UnitKind.COMMAND))
_TEXT = "---\nname: %s\ndescription: Counts the birds of a bay by the photos of the last tide and writes a %s.\n---\n\nCount.\n"
BAD = (
    {".claude/agents/a.md": _TEXT % ("a", "table"), ".claude/agents/b.md": _TEXT % ("b", "list")},
    {".claude/skills/a/SKILL.md": _TEXT % ("a", "table"), ".claude/skills/b/SKILL.md": _TEXT % ("b", "table")},
)
GOOD = (
    {".claude/agents/a.md": _TEXT % ("a", "table"), ".claude/skills/b/SKILL.md": _TEXT % ("b", "list")},
    {
        ".claude/agents/a.md": _TEXT % ("a", "table"),
        ".claude/agents/b.md": _TEXT.replace("birds of a bay", "seals") % ("b", "map of all haul-outs"),
    },
)


def check(case: Case) -> Iterator[Finding]:
    """Yield the unit before this one that has nearly its description."""
    if near := find_near_descriptions(case.project).get(case.unit.path):
        message = f"Nearly the description of `{near.other.path}`: {near.shared} of {near.words} words are the same."
        yield Finding(case.skill.main_path, case.skill.frontmatter.lines.get("description", 1), message)
