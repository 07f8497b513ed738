"""The skill starts more than three types of sub-agents.

It is:
- code of a skill that starts four or more different types of sub-agents (proven)
- steps in prose that start four or more different types
It is not:
- one type that is started with different prompts
- types that a skill lists for the user to choose from, or alternatives of which a run starts only one
Why it is bad: Each type has its own tools and its own form of answer; the step that combines their work must handle them all, and
every change affects several of them.
Instead: Give one general type different prompts, or merge types that do nearly the same work.
"""

from collections.abc import Iterator

from actions.case import Case
from actions.patterns.pattern import Finding, Pattern
from actions.skill.agents import AgentCall, started_agents

PATTERN = Pattern(id="AGT-003", impact=("every_run",), strategies=("custom",))
_MAX_TYPES = 3
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
Task({ subagent_type: "Explore", prompt: "Review the diff." })
Task({ subagent_type: "general-purpose", prompt: "Write the notes." })
```""",
    """Use Explore for looking, Plan for planning, code-reviewer for reviews, and general-purpose for the rest:

```javascript
Task({ subagent_type: kind, prompt: "Tag the release." })
```""",
)


def check(case: Case) -> Iterator[Finding]:
    """Report all types in one finding, at the first call of the fourth type."""
    first: dict[str, AgentCall] = {}
    for one in started_agents(case.skill):
        if one.type:
            first.setdefault(one.type, one)
    if len(first) > _MAX_TYPES:
        extra = list(first.values())[_MAX_TYPES]
        names = ", ".join(f"`{type[:40]}`" for type in list(first)[:12])
        message = f"The skill starts {len(first)} types of sub-agents ({names}); more than {_MAX_TYPES} are hard to coordinate."
        also = tuple(f"{one.file.path}:{one.call.line}: {type}" for type, one in first.items() if one is not extra)
        yield Finding(extra.file.path, extra.call.line, message, extra.call.line_end, also)
