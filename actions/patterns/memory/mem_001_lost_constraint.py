"""A constraint that does not reach the work it binds.

What it sees: a binding sentence of SKILL.md (never, must, only; in the introduction or in a section of rules) that is
about the work of a sub-agent, while the prompt of that sub-agent neither carries it nor points to it; as low, a phase
file about the very thing that a constraint names, without the constraint or a pointer to the rules. Also a rule that an
early phase or step lays down for the rest of the run, while a later brief for a sub-agent, or (low) a later phase that
writes, does not carry it; and (low) a rule of one phase about what only a later one does, which never names its matter.

Why it is bad: a sub-agent never sees SKILL.md: what its prompt does not say does not bind it. In a long run even the
main agent follows the phase file that it read last.

Instead: repeat the constraint in the prompt, in one line; in a phase file, a line that points to the rules is enough.

May be wrong: when the constraint binds another part of the work than this prompt, or when a hook or a tool enforces it.
"""

from collections.abc import Iterator

from actions.facts.memory.constraints import Constraint, lost_in_phases, lost_in_prompts
from actions.facts.memory.lasting import forgotten, left_behind
from actions.facts.memory.stranded import stranded
from actions.patterns.pattern import Evidence, Pattern
from actions.skill import Case, Skill
from schemas.vocabulary import Confidence, Family, Severity

PATTERN = Pattern(
    id="MEM-001",
    family=Family.MEMORY,
    impact=("loses", "easy"),
    confidence=Confidence.MEDIUM,
    strategies=("constraint_injection",),
)

_SEATS = "# Plan\n\n## Phase 1: asking\n\nAsk who comes. Members with a crutch must always get a seat on the aisle.\n\n## Phase 2: sorting\n\nSort the list by date.\n\n## Phase 3: seats\n\n"
BAD = (
    _SEATS + "Give everybody a seat, the old ones near the stage.\n",
    {
        "SKILL.md": "# Archive\n\n1. [Intake](phases/1-intake.md)\n2. [Publish](phases/2-publish.md)\n",
        "phases/1-intake.md": "# Intake\n\nThe address of a living heir must never be made public; thieves read too.\n",
        "phases/2-publish.md": "# Publish\n\nWrite the catalogue: letter, place, date, owner.\n",
    },
    {
        "SKILL.md": "# Shafts\n\nMakes shaft reports. [1](phases/1-ask.md), [2](phases/2-drill.md)\n",
        "phases/1-ask.md": "# Ask\n\nA sealed shaft stays shut for the whole survey, whatever the map says.\n",
        "phases/2-drill.md": "# Drill\n\n```python\ntry:\n    r = Agent(subagent_type='general-purpose', prompt=f'Drill shaft {n} to the depth of {depth} metres. Rules: no explosives. Reply with a number.')\nexcept AgentError:\n    r = None\nif not is_number(r): stop()\n```\n",
    },
    "# 说明牌\n\n1. 确认：出借人的姓名一律不得出现在说明牌上。\n2. 请一个 general-purpose 子代理成文，任务里写明展品与篇幅，只回正文；失败时由自己写。\n",
    {
        "SKILL.md": "# Loans\n\n1. [Object](phases/1-object.md)\n2. [Agreement](phases/2-agreement.md)\n",
        "phases/1-object.md": "# Object\n\nWorks on paper must never be shown above 50 lux. This binds the borrower.\n",
        "phases/2-agreement.md": "# Agreement\n\nWrite the agreement: period, insurance, transport.\n",
    },
    """# Modernise

## Rules

- Never modify anything below `vendor/`.

## Step 1

```javascript
const done = Task({
  subagent_type: "general-purpose",
  description: "Modernise imports",
  prompt: `Go through ${folder} and replace each require call by an import.
Change the tests along with it.`
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
const r = Task({
  subagent_type: "general-purpose",
  prompt: `阅读 ${plan}，修改脚本并在生产数据库上重构查询。
完成后列出改动。`
})
if (!r) throw new Error("失败")
```
""",
    {
        "SKILL.md": """# Price list

## Constraints

- Prices in `prices.csv` must never drop below the purchase price.

[One](phases/01-read.md), [two](phases/02-compare.md), [three](phases/03-set.md)
""",
        "phases/01-read.md": "# Read\n\nLook at the market.\n",
        "phases/02-compare.md": "# Compare\n\nSort the offers.\n",
        "phases/03-set.md": "# Set the prices\n\nDrop each price in `prices.csv` to the cheapest offer.\n",
    },
)

