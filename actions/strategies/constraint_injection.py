"""Repeats a constraint of SKILL.md where the work is done that it binds: in the prompt, or as a pointer in the phase."""

import posixpath
import re

from actions.facts.agents.calls import AgentStep, agent_steps
from actions.facts.memory.constraints import Constraint, constraints, lost_in_phases, lost_in_prompts
from actions.skill import Case, Section, Skill, SkillFile
from actions.skill.text import is_chinese, strip_list_mark
from actions.strategies.edits import Edit, edit, indent_of, reworded
from actions.strategies.strategy import Draft, Strategy
from schemas.issues import Issue
from schemas.vocabulary import Risk

STRATEGY = Strategy("constraint_injection", mends=("MEM-001", "MEM-002"), risk=Risk.LOW)

BEFORE = (
    """# Modernise

## Rules

- Never modify anything below `vendor/`.

## Step 1

```javascript
const done = Task({
  subagent_type: "general-purpose",
  description: "Modernise imports",
  prompt: `Go through ${folder} and replace each require call by an import.

Requirements:
- Change the tests along with it.
- Keep one import per line.

Return the list of changed modules.`
})
if (!done) return
```
""",
    {
        "SKILL.md": """# Newsletter

All texts must be written in plain British English.

1. [Collect](phases/01-collect.md)
2. [Write](phases/02-write.md)

If a sub-agent fails, run it once more and then report it.
""",
        "phases/01-collect.md": "# Collect\n\nList the events of the month.\n",
        "phases/02-write.md": """# Write

```python
draft = Task(
    subagent_type="general-purpose",
    prompt=f\"\"\"Write one paragraph about each event in {events}.
Keep it short.\"\"\",
)
```
""",
    },
    """# 数据迁移

## 约束

- 禁止修改生产数据库的表结构。

## 执行

```javascript
const r = Task({ subagent_type: "general-purpose", prompt: "阅读迁移计划，修改脚本并在生产数据库上重构查询，完成后列出改动。" })
if (!r) throw new Error("失败")
```
""",
    {
        "SKILL.md": """# Price list

## Hard constraints

- Prices in `prices.csv` must never drop below the purchase price.

[One](phases/01-read.md), [two](phases/02-compare.md), [three](phases/03-set.md)
""",
        "phases/01-read.md": "# Read\n\nLook at the market.\n",
        "phases/02-compare.md": "# Compare\n\nSort the offers.\n",
        "phases/03-set.md": "# Set the prices\n\nDrop each price in `prices.csv` to the cheapest offer.\n",
    },
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

AFTER = (
    """# Modernise

## Rules

- Never modify anything below `vendor/`.

## Step 1

```javascript
const done = Task({
  subagent_type: "general-purpose",
  description: "Modernise imports",
  prompt: `Go through ${folder} and replace each require call by an import.

Requirements:
- Change the tests along with it.
- Keep one import per line.
- Never modify anything below vendor/.

Return the list of changed modules.`
})
if (!done) return
```
""",
    {
        "SKILL.md": """# Newsletter

All texts must be written in plain British English.

1. [Collect](phases/01-collect.md)
2. [Write](phases/02-write.md)

If a sub-agent fails, run it once more and then report it.
""",
        "phases/01-collect.md": "# Collect\n\nList the events of the month.\n",
        "phases/02-write.md": """# Write

```python
draft = Task(
    subagent_type="general-purpose",
    prompt=f\"\"\"Write one paragraph about each event in {events}.
Keep it short.
All texts must be written in plain British English.\"\"\",
)
```
""",
    },
    """# 数据迁移

## 约束

- 禁止修改生产数据库的表结构。

## 执行

```javascript
const r = Task({ subagent_type: "general-purpose", prompt: "阅读迁移计划，修改脚本并在生产数据库上重构查询，完成后列出改动。禁止修改生产数据库的表结构。" })
if (!r) throw new Error("失败")
```
""",
    {
        "SKILL.md": """# Price list

## Hard constraints

- Prices in `prices.csv` must never drop below the purchase price.

[One](phases/01-read.md), [two](phases/02-compare.md), [three](phases/03-set.md)
""",
        "phases/01-read.md": "# Read\n\nLook at the market.\n",
        "phases/02-compare.md": "# Compare\n\nSort the offers.\n",
        "phases/03-set.md": """# Set the prices

Keep to the rules in [SKILL.md](../SKILL.md#hard-constraints).

Drop each price in `prices.csv` to the cheapest offer.
""",
    },
    """# 整理

## 约束

- 图片宽度必须小于 1200 像素。

```python
r = Task(subagent_type="general-purpose", prompt=\"\"\"打开 {page}。
重构页眉。
拆分为三个部件。
返回部件列表。
图片宽度必须小于 1200 像素。\"\"\")
if not r: raise SystemExit
```
""",
)

_MOST = 5
_FEW = 2
_LIST_TITLE = re.compile(
    r"^\W*(?:\w+ ){0,3}(?:rules?|constraints?|requirements?|guidelines?|important|must(?: not)?|do not|limits?|boundaries)\W*$"
    r"|^\W*.{0,6}(?:规则|约束|要求|准则|限制|注意事项?).{0,6}$",
    re.IGNORECASE,
)
_ITEM = re.compile(r"^(\s*)([-*•]|\d+[.)、])(\s+)(?=\S)")
_SLUG = re.compile(r"[^\w\- ]")


def propose(issue: Issue, case: Case) -> Draft | None:
    """Carry the lost constraints into the prompt, or point the phase file to them."""
    place = (issue.location.file, issue.location.line_start)
    for step, lost in lost_in_prompts(case.skill):
        if (step.file.path, step.line) == place:
            return _draft(step.file, _into_prompt(step, lost), lost)
    for file, lost in lost_in_phases(case.skill):
        if (file.path, file.doc.body_start) == place:
            return _draft(file, _into_phase(file, lost, case.skill), lost)
    return _few(case.skill, place) if issue.pattern == "MEM-002" else None


def _few(skill: Skill, place: tuple[str, int | None]) -> Draft | None:
    """Carry all constraints of a skill that sets one or two into a prompt without any; more would need a choice."""
    all_of_them = constraints(skill)
    step = next((s for s in agent_steps(skill) if (s.file.path, s.line) == place), None)
    if step is None or len(all_of_them) > _FEW:
        return None
    return _draft(step.file, _into_prompt(step, all_of_them), all_of_them)


def _draft(file: SkillFile, edits: list[Edit], lost: tuple[Constraint, ...]) -> Draft | None:
    if not edits or len(lost) > _MOST:
        return None
    return Draft(
        writes={file.path: edit(file, edits)},
        description=f"Carries {len(lost)} constraint{'s' if len(lost) > 1 else ''} of SKILL.md to the work that must keep to it.",
        rationale="A sub-agent never sees SKILL.md, and a long run follows the text that was read last.",
        impact="The constraint binds where it matters.",
        token_limit=40 + sum(len(c.rule.text) for c in lost),
        rewrites=reworded(file, edits),
    )


def _into_prompt(step: AgentStep, lost: tuple[Constraint, ...]) -> list[Edit]:
    """Add the constraints to the prompt's own list of rules; without one, at its end."""
    doc = step.file.doc
    last = next((n for n in range(step.line_end, step.line - 1, -1) if _tail(step.prompt) in doc.line(n)), 0)
    rules = [_for_string(c.rule.text, _mark(doc.line(last), step.prompt)) for c in lost]
    if not last or not all(rules):
        return []
    if "\n" not in step.prompt:
        gap = "" if is_chinese(step.prompt) else " "
        ended = step.prompt.rstrip().endswith((".", "。", "!", "?", "！", "？", ":", "："))
        stop = "" if ended else ("。" if gap == "" else ".")
        line = doc.line(last)
        at = line.index(_tail(step.prompt)) + len(_tail(step.prompt))
        return [Edit(last, last, [line[:at] + stop + gap + gap.join(rules) + line[at:]])]
    first = last - step.prompt.rstrip().count("\n")
    item = _last_item(step.file, first, last)
    if item and item < last:
        return [Edit(item + 1, item, _items(doc.line(item), rules))]
    line = doc.line(last)
    at = line.index(_tail(step.prompt)) + len(_tail(step.prompt))
    new = _items(line, rules) if item else [indent_of(line) + rule for rule in rules]
    return [Edit(last, last, [line[:at], *new[:-1], new[-1] + line[at:]])]


def _tail(prompt: str) -> str:
    return prompt.rstrip().rsplit("\n", 1)[-1]


def _mark(line: str, prompt: str) -> str:
    rest = line[line.find(_tail(prompt)) + len(_tail(prompt)) :].lstrip()
    return rest[:1]


def _for_string(rule: str, mark: str) -> str:
    """Give a rule as it may stand in a string: no markup, no braces, no quote that would end the string."""
    text = re.sub(r"[*`]", "", strip_list_mark(rule)).strip()
    if mark in ("'", '"') and mark in text:
        text = text.replace('"', "'") if mark == '"' else text.replace("'", "’")
    return "" if re.search(r"[{}\\$]", text) else text


def _last_item(file: SkillFile, first: int, last: int) -> int:
    """Give the line of the last item of the prompt's list of rules; 0 without one."""
    for number in range(first, last):
        if _LIST_TITLE.match(file.doc.line(number).rstrip(":： ")):
            start = next((n for n in range(number + 1, last + 1) if file.doc.line(n).strip()), 0)
            item = 0
            while start and start <= last and _ITEM.match(file.doc.line(start)):
                item, start = start, start + 1
            if item:
                return item
    return 0


def _items(line: str, rules: list[str]) -> list[str]:
    match = _ITEM.match(line)
    if match is None:
        return rules
    lead, mark, gap = match.groups()
    if not mark[0].isdigit():
        return [f"{lead}{mark}{gap}{rule}" for rule in rules]
    number = int(mark[:-1])
    return [f"{lead}{number + i}{mark[-1]}{gap}{rule}" for i, rule in enumerate(rules, 1)]


def _into_phase(file: SkillFile, lost: tuple[Constraint, ...], skill: Skill) -> list[Edit]:
    """Point to the section of the rules, in a paragraph under the phase's title."""
    section = _section(skill, lost[0])
    title = next((s for s in file.doc.sections if s.level == 1), None)
    if title is None:
        return []
    anchor = f"#{_SLUG.sub('', section.title.lower()).strip().replace(' ', '-')}" if section.level > 1 else ""
    target = posixpath.relpath("SKILL.md", posixpath.dirname(file.path) or ".") + anchor
    said = (
        f"遵守 [SKILL.md]({target}) 中的规则。"
        if is_chinese(file.text)
        else f"Keep to the rules in [SKILL.md]({target})."
    )
    return [Edit(title.start + 1, title.start, ["", said])]


def _section(skill: Skill, constraint: Constraint) -> Section:
    return skill.main.doc.section_at(constraint.rule.line)
