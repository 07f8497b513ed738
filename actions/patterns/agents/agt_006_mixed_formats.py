"""Sub-agents that answer in several formats.

What it sees: prompts of one file that ask for different forms of answer: JSON from one, Markdown from another.

Why it is bad: whoever joins the answers must read each in its own way, and fields get lost between the forms.

Instead: ask all of them for one form, and write it down once.

May be wrong: when the answers are never joined. So it is low.
"""

from collections.abc import Iterator

from actions.facts.agents.calls import AgentStep, agent_steps
from actions.model import Case
from actions.model import regex as re
from actions.patterns.pattern import Evidence, Pattern
from schemas.vocabulary import Confidence, Family

PATTERN = Pattern(id="AGT-006", family=Family.AGENT, impact=("every_run",), confidence=Confidence.MEDIUM)

BAD = (
    """# Review

```javascript
const a = Task({ subagent_type: "general-purpose", prompt: `Check the names in ${dir}. Return JSON with file and line.` })
const b = Task({ subagent_type: "general-purpose", prompt: `Check the tests in ${dir}. Return a Markdown table.` })
if (!a || !b) return
merge(a, b)
```
""",
    """# 审查

```python
a = Task(subagent_type="general-purpose", prompt="检查命名，以 JSON 格式返回结果，包含文件与行号。")
b = Task(subagent_type="general-purpose", prompt="检查测试，以 Markdown 表格返回结果，按文件排序。")
if not a: raise SystemExit
```
""",
)
GOOD = (
    """# Review

```javascript
const a = Task({ subagent_type: "general-purpose", prompt: `Check the names in ${dir}. Return JSON with file and line.` })
const b = Task({ subagent_type: "general-purpose", prompt: `Check the tests in ${dir}. Return JSON with file and line.` })
if (!a || !b) return
```
""",
    """# Review

```javascript
const a = Task({ subagent_type: "general-purpose", prompt: `Check the names of every Markdown file in ${dir}.` })
if (!a) return
const b = Task({ subagent_type: "general-purpose", prompt: `Check the tests in ${dir}. Return JSON with file and line.` })
if (!b) return
```
""",
)

_ORDER = r"(?:return|respond|reply|answer|output|report)\b[^.\n]{{0,30}}\b{form}|以\s*{form}[^。\n]{{0,8}}(?:返回|输出|回答)|返回\s*{form}"
_FORMS = {
    name: re.compile(_ORDER.format(form=form), re.IGNORECASE)
    for name, form in {"JSON": "JSON", "Markdown": "Markdown", "YAML": "YAML", "XML": "XML", "CSV": "CSV"}.items()
}


def look(case: Case) -> Iterator[Evidence]:
    """Give, for each file, the first prompt whose form differs from the first form asked for."""
    asked: dict[str, tuple[AgentStep, str]] = {}
    told: set[str] = set()
    for step in agent_steps(case.skill):
        upper = step.prompt.upper()
        forms = {name for name, order in _FORMS.items() if name.upper() in upper and order.search(step.prompt)}
        path = step.file.path
        if len(forms) != 1 or path in told:
            continue
        form = forms.pop()
        first, known = asked.setdefault(path, (step, form))
        if form != known:
            told.add(path)
            yield Evidence(
                path, step.line, f"This sub-agent answers in {form}, the one in line {first.line} in {known}."
            )
