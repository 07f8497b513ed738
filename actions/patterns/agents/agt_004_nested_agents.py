"""A sub-agent that is told to start sub-agents.

What it sees: the prompt of a sub-agent that orders it to use the Task tool or to launch sub-agents of its own.

Why it is bad: sub-agents cannot start others: the order is passed over or fails, and the work that it should have done
is missing or made up.

Instead: let the sub-agent do the work itself, or let the main agent start them all.

May be wrong: on a platform whose sub-agents may start others.
"""

from collections.abc import Iterator

from actions.facts.agents.nesting import nested_orders
from actions.model import Case
from actions.patterns.pattern import Evidence, Pattern
from schemas.vocabulary import Confidence, Family

PATTERN = Pattern(
    id="AGT-004",
    family=Family.AGENT,
    impact=("blocks", "easy"),
    confidence=Confidence.MEDIUM,
    strategies=("flatten_nesting",),
)

BAD = (
    """# Inventory

```javascript
const list = Task({
  subagent_type: "general-purpose",
  prompt: `Make an inventory of ${dir}.
Use the Task tool to describe each package.
Return one list.`
})
if (!list) return
```
""",
    """# 清点

```python
r = Task(subagent_type="general-purpose", prompt=f"清点 {dir} 中的包。为每个包启动一个子代理并汇总结果。")
if not r: raise SystemExit
```
""",
    """# Inventory

```javascript
const list = Task({ subagent_type: "general-purpose", prompt: "Split the folder into parts. Then spawn one sub-agent per part." })
if (!list) return
```
""",
)
GOOD = (
    """# Inventory

```javascript
const list = Task({
  subagent_type: "general-purpose",
  prompt: `Make an inventory of ${dir}.
Do not launch sub-agents; describe each package yourself.`
})
if (!list) return
```
""",
    """# Inventory

```javascript
const list = Task({ subagent_type: "general-purpose", prompt: "Describe how this code starts its agents, and where a Task is made." })
if (!list) return
```

Then use the Task tool with subagent_type="Explore" for each package. If an agent fails, report it.
""",
)


def look(case: Case) -> Iterator[Evidence]:
    """Give the first nested order of each prompt."""
    for order in nested_orders(case.skill):
        message = f"{order.step.name[0].upper()}{order.step.name[1:]} is told to start sub-agents, which it cannot."
        yield Evidence(order.step.file.path, order.line, message)
