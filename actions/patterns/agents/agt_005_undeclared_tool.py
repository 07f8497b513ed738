"""A tool is used but not listed in `allowed-tools`.

It is:
- a skill with `allowed-tools` whose code calls a tool that the list lacks (proven)
- a skill with `allowed-tools` whose steps say to use a tool, named in the text, that the list lacks
It is not:
- a skill without `allowed-tools`
- a tool that the list covers by another name or a pattern: Task and Agent, `Bash(git:*)`, `mcp__github`, `*`
- a tool that a sub-agent is to use (in its prompt, or in a table or a paragraph about sub-agents), or that the text only mentions
- a tool that a later session is to use
- a row of a table with the form of a call, such as `Skill(name)`
- an edit of the skill's own files, or a sample of one: its path and both texts are fixed
- a tool that is left out on purpose, so that the user is asked each time
- a tool that needs no permission: Read, Grep, Glob, Task, TodoWrite, AskUserQuestion
Why it is bad: Unless the user's own settings allow the tool, the run stops in the middle of its work to ask for
permission; if no one can answer, the call is denied.
Instead: Add the tool to the list, or remove the call.
"""

from collections.abc import Iterator

from actions.case import Case
from actions.patterns.pattern import Finding, Pattern
from actions.skill.tools import KEY, PERMISSION_FREE_TOOLS, find_unlisted_tools

PATTERN = Pattern(id="AGT-005", impact=("every_run", "easy"), strategies=("declare_tools",))
_HEAD = """---
name: example
description: Use when notes must be tidied.
allowed-tools: {}
---

"""
BAD = (
    {"SKILL.md": _HEAD.format("Read, Grep") + "Fetch the page with `WebFetch(url)` and note the date.\n"},
    {
        "SKILL.md": _HEAD.format("\n  - Read\n  - Bash(git:*)") + "Follow [the steps](phases/01-tidy.md).\n",
        "phases/01-tidy.md": """```python
Edit(file_path="notes.md", old_string=old, new_string=new)
mcp__mail__send(to=owner)
```""",
    },
)
GOOD = (
    {"SKILL.md": _HEAD.format("Read") + "Never call `WebFetch(url)`. The user's settings have `Bash(git add:*)`.\n"},
    {"SKILL.md": _HEAD.format("Read") + "The next session runs `WebFetch(url)` over the list.\n"},
    {"SKILL.md": _HEAD.format("Read") + "- the agent `fetcher`, which replaces `WebFetch(url)`\n"},
    {"SKILL.md": _HEAD.format("Read") + "| Tool | Rule |\n|---|---|\n| `Skill` | `Skill(name)` |\n"},
    {
        "SKILL.md": _HEAD.format("Read")
        + """```
Edit(file_path=".claude/skills/example/list.md", old_string="[old]", new_string="[new]")
Edit(file_path="birds.py", old_string="gull = 1", new_string="gull = 2")
```
"""
    },
    {
        "SKILL.md": _HEAD.format("Read Agent MultiEdit Bash(git:*) mcp__mail")
        + """```javascript
Task({ subagent_type: "Explore", prompt: `Write(x) is not to be used. Find duplicates.` })
Edit({ file_path: "notes.md", old_string: a, new_string: b })
mcp__mail__send({ to })
```
"""
    },
)


def check(case: Case) -> Iterator[Finding]:
    """Find all calls of tools that `allowed-tools` does not list."""
    line = case.skill.frontmatter.lines.get(KEY, 1)
    for tool, places in find_unlisted_tools(case.skill).items():
        effect = "The run stops to ask for permission, or is denied."
        message = f"`{tool}` is called, but `{KEY}` (SKILL.md:{line}) does not list it. {effect}"
        if tool not in PERMISSION_FREE_TOOLS:
            yield from (Finding(file.path, number, message, cause=tool) for file, number in places)
