"""A tool that is used and not in allowed-tools.

What it sees: a skill with `allowed-tools` whose pseudo-code calls, or whose prose orders, a tool that the list lacks.

Why it is bad: the run stops to ask for permission in the middle of its work, and without a person there it fails.

Instead: add the tool to the list; or drop the call.

May be wrong: when the tool is left out on purpose, so that a person is asked. The tools that never ask (Agent, also called Task, and MCP
tools of a server that is allowed) are low.
"""

from collections.abc import Iterator

from actions.facts.agents.tools import ASKS_FIRST, undeclared
from actions.patterns.pattern import Evidence, Pattern
from actions.skill import Case
from schemas.vocabulary import Confidence, Family, Severity

PATTERN = Pattern(
    id="AGT-005",
    family=Family.AGENT,
    impact=("every_run", "easy"),
    confidence=Confidence.HIGH,
    strategies=("declare_tools",),
)

_HEAD = "---\nname: example\ndescription: Does one thing well. Use when that thing is asked for.\nallowed-tools: {tools}\n---\n\n"
BAD = (
    _HEAD.format(tools="Read, Grep")
    + """# Tidy

```javascript
const notes = Read("notes.md")
Write("notes.md", tidy(notes))
```
""",
    _HEAD.format(tools="Read Glob")
    + """# Look it up

Use the WebSearch tool to find the current release, then read its notes.
""",
    _HEAD.format(tools="[Read, Write]")
    + """# Notify

2. Post the notice with `Bash("curl -d @notice.json $HOOK")`.
""",
    _HEAD.format(tools="Read")
    + """# Weather

If there is an address, fetch it with `WebFetch(address)` and note the wind.
""",
    _HEAD.format(tools="Read")
    + """# Parcels

1. Run `Bash(ls -la)` to see what is there.
2. Search the web with WebSearch for the postal code of the town.
""",
    _HEAD.format(tools="[Read, Write]")
    + """# 构建

```python
Bash("make all")
Write("log.txt", log)
```
""",
    _HEAD.format(tools="Read, Glob")
    + """# Photos

1. List the photos with Glob and look at each with Read.
2. For a landmark that you do not know, use WebSearch with a description of it.
""",
    _HEAD.format(tools="Read, Grep")
    + """# 轮转

1. 用 Grep 找出没有 `rotate` 的规则。
2. 征得用户同意后，用 Edit 补上缺的两行。
""",
    _HEAD.format(tools="Read")
    + """# Cluster

Submit the job with `python scripts/submit.py --long`, then read its log.
""",
    "---\nname: example\ndescription: Does one thing well. Use when that thing is asked for.\nallowed-tools: Read, Grep\n---\n\n# X\n\n1. Find the rows.\n2. Using Edit replace them one by one.\n",
    "---\nname: example\ndescription: Does one thing well. Use when that thing is asked for.\nallowed-tools: Read, Grep\n---\n\n# X\n\n1. Read the file, Edit the second line, and show it.\n",
    "---\nname: example\ndescription: Does one thing well. Use when that thing is asked for.\nallowed-tools: Read, Grep\n---\n\n# X\n\n- Via Bash start the server.\n",
)
GOOD = (
    _HEAD.format(tools="Agent, Read")
    + """# Ask

```javascript
const r = Task({ subagent_type: "general-purpose", prompt: `Read ${letter} and give its date.` })
if (!r) stop()
```
""",
    _HEAD.format(tools="Task, Read")
    + """# Ask

```python
reply = Agent(subagent_type="general-purpose", prompt=f"Read {letter} and give its date.")
```
""",
    _HEAD.format(tools="Read, Write(notes/**)")
    + """# Tidy

```javascript
Write("notes/today.md", tidy(Read("notes.md")))
```
""",
    """# Tidy

```javascript
Write("notes/today.md", tidy(Read("notes.md")))
```
""",
    _HEAD.format(tools="Bash(git status:*), Bash(git diff:*)")
    + """# Status

```
Bash("git status --short")
```

The Write tool is not needed here. `WebFetch(address)` is what others use; read the page
instead of using WebSearch, which WebFetch would follow. Never look it up with WebSearch. ours is run with `Bash(git:*)` alone. Never call `Edit("notes.md")`; `Write(notes/**)` is a permission.
""",
    _HEAD.format(tools="Read")
    + """# Letters

Write in short words. Edit nothing; do not use the Write tool. The user runs `npm test` himself. Use Bash syntax in examples.
""",
    "---\nname: example\ndescription: Does one thing well. Use when that thing is asked for.\nallowed-tools: Read, Grep\n---\n\n# X\n\nWith Bash scripts the user can do it himself. Write access is not needed. Edit mode is off. Read it, write it out in words.\n",
    "---\nname: example\ndescription: Does one thing well. Use when that thing is asked for.\nallowed-tools: Read, Grep\n---\n\n# X\n\nOpen Edit > Find in the menu and look.\n",
)


def look(case: Case) -> Iterator[Evidence]:
    """Give each missing tool at its first use."""
    for use in undeclared(case.skill):
        message = f"`{use.tool}` is used here and is not in allowed-tools"
        if use.tool in ASKS_FIRST:
            yield Evidence(use.file.path, use.line, message + ".")
        else:
            yield Evidence(use.file.path, use.line, message + " (low: it may not ask).", severity=Severity.LOW)
