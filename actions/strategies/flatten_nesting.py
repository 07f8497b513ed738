"""Lets a sub-agent do itself what it was told to have sub-agents do."""

import re

from actions.facts.agents.nesting import Nested, nested_orders
from actions.skill import Case
from actions.strategies.edits import Edit, edit
from actions.strategies.strategy import Draft, Strategy
from schemas.issues import Issue
from schemas.vocabulary import Confidence, Risk

STRATEGY = Strategy("flatten_nesting", mends=("AGT-004",), risk=Risk.MEDIUM, aliases=("orchestrator_refactor",))

BEFORE = (
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
    """# Survey

```python
r = Task(
    subagent_type="general-purpose",
    prompt=f\"\"\"Survey {dir}.
1. List the modules.
2. Launch one sub-agent per module to note its exports.
\"\"\",
)
if not r: raise SystemExit
```
""",
    """# 清点

```javascript
const r = Task({
  subagent_type: "general-purpose",
  prompt: `清点 ${dir} 中的包。
为每个包启动一个子代理，描述其用途。
返回列表。`
})
if (!r) return
```
""",
)
AFTER = (
    """# Inventory

```javascript
const list = Task({
  subagent_type: "general-purpose",
  prompt: `Make an inventory of ${dir}.
Describe each package yourself.
Return one list.`
})
if (!list) return
```
""",
    """# Survey

```python
r = Task(
    subagent_type="general-purpose",
    prompt=f\"\"\"Survey {dir}.
1. List the modules.
2. For each module, note its exports yourself.
\"\"\",
)
if not r: raise SystemExit
```
""",
    """# 清点

```javascript
const r = Task({
  subagent_type: "general-purpose",
  prompt: `清点 ${dir} 中的包。
为每个包亲自描述其用途。
返回列表。`
})
if (!r) return
```
""",
)

_TOOL = re.compile(r"^(\W*(?:\d+[.)]\s+)?)(?:Use|Call|Invoke) the `?(?:Task|Agent)`? tool to ([a-z])([^.\n]*?)(\.?)$")
_EACH = re.compile(
    r"^(\W*(?:\d+[.)]\s+)?)(?:Launch|Spawn|Dispatch|Start) (?:a|one) (?:separate )?sub-?agent (?:per|for each|for every) (\w+(?: \w+)?)"
    r" (?:to|that|which) ([^.\n]*?)(\.?)$"
)
_HAN = re.compile(
    r"^(\W*为每[^，。\n]{1,12}?)(?:启动|派发|创建|生成)一?个?子代理，?(?:来|用于|负责)?([^，。\n][^。\n]*)(。?)$"
)


def propose(issue: Issue, case: Case) -> Draft | None:
    """Rewrite the order, where it has one of a few plain forms and stands alone on its line."""
    place = (issue.location.file, issue.location.line_start)
    order = next((o for o in nested_orders(case.skill) if (o.step.file.path, o.line) == place), None)
    line = _rewritten(order) if order else ""
    if order is None or not line:
        return None
    return Draft(
        writes={order.step.file.path: edit(order.step.file, [Edit(order.line, order.line, [line])])},
        description="Lets the sub-agent do the work itself.",
        rationale="A sub-agent cannot start others.",
        impact="The work is done, instead of being passed over.",
        token_limit=10,
        rewrites=(order.text,),
        confidence=Confidence.MEDIUM,
    )


def _rewritten(order: Nested) -> str:
    line = order.step.file.doc.line(order.line)
    if match := _TOOL.match(line):
        return f"{match[1]}{match[2].upper()}{match[3]} yourself{match[4]}"
    if match := _EACH.match(line):
        return f"{match[1]}For each {match[2]}, {match[3]} yourself{match[4]}"
    if match := _HAN.match(line):
        return f"{match[1]}亲自{match[2]}{match[3]}"
    return ""
