"""A text calls a command of the project by a name that Claude Code does not know.

It is:
- `/count` or `/sea-count` as code, where the project has `.claude/commands/sea/count.md`: its name is `/sea:count` (proven)
- `/sea:count` as code, where the project has the command or the skill `sea-count` (proven)
It is not:
- a built-in command, a command of a plugin, or the `name` in a skill's frontmatter
- a name that code of the project has in quotes: a route, or the command of another program
- a name that the text calls planned, optional or removed, or lists beside a command that nobody knows: samples
Why it is bad: Claude Code refuses the name: a user who types it gets no command, and a model that calls it gets an error.
Instead: Write the name as Claude Code lists it, with the folders of a command and `:`.
"""

from collections.abc import Iterator

from actions.case import Case
from actions.patterns.pattern import Finding, Pattern, UnitKind
from actions.project.respelled_commands import find_respelled_commands

PATTERN = Pattern(
    id="PRJ-055",
    impact=("every_run", "easy"),
    asks_model=False,
    kinds=(UnitKind.SKILL, UnitKind.AGENT, UnitKind.COMMAND, UnitKind.MEMORY),
)
_NESTED = {".claude/commands/sea/count.md": "Count the birds.\n"}
_SKILL = {".claude/skills/sea-count/SKILL.md": "---\nname: sea-count\ndescription: Counts.\n---\n\nCount.\n"}
BAD = (
    {**_NESTED, "CLAUDE.md": "Run `/count` each day.\n"},
    {**_NESTED, ".claude/commands/sort.md": "First run `/sea-count today`.\n"},
    {**_SKILL, "CLAUDE.md": "Run `/sea:count` each day.\n"},
)
GOOD = (
    {**_NESTED, "CLAUDE.md": "Run `/sea:count` each day.\n"},
    {**_NESTED, "CLAUDE.md": "The page `/count` lists them.\n", "app.js": 'route("/count")\n'},
    {**_SKILL, "CLAUDE.md": "Run `/sea-count` each day.\n"},
    {**_NESTED, ".claude/commands/count.md": "Count.\n", "CLAUDE.md": "Run `/count` each day.\n"},
    {".claude/commands/sea/review.md": "Review.\n", "CLAUDE.md": "Run `/review`.\n"},
)


def check(case: Case) -> Iterator[Finding]:
    """Yield the calls of own commands by a wrong name in this unit's texts."""
    for call in find_respelled_commands(case.project, case.unit, case.skill):
        message = f"Claude Code does not know `/{call.name[:80]}`: the name is `/{call.known[:80]}`."
        yield Finding(call.file, call.line, message, cause=f"command {call.name}", is_shared=True)
