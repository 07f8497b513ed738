"""A task without constraints.

What it sees: a prompt of several lines that orders a sub-agent to change something and sets no limit at all, in a skill
whose SKILL.md does set constraints.

Why it is bad: the sub-agent sees only its prompt, and takes whatever is not forbidden there as allowed.

Instead: say in the prompt what to leave alone and what must hold.

May be wrong: when none of the constraints touches this task. So it is low; a constraint that clearly does is MEM-001.
"""

from collections.abc import Iterator

from actions.facts.agents.calls import agent_steps
from actions.facts.memory.constraints import constraints, lost_in_prompts, points_to_rules, sets_limits
from actions.model import Case
from actions.model import regex as re
from actions.patterns.pattern import Evidence, Pattern
from schemas.vocabulary import Confidence, Family

PATTERN = Pattern(
    id="MEM-002",
    family=Family.MEMORY,
    impact=("every_run",),
    confidence=Confidence.MEDIUM,
    strategies=("constraint_injection",),
)

BAD = (
    """# Repaint

## Rules

- Colours come from `palette.json` only.

```javascript
const r = Task({
  subagent_type: "general-purpose",
  prompt: `Go to ${page}.
Refactor the header into three parts.
Rename the classes along with it.
Return the list of parts.`
})
if (!r) return
```
""",
    """# 整理

## 约束

- 图片宽度必须小于 1200 像素。

```python
r = Task(subagent_type="general-purpose", prompt=\"\"\"打开 {page}。
重构页眉。
拆分为三个部件。
返回部件列表。\"\"\")
if not r: raise SystemExit
```
""",
)
GOOD = (
    """# Repaint

## Rules

- Colours come from `palette.json` only.

```javascript
const r = Task({
  subagent_type: "general-purpose",
  prompt: `Go to ${page}.
Refactor the header into three parts.
Leave the footer as it is.
Return the list of parts.`
})
if (!r) return
```
""",
    """# Repaint

```javascript
const r = Task({
  subagent_type: "general-purpose",
  prompt: `Go to ${page}.
Refactor the header into three parts.
Rename the classes along with it.
Return the list of parts.`
})
if (!r) return
```
""",
)

_ORDERS_CHANGE = re.compile(
    r"^\W*(?:\d+[.)]\s*)?(?:Refactor|Rewrite|Fix|Edit|Modify|Change|Update|Implement|Rename|Replace|Migrate|Delete|Remove)\b|(?:^|[。；])\s*(?:重构|修改|修复|更新|删除|实现|替换|迁移|改写)",
    re.MULTILINE,
)
_LINES = 3


def look(case: Case) -> Iterator[Evidence]:
    """Give each prompt that orders a change and sets no limit."""
    if not constraints(case.skill):
        return
    told = {(step.file.path, step.line) for step, _ in lost_in_prompts(case.skill)}
    for step in agent_steps(case.skill):
        bare = step.prompt.count("\n") >= _LINES and _ORDERS_CHANGE.search(step.prompt) and not sets_limits(step.prompt)
        if bare and (step.file.path, step.line) not in told and not points_to_rules(step.prompt, case.skill):
            yield Evidence(
                step.file.path,
                step.line,
                f"{step.name} is told to change things and given no limit.".replace("the s", "The s", 1),
                step.line_end,
            )
