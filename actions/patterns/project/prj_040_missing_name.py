"""A text names an agent, a command or a skill that its plugin does not have.

It is:
- a `subagent_type` of `plugin:agent` whose plugin is in the project and has no such agent (proven)
- a `/plugin:command` whose plugin is in the project and has no such command, skill or workflow (proven)
- a call `Skill(skill="plugin:name")` whose plugin is in the project and has no such command or skill (proven)
It is not:
- a name of a plugin that is not in the project
- a name that the text calls planned, optional or removed
Why it is bad: The call is refused, or the user is told to run a command that does not exist, so the step is skipped or done badly.
Instead: Write the name as Claude Code spells it, or remove the reference.
"""

from collections.abc import Iterator

from actions.case import Case
from actions.patterns.pattern import Finding, Pattern, UnitKind
from actions.project.named_units import find_unknown_names

PATTERN = Pattern(
    id="PRJ-040",
    impact=("blocks",),
    asked=False,
    kinds=(UnitKind.SKILL, UnitKind.AGENT, UnitKind.COMMAND, UnitKind.MEMORY),
)
_PLUGIN = {
    ".claude-plugin/plugin.json": '{"name": "birds"}',
    "agents/counter.md": "---\nname: counter\ndescription: Counts.\n---\n\nCount.\n",
    "commands/count.md": "---\ndescription: Counts.\n---\n\nCount.\n",
}
BAD = (
    {**_PLUGIN, "commands/count.md": 'Task(subagent_type="birds::counter", prompt="Count.")\n'},
    {**_PLUGIN, "skills/sort/SKILL.md": "---\nname: sort\ndescription: Sorts.\n---\n\nThen run `/birds:counts`.\n"},
    {**_PLUGIN, "skills/sort/SKILL.md": "---\nname: sort\ndescription: Sorts.\n---\n\nSkill(skill='birds:tally')\n"},
)
GOOD = (
    {**_PLUGIN, "commands/count.md": 'Task(subagent_type="birds:counter", prompt="Count.")\n'},
    {**_PLUGIN, "skills/sort/SKILL.md": "---\nname: sort\ndescription: Sorts.\n---\n\nThen run `/birds:count`.\n"},
    {**_PLUGIN, "commands/sort.md": "Run `/trees:count`, and `/birds:tally` if installed.\n"},
    {**_PLUGIN, "commands/sort.md": "Call `/birds:run:{name}` for each name of the list.\n"},
)


def check(case: Case) -> Iterator[Finding]:
    """Yield the names of agents, commands and skills that do not exist."""
    for one in find_unknown_names(case.project, case.skill):
        what = "agent" if one.kind is UnitKind.AGENT else "command or skill"
        hint = f" Did you mean `{one.near}`?" if one.near else ""
        yield Finding(
            one.file,
            one.line,
            f"The plugin has no {what} `{one.name}`.{hint}",
            cause=f"{what} {one.name}",
            is_shared=True,
        )
