"""Adds a tool that the skill uses to its allowed-tools, in the way the list is written."""

import re

from actions.facts.agents.tools import KEY, undeclared
from actions.skill import Case, Skill
from actions.strategies.edits import Edit, edit, indent_of, reworded
from actions.strategies.strategy import Draft, Strategy
from schemas.issues import Issue
from schemas.vocabulary import Risk

STRATEGY = Strategy("declare_tools", mends=("AGT-005",), risk=Risk.MEDIUM)

_HEAD = "---\nname: example\ndescription: Does one thing well. Use when that thing is asked for.\nallowed-tools: {tools}\n---\n\n"
_TIDY = """# Tidy

```javascript
Write("notes.md", tidy(Read("notes.md")))
```
"""
_LOOK = "# 查找\n\n使用 WebSearch 工具查找当前版本。\n"
_BUILD = '# Build\n\n```python\nBash("make all")\n```\n'

BEFORE = (
    _HEAD.format(tools="Read, Grep") + _TIDY,
    _HEAD.format(tools="Read Glob") + _LOOK,
    _HEAD.format(tools="[Read, Write]") + _BUILD,
    _HEAD.format(tools="\n  - Read\n  - Write") + _BUILD,
    _HEAD.format(tools="Read(*), Grep(*)") + _TIDY,
)
AFTER = (
    _HEAD.format(tools="Read, Grep, Write") + _TIDY,
    _HEAD.format(tools="Read Glob WebSearch") + _LOOK,
    _HEAD.format(tools="[Read, Write, Bash]") + _BUILD,
    _HEAD.format(tools="\n  - Read\n  - Write\n  - Bash") + _BUILD,
    _HEAD.format(tools="Read(*), Grep(*), Write(*)") + _TIDY,
)

_ITEM = re.compile(r"^(\s*-\s+)(\S.*)$")


def propose(issue: Issue, case: Case) -> Draft | None:
    """Add the tool of the issue."""
    place = (issue.location.file, issue.location.line_start)
    tool = next(
        (
            u.tool
            for u in undeclared(case.skill)
            if (u.file.path, u.line) == place and f"`{u.tool}`" in issue.description
        ),
        None,
    )
    change = _added(case.skill, tool) if tool else None
    if tool is None or change is None:
        return None
    return Draft(
        writes={"SKILL.md": edit(case.skill.main, [change])},
        description=f"Adds {tool} to {KEY}.",
        rationale=f"The skill uses {tool}, and the run stops to ask for it.",
        impact="The run is not interrupted, and works without a person.",
        token_limit=15,
        rewrites=reworded(case.skill.main, [change]),
    )


def _added(skill: Skill, tool: str) -> Edit | None:
    number = skill.frontmatter.lines.get(KEY)
    if number is None:
        return None
    line = skill.main.doc.line(number).rstrip()
    name = f"{tool}(*)" if line.count("(*)") > 1 else tool
    if line.endswith(":"):
        return _new_item(skill, number, name)
    if line.endswith("]"):
        return Edit(number, number, [f"{line[:-1].rstrip()}, {name}]"])
    if line.endswith(("'", '"')):
        mark = line[-1]
        return Edit(number, number, [f"{line[:-1]}{', ' if ',' in line else ' '}{name}{mark}"])
    listed = line.split(":", 1)[1]
    return Edit(number, number, [f"{line}{', ' if ',' in listed or ' ' not in listed.strip() else ' '}{name}"])


def _new_item(skill: Skill, number: int, name: str) -> Edit | None:
    last = number
    while last + 1 < skill.frontmatter.end and _ITEM.match(skill.main.doc.line(last + 1)):
        last += 1
    if last == number:
        return None
    item = skill.main.doc.line(last)
    return Edit(last + 1, last, [f"{indent_of(item)}- {name}"])
