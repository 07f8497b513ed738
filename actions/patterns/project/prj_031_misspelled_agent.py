"""A skill or a command that runs in an agent whose name is misspelled.

It is:
- an `agent` next to `context: fork` that misspells a built-in agent or an agent of the project (proven)
It is not:
- an agent that the user or an installed plugin may have
- a name that differs only in upper and lower case
Why it is bad: Claude Code silently runs the default agent, without the instructions, tools and model of the intended one.
Instead: Write the name exactly as in the frontmatter of the agent.
"""

from collections.abc import Iterator

from actions.case import Case
from actions.patterns.pattern import Finding, Pattern, UnitKind
from actions.project.misspelled_names import find_misspelled_agent

PATTERN = Pattern(
    id="PRJ-031", impact=("every_run", "easy"), asks_model=False, kinds=(UnitKind.SKILL, UnitKind.COMMAND)
)
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
    """Yield one finding if the agent of this skill or command is misspelled."""
    if misspelling := find_misspelled_agent(case.project, case.skill):
        name, known = misspelling.name[:60], misspelling.known
        message = f"Unknown agent `{name}`: the default agent runs instead. Did you mean `{known}`?"
        yield Finding(case.skill.main_path, misspelling.line, message)
