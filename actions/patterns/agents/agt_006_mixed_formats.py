"""Sub-agents that answer in several formats.

What it sees: prompts, sentences or rows of a table in one file that ask sub-agents for different forms of answer: JSON
from one, Markdown from another; and a place that leaves the form to the sub-agent.

Why it is bad: whoever joins the answers must read each in its own way, and fields get lost between the forms.

Instead: ask all of them for one form, and write it down once.

May be wrong: when the answers are never joined. So it is low.
"""

from collections.abc import Iterator

from actions.facts.agents.formats import Asked, asked_forms
from actions.patterns.pattern import Evidence, Pattern
from actions.skill import Case
from schemas.vocabulary import Confidence, Family

PATTERN = Pattern(id="AGT-006", family=Family.AGENT, impact=("every_run",), confidence=Confidence.MEDIUM)

BAD = (
    "# Clinic\n\nOne agent per animal; if it fails, note it.\n\nFor dogs it answers with a JSON object; for cats with a Markdown table; for birds a short paragraph will do.\n",
    "# 植物\n\n每块地派一个子代理，失败就跳过。\n\n温室的用 JSON 回答，露地的用 Markdown 表格回答。\n",
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
    """# Fossils

A general-purpose agent compares the find with the plates; if it fails, compare them yourself. It answers in YAML. For rare
genera it is asked for a Markdown table instead.
""",
    """# 合同

两个子代理各看一半条款，失败时由自己补看。返回形式不作限定，JSON、表格或者一段话都可以。
""",
    """# Review

| Agent | Looks at | Returns |
|---|---|---|
| names | names | JSON |
| tests | tests | a Markdown table |

Launch the agents of the table; if one fails, report it.
""",
    "# Tide\n\nThree helpers, one per coast.\n\n- north: replies in JSON\n- south: replies in YAML\n- west: replies in CSV\n\nJoin the replies. If one fails, leave it out.\n",
    "# 潮\n\n派三个帮手：\n\n- 北岸：回 JSON。\n- 南岸：回 CSV。\n\n失败的跳过，最后合成一张表。\n",
    "# 查\n\n派两个子代理去查，一个用 JSON 回，一个写成一段话回。失败就跳过。\n",
)
GOOD = (
    "# Clinic\n\nOne agent per animal; if it fails, note it. It answers with a JSON object for each dog, and a table of them all is made for the owner.\n",
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
    """# Review

| Agent | Looks at | Returns |
|---|---|---|
| names | names | JSON |
| tests | tests | JSON |

Launch the agents of the table; if one fails, report it. Then write the report for the user as a Markdown table.
""",
    "# Tide\n\nThree helpers, one per coast.\n\n- north: replies in JSON\n- south: replies in JSON\n\nWrite the report as CSV for the user. If one fails, leave it out.\n",
    "# Save\n\nHelper functions:\n\n- `dump`: outputs JSON\n- `table`: outputs CSV\n",
    "# Ask\n\nOne agent reads the list; if it fails, skip it. It replies in JSON, one object for each row, the other rows are left out.\n",
)


def look(case: Case) -> Iterator[Evidence]:
    """Give, for each file, the first place that asks for another form than the first one, or leaves the choice."""
    first: dict[str, Asked] = {}
    told: set[str] = set()
    for asked in asked_forms(case.skill):
        path = asked.file.path
        if path in told:
            continue
        if len(asked.forms) > 1:
            told.add(path)
            yield Evidence(path, asked.line, f"A sub-agent may answer in {' or '.join(asked.forms)}.")
            continue
        before = first.setdefault(path, asked)
        if asked.forms != before.forms:
            told.add(path)
            message = f"This sub-agent answers in {asked.forms[0]}, the one in line {before.line} in {before.forms[0]}."
            yield Evidence(path, asked.line, message)
