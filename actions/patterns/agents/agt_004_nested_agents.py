"""A sub-agent that is told to start sub-agents.

What it sees: the prompt of a sub-agent that orders it to use the Task tool or to launch sub-agents or helpers of its own; as low,
prose that says so of a sub-agent, and a definition in `agents/` that sets others to work.

Why it is bad: sub-agents cannot start others: the order is passed over or fails, and the work that it should have done
is missing or made up.

Instead: let the sub-agent do the work itself, or let the main agent start them all.

May be wrong: on a platform whose sub-agents may start others.
"""

from collections.abc import Iterator

from actions.facts.agents.nesting import nested_orders, quoted_orders, told_to_nest
from actions.patterns.pattern import Evidence, Pattern
from actions.skill import Case
from schemas.vocabulary import Confidence, Family, Severity

PATTERN = Pattern(
    id="AGT-004",
    family=Family.AGENT,
    impact=("blocks", "easy"),
    confidence=Confidence.MEDIUM,
    strategies=("flatten_nesting",),
)

_CELLAR = "---\nname: cellarer\ndescription: Counts casks. Use when casks are counted.\n---\n\nYou count casks.\n"
_TASTER = "---\nname: taster\ndescription: Tastes a wine. Use when a wine is judged.\n---\n\nYou taste.\n\n"
BAD = (
    {
        "SKILL.md": "# Vineyard\n\nStart `taster` for each wine, then `cellarer`. When one fails, do its part yourself.\n",
        "agents/cellarer.md": _CELLAR,
        "agents/taster.md": _TASTER + "- Have cellarer count again when two numbers differ.\n",
    },
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
    """# Inventory

A general-purpose agent lists the packages. If it fails, list them yourself.

Tell it to start a further agent of its own for every package that is hard to read.
""",
    """# 清点

启动一个子代理清点全部包，失败时由自己清点。遇到大包时，子代理可以自行再派出子代理。
""",
    {
        "SKILL.md": "# Inventory\n\nLaunch the `lead` agent. If it fails, report it.\n",
        "agents/lead.md": "---\nname: lead\ndescription: Leads.\n---\n\nSplit the work. Spawn a sub-agent for each part.\n",
    },
    "# Hike\n\nOne general-purpose helper plans the way. Prompt:\n\n> From {a} to {b} on foot.\n> For the ferry, get yourself a helper of your own and let it read the timetable.\n> Reply in three lines.\n\nIf it fails, plan by hand.\n",
    "# 查税\n\n```python\nr = Agent(subagent_type='general-purpose', prompt=f'''核对 {path} 的税号。\n遇到拿不准的，另找几个助手分头查，最后由你汇总。''')\nif not r: stop()\n```\n",
    "# Audit\n\n```js\nconst r = Agent({ subagent_type: 'general-purpose', prompt: `Check the ledgers in ${dir}.\nFan the years out to helpers, one each, and gather what they say.` })\nif (!r) stop()\n```\n",
    "# Wiki\n\nAsk a general-purpose agent with this task; if it fails, do it by hand:\n\n```text\nRead the page and list its claims.\nHand each claim that you doubt to another assistant and wait for its verdict.\n```\n",
    "# Map\n\n```javascript\nTask({ prompt: `Map ${part}. For each of its rooms call Task() and merge what you get.` })\n```\n",
)
GOOD = (
    {
        "SKILL.md": "# Vineyard\n\nStart `taster` for each wine, then `cellarer`. When one fails, do its part yourself.\n",
        "agents/cellarer.md": _CELLAR,
        "agents/taster.md": _TASTER + "- Use the count of cellarer; do not start cellarer yourself.\n"
        "- If a cask is unknown, say so: the main session asks the cellarer agent.\n",
    },
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
    """# Inventory

A general-purpose agent lists the packages and names those that are hard to read; for those the main session then starts a
second agent. Sub-agents do not start others. If an agent fails, report it.
""",
    "# 清点\n\n由主代理为每个包派发一个子代理，子代理不得再派发子代理。子代理失败时报告。\n",
    "# Hike\n\nOne general-purpose helper plans the way. Prompt:\n\n> From {a} to {b} on foot. Work alone; start no helpers of your own.\n> Reply in three lines.\n\nIf it fails, plan by hand.\n",
    "# 查税\n\n```python\nr = Agent(subagent_type='general-purpose', prompt=f'''核对 {path} 的税号。\n不要再找别的帮手，拿不准的写在最后。''')\nif not r: stop()\n```\n",
    "# Rota\n\n```js\nconst r = Agent({ subagent_type: 'general-purpose', prompt: `Draw up the rota of the shop assistants in ${file}. Give each assistant two free days; ask for no helper by name.` })\nif (!r) stop()\n```\n",
    "# Kitchen\n\nThe recipe card reads:\n\n> Send a helper to the cellar for the wine.\n",
    "# Map\n\n```javascript\nfor (const part of parts) {\n  Task({ prompt: `Map ${part}. Do not call Task() yourself; answer with the path.` })\n}\n```\n",
    "# Reading\n\nEach chapter is read by a sub-agent of its own, so that none has to read two.\n",
)


def look(case: Case) -> Iterator[Evidence]:
    """Give the first nested order of each prompt."""
    for order in nested_orders(case.skill):
        message = f"{order.step.name[0].upper()}{order.step.name[1:]} is told to start sub-agents, which it cannot."
        yield Evidence(order.step.file.path, order.line, message)
    for file in case.skill.instructions:
        for line in quoted_orders(file):
            message = "The sub-agent with this prompt is told to start sub-agents, which it cannot."
            yield Evidence(file.path, line, message, severity=Severity.MEDIUM)
    for path, line in told_to_nest(case.skill):
        message = "A sub-agent is to start sub-agents here, which it cannot (low: prose may mean the main agent)."
        yield Evidence(path, line, message, severity=Severity.LOW)
