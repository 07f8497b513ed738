"""A blank or contradictory prompt.

It is:
- a sub-agent call with an empty prompt (proven)
- a sub-agent call without a prompt
- a prompt of which a needed part may be empty, such as a list of findings, with no word about that case
- a prompt with two orders of which only one can be kept: change nothing and fix, be brief and leave nothing out
It is not:
- a prompt beside the call, or in a file that the call names
- a short prompt that says what to do
- two orders for two cases, each of which is named
- two rules of the skill's own text that exclude each other: that is DOC-CON-003
Why it is bad: The sub-agent gets nothing to work on, or two orders of which it can keep only one, and answers with
something plausible.
Instead: Write the prompt; say in it what holds when a list is empty, and keep one of two orders.
"""

from collections.abc import Iterator

from actions.case import Case
from actions.patterns.pattern import Finding, Pattern, UnitKind
from actions.skill.agents import started_agents

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
    """Find calls with an empty prompt. A missing prompt may be written beside the call."""
    for one in started_agents(case.skill):
        if one.prompt is not None and not one.prompt.strip():
            message = f"`{one.call.name}` is called with an empty prompt. The sub-agent has nothing to work on."
            yield Finding(one.file.path, one.call.line, message, one.call.line_end)
