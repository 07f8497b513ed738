"""An agent preloads a skill that Claude Code does not find.

It is:
- a name in `skills` that is similar to one of a skill or a command, also in other upper and lower case (proven)
- a name in `skills` that is missing, although the project has all others of at least three (proven)
- a name in `skills` of a skill that the project has only in an archive (proven)
- a skill with `disable-model-invocation`, which only users can start (proven)
It is not:
- a command, a built-in skill, or the folder of a skill that has another `name`: Claude Code finds them
- a skill of a plugin that is not in the project, or a file that git ignores
Low when:
- the project does not show what is meant: users may have the skill
Why it is bad: Claude Code starts the agent without the text of the skill, and only its log says so.
Instead: Write the name of the skill's folder as it is, remove the name, or remove `disable-model-invocation`.
"""

from collections.abc import Iterator

from actions.case import Case
from actions.patterns.pattern import Finding, Pattern, Severity, UnitKind
from actions.project.agent_skills import UnknownSkill, find_unknown_skills

PATTERN = Pattern(id="PRJ-052", impact=("every_run", "easy"), asks_model=False, kinds=(UnitKind.AGENT,))
_AGENT = "---\nname: counter\ndescription: Counts.\nskills: %s\n---\n\nCount.\n"
_SKILL = "---\nname: %s\ndescription: Counts.\n---\n\nCount.\n"
_PATH, _COUNT, _SORT = ".claude/agents/counter.md", ".claude/skills/count/SKILL.md", ".claude/commands/sort.md"
_HIDDEN = "---\nname: count\ndescription: Counts.\ndisable-model-invocation: true\n---\n\nCount.\n"
BAD = (
    {_PATH: _AGENT % "[Count]", _COUNT: _SKILL % "count"},
    {_PATH: _AGENT % "count, sort, tally", _COUNT: _SKILL % "count", _SORT: "Sort.\n"},
    {_PATH: _AGENT % "[count]", _COUNT: _HIDDEN},
    {_PATH: _AGENT % "[tally]"},
    {_PATH: _AGENT % "[tally]", "archive/skills/tally/SKILL.md": _SKILL % "tally"},
)
GOOD = (
    {_PATH: _AGENT % "[count, tally]", _COUNT: _SKILL % "tally"},
    {_PATH: _AGENT % "[sort, simplify, 'trees:count']", _SORT: "Sort.\n"},
    {_PATH: _AGENT % "[count]", "skills/count/SKILL.md": _SKILL % "count"},
)


def check(case: Case) -> Iterator[Finding]:
    """Yield the skills that this agent is started without."""
    for skill in find_unknown_skills(case.project, case.unit, case.skill):
        severity = PATTERN.severity if skill.is_certain else Severity.LOW
        message, cause = _format_message(skill), f"skill {skill.name}"
        yield Finding(case.unit.path, skill.line, message, severity=severity, cause=cause, is_shared=True)


def _format_message(skill: UnknownSkill) -> str:
    if skill.is_hidden:
        return f"Claude Code does not preload `{skill.name}`: it has `disable-model-invocation`."
    if skill.archive:
        return f"Claude Code starts this agent without `{skill.name}`: it does not load `{skill.archive}`."
    hint = f" Did you mean `{skill.near}`?" if skill.near else ""
    return f"Claude Code starts this agent without `{skill.name}`: the project has no such skill.{hint}"
