"""Two agents, commands or skills have the same name.

It is:
- two agents of one plugin, or of one `.claude` folder, with the same `name` (proven)
- two commands or two skills of one plugin, or of one `.claude` folder, with the same name (proven)
It is not:
- units with the same name in different plugins: the plugin's name distinguishes them
- skills in folders where Claude Code does not look
Why it is bad: Claude Code loads only one of them, and no message says which.
Instead: Give each a name of its own, or remove the one that is out of date.
"""

from collections.abc import Iterator

from actions.case import Case
from actions.patterns.pattern import Finding, Pattern, UnitKind
from actions.project.find_units import find_first_units
from actions.project.loaders import Loader, find_loader

PATTERN = Pattern(
    id="PRJ-014",
    impact=("every_run", "easy"),
    asks_model=False,
    kinds=(UnitKind.SKILL, UnitKind.AGENT, UnitKind.COMMAND),
)
_AGENT = "---\nname: %s\ndescription: Counts.\n---\n\nCount.\n"
_COMMAND = "---\ndescription: Counts.\n---\n\nCount.\n"
_PLUGIN = {".claude-plugin/plugin.json": '{"name": "birds"}\n'}
BAD = (
    {".claude/agents/counter.md": _AGENT % "counter", ".claude/agents/old.md": _AGENT % "counter"},
    {**_PLUGIN, "commands/count.md": _COMMAND, "commands/count/SKILL.md": _COMMAND},
    {
        ".claude-plugin/plugin.json": '{"name": "birds", "skills": "./more/"}\n',
        "skills/count/SKILL.md": _COMMAND,
        "more/count/SKILL.md": _COMMAND,
    },
)
GOOD = (
    {".claude/agents/counter.md": _AGENT % "counter", ".claude/agents/old.md": _AGENT % "old"},
    {**_PLUGIN, "agents/counter.md": _AGENT % "counter", ".claude/agents/counter.md": _AGENT % "counter"},
    {"a/count/SKILL.md": _COMMAND, "b/count/SKILL.md": _COMMAND},
    {".claude/bundle/skill/count/SKILL.md": _COMMAND, ".claude/skills/count/SKILL.md": _COMMAND},
    {".agents/skills/count/SKILL.md": _COMMAND, ".claude/skills/count/SKILL.md": _COMMAND},
)


def check(case: Case) -> Iterator[Finding]:
    """Yield a finding if an earlier unit of the same kind and scope has the same name."""
    unit = case.unit
    first = find_first_units(case.project).get(unit.key, unit)
    if first != unit and all(find_loader(case.project, one) is Loader.CLAUDE_CODE for one in (first, unit)):
        line = case.skill.frontmatter.lines.get("name", 1)
        message = f"`{first.path}` has the same name `{unit.name}`: Claude Code loads only one of them."
        yield Finding(case.skill.main_path, line, message, cause=first.path)
