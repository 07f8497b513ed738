"""The skill starts more than three types of sub-agents.

It is:
- code of a skill that starts four or more different types of sub-agents (proven)
- steps in prose that start four or more different types
It is not:
- one type that is started with different prompts
- agents of one plugin with the same last word (`birds:egg-counter`, `birds:nest-counter`), which count as one type
- types that a skill lists for the user to choose from, or alternatives of which a run starts only one
Why it is bad: Each type has its own tools and its own form of answer; the step that combines their work must handle them all, and
every change affects several of them.
Instead: Give one general type different prompts, or merge types that do nearly the same work.
"""

from collections.abc import Iterator

from actions.case import Case
from actions.patterns.pattern import Finding, Pattern
from actions.regex import regex
from actions.skill.agents import AgentCall, find_started_agents

PATTERN = Pattern(id="AGT-003", impact=("every_run",), strategies=("custom",))
_MAX_TYPES = 3
_FAMILY = regex(r"\A([^:]+):.*-(\w+)\Z")
BAD = (
    """```javascript
Task({ subagent_type: "code-reviewer", prompt: "Review the diff." })
Task({ subagent_type: "security-auditor", prompt: "Audit the diff." })
Task({ subagent_type: "doc-writer", prompt: "Write the notes." })
Task({ subagent_type: "release-manager", prompt: "Tag the release." })
```""",
    {
        "plan.md": """```js
Task({subagent_type: 'Plan', prompt})
Task({subagent_type: 'Explore', prompt})
```
""",
        "do.md": """```js
Task({subagent_type: 'code-writer', prompt})
Task({subagent_type: 'tester', prompt})
```
""",
    },
)
GOOD = (
    """```javascript
Task({ subagent_type: "birds:egg-counter", prompt: "Count the eggs." })
Task({ subagent_type: "birds:nest-counter", prompt: "Count the nests." })
Task({ subagent_type: "birds:gull-counter", prompt: "Count the gulls." })
Task({ subagent_type: "birds:tern-counter", prompt: "Count the terns." })
```""",
    """```javascript
Task({ subagent_type: "Explore", prompt: "Review the diff." })
Task({ subagent_type: "general-purpose", prompt: "Write the notes." })
```""",
    """Use Explore for looking, Plan for planning, code-reviewer for reviews, and general-purpose for the rest:

```javascript
Task({ subagent_type: kind, prompt: "Tag the release." })
```""",
)


def check(case: Case) -> Iterator[Finding]:
    """Report all types in one finding, located at the first call of the fourth type."""
    first_calls: dict[str, AgentCall] = {}
    for agent in find_started_agents(case.skill):
        if agent.type:
            first_calls.setdefault(_FAMILY.sub(r"\1:\2", agent.type), agent)
    if len(first_calls) > _MAX_TYPES:
        agents = list(first_calls.values())
        extra = agents[_MAX_TYPES]
        names = ", ".join(f"`{(agent.type or '')[:40]}`" for agent in agents[:12])
        message = f"The skill starts {len(agents)} types of sub-agents ({names}); more than {_MAX_TYPES} are hard to coordinate."
        also = tuple(f"{agent.file.path}:{agent.call.line}: {agent.type}" for agent in agents if agent is not extra)
        yield Finding(extra.file.path, extra.call.line, message, extra.call.line_end, also)
