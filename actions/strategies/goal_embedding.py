"""Keeps what the user asked for: as a field of the state, and as a comparison before the run ends."""

from actions.facts.memory.admitting import unchecked_ending
from actions.facts.memory.constraints import constraints
from actions.facts.memory.keeping import forgets_the_goal, state_shapes
from actions.facts.memory.words import NO_LOOK
from actions.skill import Case, SkillFile
from actions.strategies.edits import Edit, edit
from actions.strategies.strategy import Draft, Strategy
from schemas.issues import Issue
from schemas.vocabulary import Risk

STRATEGY = Strategy("goal_embedding", mends=("MEM-004", "MEM-005"), risk=Risk.LOW, aliases=("state_constraints_field",))

_POSTER = {
    "SKILL.md": "# Poster\n\n1. [Ask](phases/01-ask.md)\n2. [Draw](phases/02-draw.md)\n3. [Hand over](phases/03-hand-over.md)\n",
    "phases/01-ask.md": "# Ask\n\nAsk for the occasion.\n",
    "phases/02-draw.md": "# Draw\n\nDraw the poster into `poster.svg`.\n",
}
_HAND_OVER = "# Hand over\n\nShow `poster.svg` to the user.\n"

BEFORE = (
    """# Tour

The loop reads `tour/state.json` before each step.

```typescript
interface TourState {
  status: "open" | "done";
  step: number;
  visited: string[];
}
```
""",
    """# 循环

## 约束

- 图片宽度必须小于 1200 像素。

## 状态

每一步之前读取 `loop/state.json`。

```python
class LoopState:
    status: str
    round: int
    errors: list[str]
```
""",
    {**_POSTER, "phases/03-hand-over.md": _HAND_OVER},
)
AFTER = (
    """# Tour

The loop reads `tour/state.json` before each step.

```typescript
interface TourState {
  user_request: string; // in the user's own words; read it before each step
  status: "open" | "done";
  step: number;
  visited: string[];
}
```
""",
    """# 循环

## 约束

- 图片宽度必须小于 1200 像素。

## 状态

每一步之前读取 `loop/state.json`。

```python
class LoopState:
    user_request: str  # 用户原话；每一步之前先读
    constraints: list[str]  # SKILL.md 中的约束
    status: str
    round: int
    errors: list[str]
```
""",
    {
        **_POSTER,
        "phases/03-hand-over.md": _HAND_OVER
        + "\nBefore you finish, compare the outcome with the user's request, point by point, and mend what is missing.\n",
    },
)

_COMPARE = {
    False: "Before you finish, compare the outcome with the user's request, point by point, and mend what is missing.",
    True: "结束之前，逐条对照用户的原始要求核对结果，并补上缺失的部分。",
}
_GOAL = {False: "in the user's own words; read it before each step", True: "用户原话；每一步之前先读"}
_BOUND = {False: "the constraints of SKILL.md", True: "SKILL.md 中的约束"}


def propose(issue: Issue, case: Case) -> Draft | None:
    """Add the field to the state, or the comparison to the end of the last stage, unless that says not to look."""
    file = case.skill.by_path.get(issue.location.file)
    if file is None or issue.location.line_start is None:
        return None
    if issue.pattern == "MEM-004":
        return _draft(file, _field(file, issue.location.line_start, case), "Keeps the user's request in the state.")
    said = unchecked_ending(case.skill)
    if said and NO_LOOK.search(said.text):
        return None
    return _draft(
        file, _comparison(file, issue.location.line_start), "Compares the outcome with the request before the run ends."
    )


def _draft(file: SkillFile, change: Edit | None, description: str) -> Draft | None:
    if change is None:
        return None
    return Draft(
        writes={file.path: edit(file, [change])},
        description=description,
        rationale="Over many stages the work drifts from what was asked for.",
        impact="The run ends with what the user wanted.",
        token_limit=50,
    )


def _field(file: SkillFile, line: int, case: Case) -> Edit | None:
    shape = next(
        (s for s in state_shapes(case.skill) if s.file is file and s.line == line and forgets_the_goal(s)), None
    )
    if shape is None or file.doc.fence_at(line) is None:
        return None
    chinese = file.is_chinese
    first = next(n for n in range(line + 1, len(file.doc.lines) + 1) if shape.fields[0] in file.doc.line(n))
    python = file.doc.line(line).rstrip().endswith(":")
    mark = (
        ";"
        if file.doc.line(first).split("//")[0].rstrip().endswith(";")
        else ("," if file.doc.line(first).rstrip().endswith(",") else "")
    )
    fields = [("user_request", "str" if python else "string", _GOAL[chinese])]
    if constraints(case.skill) and "constraints" not in shape.fields:
        fields.append(("constraints", "list[str]" if python else "string[]", _BOUND[chinese]))
    told = "  #" if python else " //"
    return Edit(first, first - 1, [f"{shape.indent}{name}: {kind}{mark}{told} {why}" for name, kind, why in fields])


def _comparison(file: SkillFile, line: int) -> Edit | None:
    """A paragraph at the end of the stage; None where the stage ends inside of a list or a fence that is not closed."""
    section = file.doc.section_at(line)
    last = section.end if section.level else len(file.doc.lines)
    while last > line and not file.doc.line(last).strip():
        last -= 1
    fence = file.doc.fence_at(last)
    if fence is not None and not fence.closed:
        return None
    return Edit(last + 1, last, ["", _COMPARE[file.is_chinese]])
