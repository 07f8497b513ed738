"""Gives one field of the state one name: the declared or usual spelling everywhere, or the name that is really set.

Refuses where both names are declared as fields of their own.
"""

import re
from collections.abc import Iterable

from actions.example import Example
from actions.facts.references.candidates import alike
from actions.facts.state.fields import Act, FieldUse, field_uses
from actions.facts.state.spellings import spellings
from actions.skill import Case, Skill
from actions.strategies.edits import Edit, edit
from actions.strategies.strategy import Draft, Strategy
from schemas.issues import Issue
from schemas.vocabulary import Risk

STRATEGY = Strategy("field_normalization", ("DF-002", "DF-007"), Risk.LOW)


def propose(issue: Issue, case: Case) -> Draft | None:
    """Rename the field that the issue names; None where it is not clear into what."""
    found = _slip(case.skill, issue) if issue.pattern == "DF-002" else _unset(case.skill, issue)
    return _draft(case.skill, *found) if found else None


def _slip(skill: Skill, issue: Issue) -> tuple[str, str] | None:
    for slip in spellings(skill):
        first = slip.uses[0]
        if (first.file, first.line) == (issue.location.file, issue.location.line_start):
            usual_declared = any(u.act is Act.DECLARE for u in field_uses(skill) if u.name == slip.usual)
            both = usual_declared and any(use.act is Act.DECLARE for use in slip.uses)
            return None if both else (slip.name, slip.usual)
    return None


def _unset(skill: Skill, issue: Issue) -> tuple[str, str] | None:
    """The tested name means the one field that is set, never looked at, and called nearly the same."""
    uses = field_uses(skill)
    here = [u for u in uses if (u.file, u.line) == (issue.location.file, issue.location.line_start)]
    tested = next((u.name for u in here if u.act is Act.TEST and not _acts(uses, u.name) - {Act.TEST}), None)
    if tested is None:
        return None
    idle = {u.name for u in uses if Act.SET in _acts(uses, u.name) and not _acts(uses, u.name) & {Act.TEST, Act.READ}}
    near = [name for name in sorted(idle) if _near(tested, name)]
    return (tested, near[0]) if len(near) == 1 else None


def _acts(uses: Iterable[FieldUse], name: str) -> set[Act]:
    return {use.act for use in uses if use.name == name}


def _near(one: str, other: str) -> bool:
    a, b = _words(one), _words(other)
    return bool(a and b) and (a <= b or b <= a or alike("".join(sorted(a)), "".join(sorted(b))))


def _words(name: str) -> set[str]:
    parts = re.findall(r"[a-z]+|[A-Z][a-z]*|\d+", name)
    return {part.lower() for part in parts} - {"is", "has", "was", "the", "flag", "state"}


def _draft(skill: Skill, old: str, new: str) -> Draft:
    named = re.compile(
        rf"(?<![\w$])(?P<lead>(?:\w*[sS]tate)(?:\??\.|\[[\"'])){re.escape(old)}(?!\w)|(?<![\w.$])(?P<open>[\"']?){re.escape(old)}(?=[\"']?\s*:)"
    )
    lines = {(use.file, use.line) for use in field_uses(skill) if use.name == old}
    writes: dict[str, bytes | None] = {}
    for path in sorted({file for file, _ in lines}):
        file = skill.by_path[path]
        numbers = sorted(line for where, line in lines if where == path)
        changed = [(n, named.sub(lambda m: (m["lead"] or m["open"] or "") + new, file.doc.line(n))) for n in numbers]
        writes[path] = edit(file, [Edit(n, n, [text]) for n, text in changed])
    return Draft(
        writes=writes,
        description=f"Call the field `{new}` everywhere, no longer `{old}`.",
        rationale="One value under two names is set in one place and missed in another.",
        impact="What one phase sets, the others find.",
        token_limit=4 * len(lines),
        rewrites=tuple(skill.by_path[path].doc.line(line) for path, line in sorted(lines)),
    )


BEFORE: tuple[Example, ...] = (
    {
        "phases/1-open.md": "# Open\n\n```javascript\nconst state = { ticket_id: null, owner: null }\nstate.ticket_id = args[0]\n```\n",
        "phases/2-close.md": "# Close\n\n```javascript\nif (state.ticketId) { Bash(`close ${state.ticketId}`) }\n```\n",
    },
    "# 计数\n\n1. 调用子代理，将行数写入 `state.rowCount`。\n2. 如果 `state.row_count` 为零，停止。\n3. 报告 `state.rowCount`。\n",
    '# Poll\n\n```python\nstate["is_approved"] = ask()\nif state["approved"]:\n    Bash("make ship")\n```\n',
)
AFTER: tuple[Example, ...] = (
    {
        "phases/1-open.md": "# Open\n\n```javascript\nconst state = { ticket_id: null, owner: null }\nstate.ticket_id = args[0]\n```\n",
        "phases/2-close.md": "# Close\n\n```javascript\nif (state.ticket_id) { Bash(`close ${state.ticket_id}`) }\n```\n",
    },
    """# 计数

1. 调用子代理，将行数写入 `state.rowCount`。
2. 如果 `state.rowCount` 为零，停止。
3. 报告 `state.rowCount`。
""",
    """# Poll

```python
state["is_approved"] = ask()
if state["is_approved"]:
    Bash("make ship")
```
""",
)
