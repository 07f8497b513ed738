"""A sub-agent type is not defined.

It is:
- a `subagent_type` that misspells a built-in type or an agent of the skill, of its plugin or of `.claude/agents`, in a call or in a text (proven)
- a `subagent_type` that neither the skill, its plugin nor Claude Code defines, in a skill that says it brings its own agents
It is not:
- a type that differs only in case, spaces, hyphens or underscores: Claude Code finds the agent
- a type that the user's project or an installed plugin may define
- a type that begins with the name of its plugin, `plugin:agent`
Why it is bad: The call is refused, and the step has no result or is done by an agent that was not meant for it.
Instead: Use the name as it is defined.
"""

from collections.abc import Iterator

from actions.case import Case
from actions.grouping import group_by_key
from actions.patterns.pattern import Finding, Pattern, UnitKind
from actions.project.named_units import list_agents, may_be_missing
from actions.skill.agents import BUILT_IN_TYPES, find_intended_type, find_named_types, find_started_agents

PATTERN = Pattern(
    id="AGT-007",
    impact=("blocks",),
    strategies=("correct_agent_type",),
    kinds=(UnitKind.SKILL, UnitKind.COMMAND, UnitKind.AGENT),
)
_AGENT = """---
name: style-reviewer
description: Judges the style of a text.
---

Judge the style.
"""
BAD = (
    """```javascript
Task({ subagent_type: "general-purpos", prompt: "List the owners. If none is found, say so." })
```""",
    {
        "SKILL.md": "```python\nTask(subagent_type='style-reviwer', prompt='Judge the style of the letter.')\n```\n",
        "agents/style-reviewer.md": _AGENT,
    },
    {
        ".claude/commands/review.md": "```python\nTask(subagent_type='style-reviwer', prompt='Judge the style of it.')\n```\n",
        ".claude/agents/style-reviewer.md": _AGENT,
    },
    {
        "SKILL.md": "Start the Task tool with `subagent_type: style-reviwer`.\n",
        "agents/style-reviewer.md": _AGENT,
    },
)
GOOD = (
    """```javascript
Task({ subagent_type: "explorer", prompt: "List the owners." })
Task({ subagent_type: "explore", prompt: "List the owners." })
Task({ subagent_type: "General_Purpose", prompt: "List the owners." })
Task({ subagent_type: "team:general_purpose", prompt: "List the owners." })
Task({ subagent_type: kind, prompt: "List the owners." })
```""",
    {
        "SKILL.md": "```python\nTask(subagent_type='code-reviewer', prompt='Judge the code of the letter.')\n```\n",
        "agents/style-reviewer.md": _AGENT,
    },
    {
        "SKILL.md": "Start `subagent_type: style-reviewer`. `subagent_type: style-reviewr` is refused, not corrected.\n",
        "agents/style-reviewer.md": _AGENT,
    },
)


def check(case: Case) -> Iterator[Finding]:
    """Find calls with a misspelled agent type."""
    types = group_by_key(_list_types(case))
    others = list_agents(case.project, case.unit) if types else {}
    for type, places in types.items():
        if intended := find_intended_type(case.skill, type, others.keys()):
            known = others.get(intended, intended)
            origin = "built in" if known in BUILT_IN_TYPES else "defined in agents/"
            message = f"Unknown agent type `{type[:60]}`. Did you mean `{known}` ({origin})?"
            for path, line, line_end in places:
                yield Finding(path, line, message, line_end, cause=type, is_shared=True)


def _list_types(case: Case) -> Iterator[tuple[str, tuple[str, int, int]]]:
    """Yield each type of an agent that calls, or the text around them, start, with its file and its first and last line."""
    for agent in find_started_agents(case.skill):
        if agent.type:
            yield agent.type, (agent.file.path, agent.call.line, agent.call.line_end)
    for file, line, type in find_named_types(case.skill):
        if not may_be_missing(file, line):
            yield type, (file.path, line, line)
