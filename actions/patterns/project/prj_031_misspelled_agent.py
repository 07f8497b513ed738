"""A skill or a command that is to run in an agent of another name.

It is:
- an `agent` beside `context: fork` that is nearly a built-in agent or one of the project (proven)
It is not:
- an agent that the user or an installed plugin may have
- a name that differs only in upper and lower case
Why it is bad: Claude Code runs the default agent without a message: without the instructions, tools and model of the one that is meant.
Instead: Write the name exactly as in the frontmatter of the agent.
"""

from collections.abc import Iterator

from actions.case import Case
from actions.patterns.pattern import Finding, Pattern, UnitKind
from actions.project.misspelled_names import find_misspelled_agent

PATTERN = Pattern(id="PRJ-031", impact=("every_run", "easy"), asked=False, kinds=(UnitKind.SKILL, UnitKind.COMMAND))
_SKILL = "---\nname: count\ndescription: Counts.\ncontext: fork\nagent: %s\n---\n\nCount.\n"
_AGENT = {".claude/agents/counter.md": "---\nname: counter\ndescription: Counts.\n---\n\nCount.\n"}
BAD = (
    {".claude/skills/count/SKILL.md": _SKILL % "conuter", **_AGENT},
    {"SKILL.md": _SKILL % "general-purpos"},
)
GOOD = (
    {".claude/skills/count/SKILL.md": _SKILL % "counter", **_AGENT},
    {"SKILL.md": _SKILL % "reviewer"},
)


def check(case: Case) -> Iterator[Finding]:
    """Yield the misspelled agent of this skill or command."""
    if found := find_misspelled_agent(case.project, case.skill):
        message = f"Unknown agent `{found.name[:60]}`: the default agent runs instead. Did you mean `{found.known}`?"
        yield Finding(case.skill.main_path, found.line, message)
