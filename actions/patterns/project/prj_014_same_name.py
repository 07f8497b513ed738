"""Two agents, commands or skills have the same name, or a skill and a command.

It is:
- two agents of one plugin, or of one `.claude` folder, with the same `name` (proven)
- two commands or two skills of one plugin, or of one `.claude` folder, with the same name (proven)
- a skill of a plugin with the name of one of its commands: the model gets the command, also where the command sends it to the skill (proven)
- a command in `.claude/commands` with the name of a skill in `.claude/skills`, which replaces it (proven)
It is not:
- units with the same name in different plugins: the plugin's name distinguishes them
- a skill that only leads to the command or a command that only leads to the skill, where the other one is loaded
- a skill whose file the command reads by its path, two equal texts, or a command with `disable-model-invocation` beside a skill
- skills in folders where Claude Code does not look
Why it is bad: Claude Code loads only one of them, and no message says which. The model never gets the text of the other.
Instead: Give each a name of its own, or remove the one that is out of date.
"""

from collections.abc import Iterator

from actions.case import Case
from actions.patterns.pattern import Finding, Pattern, UnitKind
from actions.project.find_units import find_first_units
from actions.project.hidden_units import find_hiding_unit
from actions.project.loaders import Loader, find_loader

PATTERN = Pattern(
    id="PRJ-014",
    impact=("every_run", "easy"),
    asks_model=False,
    kinds=(UnitKind.SKILL, UnitKind.AGENT, UnitKind.COMMAND),
)
_AGENT = "---\nname: %s\ndescription: Counts.\n---\n\nCount.\n"
_COMMAND = "---\ndescription: Counts.\n---\n\nCount.\n"
_CALLING = "---\ndescription: Counts.\n---\n\nUse the `count` skill for $ARGUMENTS.\n"
_LONG = _AGENT % "count" + "\nCount each flock twice, and take the mean of both.\n"
_PLUGIN = {".claude-plugin/plugin.json": '{"name": "birds"}\n'}
BAD = (
    {".claude/agents/counter.md": _AGENT % "counter", ".claude/agents/old.md": _AGENT % "counter"},
    {**_PLUGIN, "commands/count.md": _COMMAND, "commands/count/SKILL.md": _COMMAND},
    {
        ".claude-plugin/plugin.json": '{"name": "birds", "skills": "./more/"}\n',
        "skills/count/SKILL.md": _COMMAND,
        "more/count/SKILL.md": _COMMAND,
    },
    {**_PLUGIN, "commands/count.md": _CALLING, "skills/count/SKILL.md": _COMMAND},
    {**_PLUGIN, "commands/count.md": _COMMAND, "skills/count/SKILL.md": _LONG},
    {".claude/commands/count.md": _COMMAND, ".claude/skills/count/SKILL.md": _LONG},
)
GOOD = (
    {".claude/agents/counter.md": _AGENT % "counter", ".claude/agents/old.md": _AGENT % "old"},
    {**_PLUGIN, "agents/counter.md": _AGENT % "counter", ".claude/agents/counter.md": _AGENT % "counter"},
    {"a/count/SKILL.md": _COMMAND, "b/count/SKILL.md": _COMMAND},
    {".claude/commands/count.md": _CALLING, ".claude/skills/count/SKILL.md": _LONG},
    {**_PLUGIN, "commands/count.md": "Follow `skills/count/SKILL.md`.\n", "skills/count/SKILL.md": _COMMAND},
    {
        **_PLUGIN,
        "commands/count.md": _LONG,
        "skills/count/SKILL.md": "---\nname: count\n---\n\nStart /birds:count.\n",
    },
    {**_PLUGIN, "commands/count.md": _COMMAND, "skills/count/SKILL.md": _COMMAND.replace("Counts", "Counts all")},
    {
        **_PLUGIN,
        "commands/count.md": _CALLING.replace("---\n", "---\ndisable-model-invocation: true\n", 1),
        "skills/count/SKILL.md": _COMMAND,
    },
    {**_PLUGIN, ".claude/commands/count.md": _CALLING, "skills/count/SKILL.md": _COMMAND},
    {".claude/commands/birds/count.md": _COMMAND, ".claude/skills/count/SKILL.md": _LONG},
    {".claude/bundle/skill/count/SKILL.md": _COMMAND, ".claude/skills/count/SKILL.md": _COMMAND},
    {".agents/skills/count/SKILL.md": _COMMAND, ".claude/skills/count/SKILL.md": _COMMAND},
)


def check(case: Case) -> Iterator[Finding]:
    """Yield a finding if an earlier unit of the same kind and scope has the same name, or one of another kind hides it."""
    unit = case.unit
    first = find_first_units(case.project).get(unit.key, unit)
    if first != unit and all(find_loader(case.project, one) is Loader.CLAUDE_CODE for one in (first, unit)):
        line = case.skill.frontmatter.lines.get("name", 1)
        message = f"`{first.path}` has the same name `{unit.name}`: Claude Code loads only one of them."
        yield Finding(case.skill.main_path, line, message, cause=first.path)
    hiding = find_hiding_unit(case.project, unit)
    if hiding and all(find_loader(case.project, one) is Loader.CLAUDE_CODE for one in (hiding, unit)):
        line = case.skill.frontmatter.lines.get("name", 1)
        kind = unit.kind.value
        message = f"`{hiding.path}` has the same name `{unit.name}`: Claude Code loads it instead of the {kind}."
        yield Finding(case.skill.main_path, line, message, cause=hiding.path)