GOOD = (
    _SEATS + "Give everybody a seat, the old ones near the stage, whoever has a crutch on the aisle.\n",
    {
        "SKILL.md": "# Shafts\n\nMakes shaft reports. [1](phases/1-ask.md), [2](phases/2-drill.md)\n",
        "phases/1-ask.md": "# Ask\n\nA sealed shaft stays shut for the whole survey, whatever the map says.\n",
        "phases/2-drill.md": "# Drill\n\n```python\ntry:\n    r = Agent(subagent_type='general-purpose', prompt=f'Drill shaft {n} to {depth} metres. Rules: no explosives; leave sealed ones alone. Reply with a number.')\nexcept AgentError:\n    r = None\nif not is_number(r): stop()\n```\n",
    },
    {
        "SKILL.md": "# Shafts\n\n## Rules\n\n- A deep shaft is drilled only with a permit of the county.\n",
        "phases/2-drill.md": "# Drill\n\n```python\nr = Agent(subagent_type='general-purpose', prompt='Note the depth as specs/record.md says.')\nif not r: stop()\n```\n",
        "specs/record.md": "# Record\n\n- shaft: its number\n- permit: of the county\n- deep: true or false\n",
    },
    "# 说明牌\n\n1. 确认：出借人的姓名一律不得出现在说明牌上。\n2. 请一个 general-purpose 子代理成文，任务里写明篇幅，以及不得出现出借人的姓名；失败时由自己写。\n",
    {
        "SKILL.md": "# Loans\n\n1. [Object](phases/1-object.md)\n2. [Agreement](phases/2-agreement.md)\n",
        "phases/1-object.md": "# Object\n\nWorks on paper must never be shown above 50 lux. This binds the borrower.\n",
        "phases/2-agreement.md": "# Agreement\n\nWrite the agreement: period, insurance, and the 50 lux for works on paper.\n",
    },
    """# Modernise

## Rules

- Never modify anything below `vendor/`.

```javascript
const done = Task({
  subagent_type: "general-purpose",
  prompt: `Go through ${folder} and replace each require call by an import.
Leave vendor/ alone.`
})
if (!done) return
```
""",
    """# Obituary

## Rules

- Never print the age of a relative.

```python
text = Task(subagent_type="general-purpose", prompt=f"Write the notice about {who}. No ages of relatives.")
if not text: raise SystemExit
```
""",
    """# Newsletter

## Rules

- All texts must be written in plain British English.
- Always ask the user before a phase begins.

```python
draft = Task(subagent_type="general-purpose", prompt=f"Write one paragraph about each event. Rules: {rules}")
if not draft: raise SystemExit
```

```python
found = Task(subagent_type="Explore", prompt="Look for the list of events and give its path.")
if not found: raise SystemExit
```
""",
    {
        "SKILL.md": """# Price list

## Constraints

- Prices in `prices.csv` must never drop below the purchase price.

[One](phases/01-read.md), [two](phases/02-compare.md), [three](phases/03-set.md)
""",
        "phases/01-read.md": "# Read\n\nLook at the market.\n",
        "phases/02-compare.md": "# Compare\n\nSort the offers.\n",
        "phases/03-set.md": "# Set the prices\n\nKeep to the constraints in SKILL.md. Lower each row of `prices.csv`.\n",
    },
    "# Choir\n\nThree rules always hold: only scores in print, no arranger on `barred.txt`, at most 90 pages a term.\n\n"
    "```javascript\nTask({ subagent_type: 'general-purpose', prompt: `List the scores for ${concert}. Only scores in print, "
    "no arranger on barred.txt, at most 90 pages in all.` })\n```\n",
)


def look(case: Case) -> Iterator[Evidence]:
    """Give each prompt and each phase file that lacks a constraint."""
    seen: set[tuple[str, int]] = set()
    for step, lost in lost_in_prompts(case.skill):
        seen.add((step.file.path, step.line))
        yield Evidence(
            step.file.path,
            step.line,
            _message(lost[0].rule.text, "This prompt does not carry"),
            step.line_end,
            _also(lost),
        )
    told = list(_forgotten(case.skill, seen))
    yield from told
    yield from _stranded(case.skill, " ".join(place for evidence in told for place in evidence.also))
    for file, lost in lost_in_phases(case.skill):
        message = (
            _message(lost[0].rule.text, "This phase neither carries nor points to")
            + " (low: SKILL.md is in the same context)"
        )
        yield Evidence(file.path, file.doc.body_start, message, also=_also(lost), severity=Severity.LOW)


def _forgotten(skill: Skill, seen: set[tuple[str, int]]) -> Iterator[Evidence]:
    """Give the briefs, then the later phases, that do not carry a rule which is laid down for the rest of the run."""
    pairs = [(*pair, None) for pair in forgotten(skill)]
    low = [(*pair, Severity.LOW) for pair in left_behind(skill)]
    for brief, rule, severity in (*pairs, *low):
        if (brief.file.path, brief.line) not in seen:
            seen.add((brief.file.path, brief.line))
            message = f"This does not carry a rule of {rule.file.path}:{rule.line}: “{rule.text[:160]}”"
            also = (f"{rule.file.path}:{rule.line}: {rule.text[:160]}",)
            yield Evidence(brief.file.path, brief.line, message, brief.line_end, also, severity=severity)


def _stranded(skill: Skill, told: str) -> Iterator[Evidence]:
    """Give the rules, but those that are `told` of, that stand in an early stage and bind the work of a later one."""
    for rule in stranded(skill):
        if f"{rule.file.path}:{rule.line}: " not in told:
            message = (
                f"This binds “{rule.stage}”, and nothing from there on names it (low: whoever reads may remember)."
            )
            yield Evidence(rule.file.path, rule.line, message, severity=Severity.LOW)


def _message(rule: str, fault: str) -> str:
    return f"{fault} a constraint of SKILL.md: “{rule[:160]}”"


def _also(lost: tuple[Constraint, ...]) -> tuple[str, ...]:
    return tuple(f"SKILL.md:{c.rule.line}: {c.rule.text[:160]}" for c in lost)
