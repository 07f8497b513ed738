"""A sub-agent type that is not defined.

What it sees: a `subagent_type` that is neither a built-in type nor, where the skill ships an `agents/` folder or lists
its agent types in a table, one of those; and a type that is a built-in one misspelled.

Why it is bad: the call is refused, or the work goes to an agent that was not meant, and the step ends without a
result.

Instead: use the name exactly as it is defined, or define the agent beside the others.

May be wrong: agents of the project or of a plugin live outside the skill. So a type that the skill says nothing about
is low, and left alone where it is used more than once, where there are several, or where the skill speaks of such
agents; a type with a `plugin:` prefix is taken as it is.
"""

from collections.abc import Iterator

from actions.facts.agents.calls import BUILT_IN, agent_steps
from actions.facts.agents.types import defined_elsewhere, described, listed_types, meant_type, shipped_types
from actions.patterns.pattern import Evidence, Pattern
from actions.skill import Case
from schemas.vocabulary import Confidence, Family, Severity

PATTERN = Pattern(
    id="AGT-007",
    family=Family.AGENT,
    impact=("blocks", "easy"),
    confidence=Confidence.HIGH,
    strategies=("correct_agent_type",),
)

BAD = (
    """# Survey

```javascript
try {
  Task({ subagent_type: "general_purpose", prompt: `Survey the folder ${path} and name its owners.` })
} catch (error) {
  throw error
}
```
""",
    {
        "SKILL.md": """# Review

```python
try:
    Task(subagent_type="style-judge", prompt="Judge the style of every changed file.")
except Exception:
    raise
```
""",
        "agents/style-reviewer.md": "---\nname: style-reviewer\ndescription: Judges style.\n---\n\nJudge style.\n",
        "agents/test-reviewer.md": "---\nname: test-reviewer\ndescription: Judges tests.\n---\n\nJudge tests.\n",
    },
    """# 审查

## 代理

| 代理 (subagent_type) | 职责 |
|---|---|
| `code-scout` | 查找代码 |
| `doc-writer` | 撰写文档 |

使用 Task 工具启动 subagent_type="doc-editor" 撰写说明；失败时重试一次代理，然后报告。
""",
    """# Look around

Use the Task tool with subagent_type=Explorer to look around. If the agent fails, report it.
""",
    """# Letters

Have the `claims-adjuster` agent look at the loss. If it fails, treat the case as unclear.
""",
    {
        "SKILL.md": """# Review

## Agents

- `scout`: finds the files
- `writer`: writes the page

Then have the `editor` agent read the page. If an agent fails, report it.
""",
    },
)

GOOD = (
    """# Survey

```javascript
try {
  Task({ subagent_type: "general-purpose", prompt: `Survey the folder ${path}.` })
  Task({ subagent_type: "Explore", prompt: `Look through ${path}.` })
} catch (error) {
  throw error
}
```
""",
    {
        "SKILL.md": 'Use the Task tool with subagent_type="style-reviewer" on each file. If the agent fails, report it.\n',
        "agents/style-reviewer.md": "---\nname: style-reviewer\ndescription: Judges style.\n---\n\nJudge style.\n",
    },
    """# 审查

使用 Task 工具启动 subagent_type="security-auditor"（项目的 `.claude/agents/` 中定义）检查依赖；代理失败时报告。
""",
    """# Review

```javascript
const result = Task({ subagent_type: "acme-tools:reviewer", prompt: `Review ${file}.` })
if (!result) return
Task({ subagent_type: "<role>", prompt: `Review ${file} as <role>.` })
```
""",
)


def look(case: Case) -> Iterator[Evidence]:
    """Give each type that nothing defines, once per file."""
    steps = [step for step in agent_steps(case.skill) if step.type and ":" not in step.type]
    if not steps:
        return
    shipped, listed = shipped_types(case.skill), listed_types(case.skill)
    known = BUILT_IN | shipped | listed | described(case.skill)
    unknown = [step.type for step in steps if step.type not in known]
    stray = len(unknown) == 1 and not defined_elsewhere(case.skill)
    told: set[tuple[str, str]] = set()
    for step in steps:
        place = (step.file.path, step.type)
        if step.type in known or place in told:
            continue
        told.add(place)
        meant = meant_type(step.type, known)
        if meant:
            yield Evidence(
                step.file.path, step.line, f"There is no sub-agent type `{step.type}`; `{meant}` may be meant."
            )
        elif shipped or listed:
            where = "the skill's agents folder" if shipped else "the skill's list of agent types"
            message = f"The sub-agent type `{step.type}` is not in {where} (medium: the project may define it)."
            yield Evidence(step.file.path, step.line, message, severity=Severity.MEDIUM)
        elif stray:
            message = f"Nothing in the skill defines the sub-agent type `{step.type}` (low: the project may define it)."
            yield Evidence(step.file.path, step.line, message, severity=Severity.LOW, confidence=Confidence.MEDIUM)
