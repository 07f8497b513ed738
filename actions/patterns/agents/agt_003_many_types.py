"""More than three types of sub-agents.

What it sees: a skill that sets more than three different sub-agent types to work.

Why it is bad: each type has its own manners and its own form of answer; whoever joins their work must know them all,
and every change touches several of them.

Instead: give one general type different prompts, or join types that do nearly the same.

May be wrong: in a team of roles that is the point of the skill. So it is low.
"""

from collections.abc import Iterator

from actions.facts.agents.calls import AgentStep, agent_steps
from actions.model import Case
from actions.patterns.pattern import Evidence, Pattern
from schemas.vocabulary import Confidence, Family

PATTERN = Pattern(id="AGT-003", family=Family.AGENT, impact=("every_run",), confidence=Confidence.MEDIUM)

_CALLS = "\n".join(
    f'const r{n} = Task({{ subagent_type: "{kind}", prompt: `Look at ${{part}} as a {kind}.` }})\nif (!r{n}) return\n'
    for n, kind in enumerate(("css-critic", "html-critic", "js-critic", "copy-critic"), 1)
)
BAD = (
    f"# Critique\n\n```javascript\n{_CALLS}```\n",
    """# Survey

1. Use the Task tool with subagent_type="Explore" to find the folders.
2. Use the Task tool with subagent_type="Plan" to order them.
3. Use the Task tool with subagent_type="map-drawer" to draw the map.
4. Use the Task tool with subagent_type="legend-writer" to write the legend.

If an agent fails, report it.
""",
)
GOOD = (
    """# Critique

```javascript
for (const part of ["css", "html", "js", "copy"]) {
  const r = Task({ subagent_type: "general-purpose", prompt: `Look at the ${part} of the page.` })
  if (!r) return
}
```
""",
    """# Survey

1. Use the Task tool with subagent_type="Explore" to find the folders.
2. Use the Task tool with subagent_type="Plan" to order them.

If an agent fails, report it.
""",
)

_MOST = 3


def look(case: Case) -> Iterator[Evidence]:
    """Give one finding at the first step of the fourth type."""
    first: dict[str, AgentStep] = {}
    for step in agent_steps(case.skill):
        if step.type:
            first.setdefault(step.type, step)
    if len(first) > _MOST:
        step = list(first.values())[_MOST]
        names = ", ".join(f"`{kind}`" for kind in list(first)[:8])
        yield Evidence(step.file.path, step.line, f"The skill sets {len(first)} types of sub-agents to work: {names}.")
