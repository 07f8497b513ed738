"""Add the tools that a skill calls to its `allowed-tools`, in the style of the list.

Bash is allowed only for the called commands, and only if all of them are plain commands.
"""

from collections.abc import Iterator

from actions.case import Case
from actions.code.calls import Call, find_tool_calls
from actions.code.literals import read_string
from actions.code.tree import Code
from actions.fixes.strategies.edits import Edit, apply_edits, get_indent
from actions.fixes.strategies.strategy import Draft, Strategy
from actions.regex import regex
from actions.skill import Skill
from actions.skill.tools import KEY, find_unlisted_tools
from schemas.issues import Issue
from schemas.vocabulary import Risk

STRATEGY = Strategy("declare_tools", fixes=("AGT-005",), risk=Risk.HIGH)
_LIST_ITEM = regex(r"^(\s*-\s+)(\S.*)$")
_PROGRAM = regex(r"(?P<name>[\w.-]+)(?P<script>\s+[\w-]+[./][\w./-]+)?(?=\s|$)")
_INTERPRETERS = frozenset("python python3 node bash sh zsh ruby perl npx uvx eval exec sudo env xargs".split())
_SHELL_SYNTAX = regex(r"[;&|<>`$(\n]")


def propose(issue: Issue, case: Case) -> Draft | None:
    """Add the tools that the issue's lines call."""
    skill, number = case.skill, case.skill.frontmatter.lines.get(KEY)
    tools = list(dict.fromkeys(_list_entries(skill, issue)))
    if number is None or not tools or None in tools:
        return None
    change = _add_to_line(skill, number, [tool for tool in tools if tool])
    if change is None:
        return None
    return Draft(
        writes={"SKILL.md": apply_edits(skill.main, [change])},
        description=f"Add {', '.join(f'`{tool}`' for tool in tools)} to {KEY}.",
        rationale="The skill calls a tool that is missing from the list.",
        impact="The skill can use the added tools without asking for permission.",
        token_limit=10 * len(tools),
        rewrites=() if change.end < change.start else (skill.main.doc.line(number),),
    )


def _list_entries(skill: Skill, issue: Issue) -> Iterator[str | None]:
    """Yield the list entry for each unlisted tool on the issue's lines, or None for a command that is not plain."""
    path, first = issue.location.file, issue.location.line_start or 0
    lines = range(first, max(first, issue.location.line_end or 0) + 1)
    missing = find_unlisted_tools(skill)
    tools = [tool for tool, places in missing.items() if any(f.path == path and n in lines for f, n in places)]
    yield from (tool for tool in tools if tool != "Bash")
    if "Bash" in tools:
        codes = (code for file, _ in dict.fromkeys(missing["Bash"]) for code in file.codes)
        calls = ((code, call) for code in dict.fromkeys(codes) for call in find_tool_calls(code))
        yield from (_find_program(code, call) for code, call in calls if call.name == "Bash")


def _find_program(code: Code, call: Call) -> str | None:
    """Return an entry such as `Bash(make:*)` if a call runs one plain command, else None."""
    command = read_string(code, call.argument(0, "command")) or ""
    program = _PROGRAM.match(command)
    if program is None or _SHELL_SYNTAX.search(command) or (program["name"] in _INTERPRETERS and not program["script"]):
        return None
    return f"Bash({program[0]}:*)"


def _add_to_line(skill: Skill, number: int, tools: list[str]) -> Edit | None:
    line = skill.main.doc.line(number).rstrip()
    names = [f"{tool}(*)" if line.count("(*)") > 1 and "(" not in tool else tool for tool in tools]
    if line.endswith(":"):
        return _draft_new_items(skill, number, names)
    body, end = (line[:-1].rstrip(), line[-1]) if line[-1] in "]\"'" else (line, "")
    listed = body.split(":", 1)[1]
    mark = ", " if "," in listed or " " not in listed.strip() else " "
    return Edit(number, number, [f"{body}{mark}{mark.join(names)}{end}"])


def _draft_new_items(skill: Skill, number: int, names: list[str]) -> Edit | None:
    last = number
    while last + 1 < skill.frontmatter.end and _LIST_ITEM.match(skill.main.doc.line(last + 1)):
        last += 1
    if last == number:
        return None
    indent = get_indent(skill.main.doc.line(last))
    return Edit(last + 1, last, [f"{indent}- {name}" for name in names])


_TEXT = """---
name: example
description: Does one thing well. Use when that thing is asked for.
allowed-tools: {}
---

```python
Bash("make all")
```
"""
BEFORE = (_TEXT.format("Read, Write"), _TEXT.format("\n  - Read"), _TEXT.format("Read(*), Grep(*)"))
AFTER = (
    _TEXT.format("Read, Write, Bash(make:*)"),
    _TEXT.format("\n  - Read\n  - Bash(make:*)"),
    _TEXT.format("Read(*), Grep(*), Bash(make:*)"),
)
