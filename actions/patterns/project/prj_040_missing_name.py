"""A text names an agent, a command or a skill that its plugin does not have.

It is:
- a `subagent_type` of `plugin:agent` whose plugin is in the project and has no such agent (proven)
- a `/plugin:command` whose plugin is in the project and has no such command, skill or workflow (proven)
- a call `Skill(skill="plugin:name")` whose plugin is in the project and has no such command or skill (proven)
- one of these calls of the own plugin by a part of its name, such as `/qt:run` for `/qt-suite:run` (proven)
It is not:
- a name of a plugin that is not in the project, or whose manifest has a path that Claude Code rejects (PRJ-022)
- a name of a unit in a part of the plugin, such as `packs/trees/commands`, that a script copies or links
- a name that the text calls planned, optional or removed, or a placeholder such as `/birds:command`
- a name in the column "Example" of a table, if no unit of the project has this or a similar name
- a command of another tool, in a text that names the tool's folder of commands, such as `.gemini/commands`
- a name in a text that is copied from elsewhere: a fetched page, or a dump of documentation (`llms-full.md`)
- the mark `<!-- /birds:order -->` at the end of a block
- a name in the sample of a report: a fence of text with marks such as `[WARN]`
Low when:
- the name is in a reference, not in the unit's main text
- it is a `/plugin:command`, and no unit of the project has this or a similar name: it may be planned or a sample
- only the plugin's name is wrong: a model may find the right one in its list
- the text is about the plugin itself and only says how a user calls it: a section such as "Usage", or "Examples" of a command
- a command calls itself by the name of a plugin that it is not part of, in such a section
Why it is bad: The call is refused, or the user is asked to run a command that does not exist, so the step is skipped or done badly.
Instead: Write the name as Claude Code spells it, or remove the reference.
"""

from collections.abc import Iterator

from actions.case import Case
from actions.patterns.pattern import Finding, Pattern, Severity, UnitKind
from actions.project.named_units import UnknownName, find_unknown_names
from actions.project.units import Unit
from actions.regex import regex

PATTERN = Pattern(
    id="PRJ-040",
    impact=("blocks",),
    asks_model=False,
    kinds=(UnitKind.SKILL, UnitKind.AGENT, UnitKind.COMMAND, UnitKind.MEMORY),
)
_USAGE = regex(r"(?i)\W*(?:usage|invocation|syntax|how to use|utilisation|uso|verwendung|使い方|用法)\b")
_EXAMPLES = regex(r"(?i)\W*(?:(?:examples?|exemples?)(?: (?:usage|calls?|invocations?))?|beispiele?|ejemplos?)\W*")
_PLUGIN = {
    ".claude-plugin/plugin.json": '{"name": "birds"}',
    "agents/counter.md": "---\nname: counter\ndescription: Counts.\n---\n\nCount.\n",
    "commands/count.md": "---\ndescription: Counts.\n---\n\nCount.\n",
}
BAD = (
    {**_PLUGIN, "commands/count.md": 'Task(subagent_type="birds::counter", prompt="Count.")\n'},
    {**_PLUGIN, "skills/sort/SKILL.md": "---\nname: sort\ndescription: Sorts.\n---\n\nThen run `/birds:counts`.\n"},
    {**_PLUGIN, "skills/sort/SKILL.md": "---\nname: sort\ndescription: Sorts.\n---\n\nSkill(skill='birds:tally')\n"},
    {".claude-plugin/plugin.json": '{"name": "qt-suite"}', "commands/run.md": "Run it. Repeat: `/qt:run`.\n"},
)
GOOD = (
    {**_PLUGIN, "commands/count.md": 'Task(subagent_type="birds:counter", prompt="Count.")\n'},
    {**_PLUGIN, "commands/count.md": 'Task(subagent_type="birds:Coun_ter", prompt="Count.")\n'},
    {**_PLUGIN, "skills/sort/SKILL.md": "---\nname: sort\ndescription: Sorts.\n---\n\nThen run `/birds:count`.\n"},
    {
        **_PLUGIN,
        ".claude-plugin/plugin.json": '{"name": "birds", "commands": "../commands/"}',
        "skills/sort/SKILL.md": "---\nname: sort\ndescription: Sorts.\n---\n\nThen run `/birds:count`.\n",
    },
    {**_PLUGIN, "commands/sort.md": "Run `/trees:count`, and `/birds:tally` if installed.\n"},
    {**_PLUGIN, "commands/sort.md": "# Sort\n\n## Upgrade path\n\n- `/birds:tally` counts by kind.\n"},
    {**_PLUGIN, "commands/sort.md": "Candidates for a second version:\n\n- `/birds:tally` counts by kind.\n"},
    {**_PLUGIN, "commands/sort.md": "<!-- birds:tally -->\n\nSort.\n\n<!-- /birds:tally -->\n"},
    {**_PLUGIN, "commands/sort.md": "Write `.gemini/commands/birds/fix.toml`, called as `/birds:fix`.\n"},
    {".claude-plugin/plugin.json": '{"name": "qt-suite"}', "commands/run.md": "Run `/qt:sort` or `/bt:run`.\n"},
    {
        ".claude-plugin/plugin.json": '{"name": "qt-suite"}',
        "commands/qt/run.md": "Do.\n",
        "commands/run.md": "`/qt:run`\n",
    },
    {**_PLUGIN, "commands/sort.md": "Call `/birds:run:{name}` for each name of the list.\n"},
)


def check(case: Case) -> Iterator[Finding]:
    """Yield the names of agents, commands and skills that do not exist."""
    for unknown in find_unknown_names(case.project, case.unit, case.skill):
        kind = "agent" if unknown.kind is UnitKind.AGENT else "command or skill"
        hint = f" Did you mean `{unknown.near}`?" if unknown.near else ""
        message, cause = f"The plugin has no {kind} `{unknown.name}`.{hint}", f"{kind} {unknown.name}"
        if unknown.has_wrong_prefix:
            prefix, _, name = unknown.near.partition(":")
            wrong = unknown.name.removesuffix(f":{name}")
            message, cause = f"No plugin is called `{wrong}`: write `{unknown.near}`.", f"prefix {wrong} for {prefix}"
        is_usage = _is_about(case.unit, unknown.name) and _is_in_usage_section(case, unknown)
        is_low = is_usage or unknown.is_in_reference or not unknown.is_known or unknown.has_wrong_prefix
        severity = Severity.LOW if is_low else PATTERN.severity
        yield Finding(unknown.file, unknown.line, message, severity=severity, cause=cause, is_shared=True)


def _is_about(unit: Unit, name: str) -> bool:
    """Return whether a called name is of the unit's own plugin, or is that of the unit with another prefix."""
    plugin, _, rest = name.partition(":")
    return plugin == unit.name.partition(":")[0] or rest == unit.name


def _is_in_usage_section(case: Case, unknown: UnknownName) -> bool:
    """Return whether a name is in a section on how to use this unit. Its reader has already started the unit."""
    title = case.skill.by_path[unknown.file].doc.section_at(unknown.line).title
    is_example = case.unit.kind is UnitKind.COMMAND and _EXAMPLES.fullmatch(title) is not None
    return unknown.file == case.skill.main_path and (is_example or _USAGE.match(title) is not None)
