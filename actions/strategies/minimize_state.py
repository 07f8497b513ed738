"""Takes debug, cache and scratch fields that nothing looks at out of the state: their declaration and what sets them.

Only where each place is a line of its own in a block of code.
"""

import re

from actions.example import Example
from actions.facts.state.fields import Act, FieldUse
from actions.facts.state.idle import idle_fields
from actions.skill import Case, SkillFile
from actions.strategies.edits import Edit, edit
from actions.strategies.strategy import Draft, Strategy
from schemas.issues import Issue
from schemas.vocabulary import Risk

STRATEGY = Strategy("minimize_state", ("APV-005",), Risk.LOW)


def propose(issue: Issue, case: Case) -> Draft | None:
    """Delete the lines of the field at the issue's place; None where a line holds anything else."""
    here = (issue.location.file, issue.location.line_start)
    idle = ((n, uses) for n, uses in idle_fields(case.skill).items() if (uses[0].file, uses[0].line) == here)
    name, uses = next(idle, ("", ()))
    if not uses or not all(_is_whole(case.skill.by_path[use.file], use) for use in uses):
        return None
    writes: dict[str, bytes | None] = {}
    for path in sorted({use.file for use in uses}):
        file = case.skill.by_path[path]
        writes[path] = edit(file, _deletions(file, sorted({use.line for use in uses if use.file == path})))
    return Draft(
        writes=writes,
        description=f"Take `{name}` out of the state.",
        rationale="It is set and never looked at.",
        impact="Every phase that reads the state reads less.",
        token_limit=0,
        drops=tuple(case.skill.by_path[use.file].doc.line(use.line) for use in uses),
    )


def _is_whole(file: SkillFile, use: FieldUse) -> bool:
    """Whether the line is one entry of a literal or type, or one plain assignment, closed on the line."""
    line = file.doc.line(use.line).strip()
    if file.doc.fence_at(use.line) is None or line.count("{") != line.count("}") or line.count("[") != line.count("]"):
        return False
    if use.act is Act.DECLARE:
        return bool(re.fullmatch(rf"[\"']?{re.escape(use.name)}[\"']?\??\s*:[^,;]*[,;]?\s*(?:(?://|#).*)?", line))
    return bool(re.fullmatch(rf"(?:\w*[sS]tate)(?:\.|\[[\"']){re.escape(use.name)}[\"']?\]?\s*=(?!=)[^;{{}}]*;?", line))


def _deletions(file: SkillFile, lines: list[int]) -> list[Edit]:
    """Delete the lines; the entry before a deleted last one loses its comma in JSON."""
    edits = [Edit(n, n, []) for n in lines]
    for n in lines:
        fence = file.doc.fence_at(n)
        before = file.doc.line(n - 1)
        last = fence is not None and fence.lang == "json" and not file.doc.line(n).rstrip().endswith(",")
        if last and before.rstrip().endswith(",") and n - 1 not in lines:
            edits.append(Edit(n - 1, n - 1, [before.rstrip()[:-1]]))
    return edits


BEFORE: tuple[Example, ...] = (
    "# Sort\n\nThe state is kept in `state.json`.\n\n```javascript\nconst state = {\n  queue: [],\n  debug_trace: [],\n  done: false,\n}\nwhile (!state.done) {\n  state.done = sortNext(state.queue)\n  state.debug_trace = engine.trace()\n}\n```\n",
    '# 排序\n\n状态（`state.json`）：\n\n```json\n{\n  "queue": [],\n  "tmp_result": null\n}\n```\n\n将 `state.queue` 更新为剩余项。\n',
)
AFTER: tuple[Example, ...] = (
    """# Sort

The state is kept in `state.json`.

```javascript
const state = {
  queue: [],
  done: false,
}
while (!state.done) {
  state.done = sortNext(state.queue)
}
```
""",
    """# 排序

状态（`state.json`）：

```json
{
  "queue": []
}
```

将 `state.queue` 更新为剩余项。
""",
)
