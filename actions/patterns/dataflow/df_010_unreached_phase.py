"""No other file references a phase or reference file.

It is:
- an instruction file that no other file of the skill mentions by path, name, title or number, and no file of its plugin by path (proven)
It is not:
- a file of a folder that the text refers to as a whole: `phases/`, `phases/*.md`, `roles/{role}.md`, by a prefix such as `data-`, or for all skills (`<skill>/roles/<role>.md`)
- a file for people (also a report in `docs/`, or one in a folder such as `_dev/`), a source in `research/`, `sources/` or `notes/`, or for tests, or a command that Claude Code discovers
Low when:
- it is a reference: the work gets done without it, though perhaps less well
Why it is bad: The model never reads the file, so its steps are skipped unnoticed.
Instead: Name the file at the step that needs it, or delete it.
"""

from collections.abc import Iterator

from actions.case import Case
from actions.patterns.pattern import Finding, Pattern, Severity
from actions.project.mentions import is_named_elsewhere
from actions.skill import Role
from actions.skill.reach import find_unmentioned

PATTERN = Pattern(id="DF-010", impact=("loses",))
BAD = (
    {"SKILL.md": "# Move\n\nPack.\n", "phases/sweep.md": "# Clean the old flat\n\nSweep every room.\n"},
    {"SKILL.md": "# 计数\n\n逐项。\n", "references/rounding.md": "# 四舍五入的办法\n\n到整数。\n"},
)
GOOD = (
    {
        "SKILL.md": "# Move\n\nWork through `phases/*.md` in order.\n",
        "phases/01-pack.md": "# Pack\n\nPack the books first.\n",
    },
    {
        "SKILL.md": "# Move\n\nPack, then come Phase 2 and the sweeping.\n",
        "phases/02-carry.md": "# Carry it all\n\nCarry the heavy boxes first.\n",
        "phases/sweeping.md": "# Clean the old flat\n\nSweep every room.\n",
    },
    {"SKILL.md": "# Move\n\nPack.\n", "references/research/flats.md": "# What movers say\n\nPack early.\n"},
    {
        "SKILL.md": "# Move\n\nThe rules with `flat-` are about flats.\n",
        "references/flat-sweep.md": "# Sweep it\n\nAll.\n",
        "references/flat-paint.md": "# Paint it\n\nAll.\n",
    },
    {"SKILL.md": "# Move\n\nRead [the list](specs/a.md).\n", "specs/a.md": "# Boxes\n\nForty.\n"},
)


def check(case: Case) -> Iterator[Finding]:
    """Find instruction files in subfolders that nothing mentions by one of their names or by their folder."""
    for file in find_unmentioned(case.skill):
        if not is_named_elsewhere(case.project, case.unit, file.path):
            message = f"`{file.path}` is not referenced by any other file of the skill, nor is its folder."
            severity = PATTERN.severity if file.role is Role.PHASE else Severity.LOW
            first = next((block.start for block in file.doc.blocks), 1)
            yield Finding(file.path, first, message, severity=severity)
