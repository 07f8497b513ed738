"""A task without constraints.

What it sees: a prompt of several lines that orders a sub-agent to change something and sets no limit at all, in a skill
whose SKILL.md does set constraints; and a short brief, in code, in prose or quoted below a line that hands it over, that has none of the constraints which
SKILL.md lists, or not the ones that other sub-agents are given.

Why it is bad: the sub-agent sees only its prompt, and takes whatever is not forbidden there as allowed.

Instead: say in the prompt what to leave alone and what must hold.

May be wrong: when none of the constraints touches this task. So it is low; a constraint that clearly does is MEM-001.
"""

import re
from collections.abc import Iterator

from actions.facts.agents.calls import agent_steps
from actions.facts.memory.briefs import bare_briefs
from actions.facts.memory.constraints import constraints, lost_in_prompts, points_to_rules, sets_limits
from actions.patterns.pattern import Evidence, Pattern
from actions.skill import Case
from schemas.vocabulary import Confidence, Family

PATTERN = Pattern(
    id="MEM-002",
    family=Family.MEMORY,
    impact=("every_run",),
    confidence=Confidence.MEDIUM,
    strategies=("constraint_injection",),
)

BAD = (
    "# Catalogue\n\nThe customer's constraints: prices without tax, no photographs of people, formal address.\n\n```js\ntry {\n  r = Task({ subagent_type: 'general-purpose', prompt: `Write the page of ${item} to ${target}.` })\n} catch (e) { tell(e) }\n```\n",
    "# 造船\n\n三条底线贯穿始终：只用本地木料；不用铁钉；每单不超过四十块。\n\n```python\ntry:\n    r = Task(subagent_type='general-purpose', prompt=f'为 {ship} 选料并拟定订单。')\nexcept AgentError:\n    r = None\n```\n",
    "# Beds\n\nWhat holds throughout:\n\n- only seeds from the upper valley\n- no hybrids\n\n```js\ntry {\n  r = Task({ subagent_type: 'general-purpose', prompt: `Find the seeds for ${bed} in ${stock}.` })\n} catch (e) { tell(e) }\n```\n",
    "# Seals\n\nRules: no wax on paper older than 1800; at most 20 seals a day.\n\nSend one general-purpose helper per drawer, with these words:\n\n> Write drawers/{n}.csv from the photographs in photos/{n}.\n> Answer with the number of seals.\n\nA helper that fails is named to the user.\n",
    "# 合唱\n\n规矩：低音不低于 E；歌词一个字也不改。\n\n每个声部派一个 general-purpose 帮手，交代如下：\n\n```\n把 score/{v}.xml 排成分谱，写到 parts/{v}.pdf。\n```\n\n失败就告诉用户。\n",
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
    '# Recipes\n\nConstraints: metric units only; no nuts.\n\n1. Give a general-purpose agent this task: "Write a recipe for the dish, with steps and times." If it fails, write it yourself.\n',
    "# 菜单\n\n1. 请一个 general-purpose 子代理拟主菜，任务中附上 `limits`，失败则自己拟。\n2. 请一个 general-purpose 子代理拟甜点，任务为“拟四道甜点，写明做法”，失败则自己拟。\n",
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
    "# Bees\n\n```js\nfunction runAgent(type, description, prompt) {\n  try {\n    return Task({ subagent_type: type, description, prompt })\n  } catch (e) { stop(e) }\n}\nrunAgent('hive-writer', 'draft of the notes', `Hive: ${hive}\nConstraints: ${state.constraints.join('; ')}\nWrite notes.md.`)\nrunAgent('hive-planner', 'a plan of the season', `Plan the season of ${hive} within ${state.constraints}. Write plan.md.`)\n```\n",
    "# Beds\n\nWhat holds throughout:\n\n- only seeds from the upper valley\n- no hybrids\n\n```js\ntry {\n  r = Task({ subagent_type: 'general-purpose', prompt: `Find the seeds for ${bed} in ${stock}: of the upper valley, no hybrids.` })\n} catch (e) { tell(e) }\n```\n",
    "# Beds\n\nThe stock has three shelves: seeds, bulbs, tools. What to look at:\n\n- the seeds\n- the frost, if there is any\n\n```js\ntry {\n  r = Task({ subagent_type: 'general-purpose', prompt: `Find the seeds for ${bed} in ${stock}.` })\n} catch (e) { tell(e) }\n```\n",
    "# Seals\n\nRules: no wax on paper older than 1800; at most 20 seals a day.\n\nSend one general-purpose helper per drawer, with these words:\n\n> Write drawers/{n}.csv from the photographs in photos/{n}.\n> No wax on old paper, stop after 20 seals.\n\nA helper that fails is named to the user.\n",
    "# Seals\n\nRules: no wax on paper older than 1800; at most 20 seals a day.\n\nThe helper prints a text like this:\n\n    wrote 20 rows\n",
    '# Recipes\n\nConstraints: metric units only; no nuts.\n\n1. Give a general-purpose agent this task: "Write a recipe for the dish, in metric units and without nuts." If it fails, write it yourself.\n',
    "# 菜单\n\n1. 请一个 general-purpose 子代理拟主菜，任务中附上 `limits`，失败则自己拟。\n2. 请一个 general-purpose 子代理查找食材的产地，任务为“列出产地”，失败则跳过。\n",
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
    """Give each brief without what binds the work, then each prompt that orders a change and sets no limit."""
    seen: set[tuple[str, int]] = set()
    for bare in bare_briefs(case.skill):
        brief = bare.brief
        seen.add((brief.file.path, brief.line))
        message = f"This sub-agent is not told what binds the work: {'; '.join(bare.rules)[:200]}"
        yield Evidence(brief.file.path, brief.line, message, brief.line_end)
    if not constraints(case.skill):
        return
    told = seen | {(step.file.path, step.line) for step, _ in lost_in_prompts(case.skill)}
    for step in agent_steps(case.skill):
        unbound = (
            step.prompt.count("\n") >= _LINES and _ORDERS_CHANGE.search(step.prompt) and not sets_limits(step.prompt)
        )
        if unbound and (step.file.path, step.line) not in told and not points_to_rules(step.prompt, case.skill):
            yield Evidence(
                step.file.path,
                step.line,
                f"{step.name} is told to change things and given no limit.".replace("the s", "The s", 1),
                step.line_end,
            )
