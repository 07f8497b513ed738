"""The prompt of a sub-agent is empty or contradicts itself.

It is:
- a sub-agent call with an empty prompt (proven)
- a sub-agent call without a prompt
- a prompt that needs a part which may be empty, such as a list of findings, and says nothing about that case
- a prompt with two orders that cannot both be followed: change nothing and fix it, be brief and leave nothing out
It is not:
- a prompt that is written beside the call, or in a file that the call names
- a short prompt that says what to do
- two orders for two different cases that the prompt names
- two rules of the skill's own text that exclude each other: that is DOC-CON-003
Why it is bad: The sub-agent has nothing to work on, or two orders of which it can follow only one, and answers with
something plausible.
Instead: Write the prompt, say in it what to do when a list is empty, and keep only one of two conflicting orders.
"""

from collections.abc import Iterator

from actions.case import Case
from actions.patterns.pattern import Finding, Pattern, UnitKind
from actions.skill.agents import find_started_agents

PATTERN = Pattern(
    id="AGT-009",
    impact=("loses", "easy"),
    strategies=("custom",),
    kinds=(UnitKind.SKILL, UnitKind.COMMAND, UnitKind.AGENT),
)
BAD = (
    """```python
Task(subagent_type="general-purpose", prompt="")
```""",
    """```javascript
Task({ subagent_type: "Explore", prompt: ` ` })
```""",
)
GOOD = (
    """```javascript
Task({ subagent_type: "Explore", description: "Survey", prompt })
```""",
    """```javascript
Task({ subagent_type: "Explore", prompt: `${build()}` })
```""",
)


def check(case: Case) -> Iterator[Finding]:
    """Find calls with an empty prompt. Calls without a prompt are skipped: it may be written next to the call."""
    for agent in find_started_agents(case.skill):
        if agent.prompt is not None and not agent.prompt.strip():
            message = f"`{agent.call.name}` is called with an empty prompt. The sub-agent has nothing to work on."
            yield Finding(agent.file.path, agent.call.line, message, agent.call.line_end)
