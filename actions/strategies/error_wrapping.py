"""Says, or writes into the pseudo-code, what happens when a sub-agent fails or times out."""

import re
from collections.abc import Sequence

from actions.facts.agents.calls import AgentStep, agent_steps
from actions.facts.agents.guarding import is_guarded
from actions.facts.agents.timeouts import weak_timeouts
from actions.facts.agents.uncaught import uncaught_among_caught
from actions.skill import Case, SkillFile
from actions.skill.tables import is_row
from actions.strategies.edits import Edit, edit, indent_of, reworded
from actions.strategies.strategy import Draft, Strategy
from schemas.issues import Issue
from schemas.vocabulary import Risk

STRATEGY = Strategy("error_wrapping", mends=("AGT-001",), risk=Risk.LOW)

BEFORE = (
    """# Audit

```javascript
const routes = Task({
  subagent_type: "Explore",
  description: "List the routes",
  prompt: `Read everything below ${appDir}/routes.
List each route with its handler.`
})
Write(`${outDir}/routes.md`, routes)
```
""",
    {
        "phases/01-collect.md": """# Phase 1: Collect

```python
notes = Task(
    subagent_type="general-purpose",
    prompt=f"Collect the release notes of {package} since {version}.",
)
state["notes"] = notes
```
"""
    },
    """# Translate

1. Read the glossary.
2. Use the Task tool with subagent_type="general-purpose" to translate each chapter.
3. Join the chapters.
""",
    """# 迁移

## 第二步

使用 Task 工具启动 subagent_type="general-purpose"，让它改写每个模块的导入语句。
""",
    """# Scouts

```javascript
Task({ subagent_type: "Explore", prompt: `Walk through ${app}/api and list the handlers.` })
Task({ subagent_type: "Plan", prompt: `Draw up the order of the moves in ${app}.` })
```

Then merge both lists.

## Error handling

| Case | What to do |
|------|------------|
| The folder is missing | Stop and name it |
""",
    """# Research

```javascript
const answers = wait({ ids, timeout_ms: 300000 })
if (answers.timed_out) {
  console.log("some scouts ran out of time")
}
merge(answers)
```
""",
)

AFTER = (
    """# Audit

```javascript
let routes
try {
  routes = Task({
    subagent_type: "Explore",
    description: "List the routes",
    prompt: `Read everything below ${appDir}/routes.
List each route with its handler.`
  })
} catch (error) {
  // Report which agent failed and stop: the next step needs its result.
  throw new Error(`Explore failed: ${error.message}`)
}
Write(`${outDir}/routes.md`, routes)
```
""",
    {
        "phases/01-collect.md": """# Phase 1: Collect

```python
try:
    notes = Task(
        subagent_type="general-purpose",
        prompt=f"Collect the release notes of {package} since {version}.",
    )
except Exception as error:
    # Report which agent failed and stop: the next step needs its result.
    raise RuntimeError(f"general-purpose failed: {error}") from error
state["notes"] = notes
```
"""
    },
    """# Translate

1. Read the glossary.
2. Use the Task tool with subagent_type="general-purpose" to translate each chapter. If a sub-agent fails or times out, run it once more; if it fails again, report which one failed and stop.
3. Join the chapters.
""",
    """# 迁移

## 第二步

使用 Task 工具启动 subagent_type="general-purpose"，让它改写每个模块的导入语句。子代理失败或超时时，重试一次；仍失败则报告是哪一个并停止。
""",
    """# Scouts

```javascript
Task({ subagent_type: "Explore", prompt: `Walk through ${app}/api and list the handlers.` })
Task({ subagent_type: "Plan", prompt: `Draw up the order of the moves in ${app}.` })
```

Then merge both lists.

## Error handling

| Case | What to do |
|------|------------|
| The folder is missing | Stop and name it |
| A sub-agent fails or times out | Run it once more; if it fails again, report which one failed and stop |
""",
    """# Research

```javascript
const answers = wait({ ids, timeout_ms: 300000 })
if (answers.timed_out) {
  // Ask each open agent for what it has, wait once more, then close it and list it as missing in the report.
  console.log("some scouts ran out of time")
}
merge(answers)
```
""",
)

_ERRORS = re.compile(r"\b(?:errors?|failures?)\b|错误|异常|失败", re.IGNORECASE)
_RULER = re.compile(r"^\s*\|(?:\s*:?-{3,}:?\s*\|){2}\s*$")
_SCRIPT = frozenset({"javascript", "js", "typescript", "ts", "jsx", "tsx"})
_PYTHON = frozenset({"python", "py"})
_STATEMENT = re.compile(r"^(\s*)(?:(const|let|var)\s+)?(?:[A-Za-z_$][\w$.\[\]\"']*\s*=\s*)?(?:await\s+)?[A-Za-z_]\w*\(")
_SAID = {
    False: "If a sub-agent fails or times out, run it once more; if it fails again, report which one failed and stop.",
    True: "子代理失败或超时时，重试一次；仍失败则报告是哪一个并停止。",
}
_ROW = {
    False: "| A sub-agent fails or times out | Run it once more; if it fails again, report which one failed and stop |",
    True: "| 子代理失败或超时 | 重试一次；仍失败则报告是哪一个并停止 |",
}
_NOTE = {
    False: "Report which agent failed and stop: the next step needs its result.",
    True: "报告是哪个代理失败并停止：下一步需要它的结果。",
}
_LATE = {
    False: "Ask each open agent for what it has, wait once more, then close it and list it as missing in the report.",
    True: "向每个未完成的代理询问已有结果，再等一次，然后关闭并在报告中列为缺失。",
}


def propose(issue: Issue, case: Case) -> Draft | None:
    """Guard the steps of the file that the issue names, in the way that the file itself handles errors."""
    file = case.skill.by_path.get(issue.location.file)
    if file is None:
        return None
    line = issue.location.line_start
    late = next((timeout for timeout in weak_timeouts(file) if timeout.block.start == line), None)
    if late is not None:
        return _draft(file, _into_branch(file, late.block.start, late.block.end)) if late.idle else None
    bare = uncaught_among_caught(case.skill)
    steps = [s for s in agent_steps(case.skill) if s.file is file and (s in bare or not is_guarded(s, case.skill))]
    if not any(step.line == line for step in steps):
        return None
    return _draft(file, _into_table(file) or _wrapped(file, steps) or _said(file, steps))


def _draft(file: SkillFile, edits: Sequence[Edit]) -> Draft | None:
    if not edits:
        return None
    return Draft(
        writes={file.path: edit(file, edits)},
        description="Says what happens when a sub-agent fails or times out.",
        rationale="Without a word about it the next step works with a missing result.",
        impact="A failed sub-agent is retried once and then reported, not passed over.",
        token_limit=120,
        rewrites=reworded(file, edits),
    )


def _into_branch(file: SkillFile, start: int, end: int) -> list[Edit]:
    """Say before the branch's first statement, such as "going on without them", what comes first."""
    body = file.doc.line(start + 1)
    inner = (
        indent_of(body) if end > start + 1 or body.strip() not in ("", "}") else indent_of(file.doc.line(start)) + "  "
    )
    last = end if file.doc.line(end).strip().startswith("}") else end + 1
    said = (n for n in range(start + 1, last) if file.doc.line(n).strip())
    last = next((n for n in said if not file.doc.line(n).lstrip().startswith(("//", "#"))), last)
    mark = "#" if file.doc.line(start).rstrip().endswith(":") else "//"
    return [Edit(last, last - 1, [f"{inner}{mark} {_LATE[file.is_chinese]}"])]


def _into_table(file: SkillFile) -> list[Edit]:
    """Add a row to the file's own table of errors, if it has one of two columns."""
    for section in file.doc.sections:
        if section.level and _ERRORS.search(section.title):
            ruler = next((n for n in range(section.start, section.end) if _RULER.match(file.doc.line(n))), 0)
            if ruler and not file.doc.fence_at(ruler):
                last = ruler
                while is_row(file.doc.line(last + 1)):
                    last += 1
                return [Edit(last + 1, last, [indent_of(file.doc.line(last)) + _ROW[file.is_chinese]])]
    return []


def _wrapped(file: SkillFile, steps: Sequence[AgentStep]) -> list[Edit]:
    """Put a lone call that is a statement of its own into try and catch, in the language of its fence."""
    step = steps[0]
    if len(steps) != 1 or step.fence is None or step.call is None or step.call.depth:
        return []
    match = _STATEMENT.match(file.doc.line(step.line))
    if match is None or step.call.tail.split("\n")[0].strip(" ;"):
        return []
    first, last, outer = step.line, step.line_end, match[1]
    who, note = step.type or "The sub-agent", _NOTE[file.is_chinese]
    lines = [file.doc.line(n) for n in range(first, last + 1)]
    if step.fence.lang in _PYTHON:
        wrapped = [
            f"{outer}try:",
            *_deeper(lines, "    "),
            f"{outer}except Exception as error:",
            f"{outer}    # {note}",
        ]
        return [Edit(first, last, [*wrapped, f'{outer}    raise RuntimeError(f"{who} failed: {{error}}") from error'])]
    if step.fence.lang not in _SCRIPT:
        return []
    declared = [f"{outer}let {step.call.assigned}"] if match[2] else []
    lines[0] = lines[0].replace(f"{match[2]} ", "", 1) if match[2] else lines[0]
    end = ";" if lines[-1].rstrip().endswith(";") else ""
    caught = [f"{outer}  // {note}", f"{outer}  throw new Error(`{who} failed: ${{error.message}}`){end}", f"{outer}}}"]
    declared = [line + end for line in declared]
    return [
        Edit(first, last, [*declared, f"{outer}try {{", *_deeper(lines, "  "), f"{outer}}} catch (error) {{", *caught])
    ]


def _deeper(lines: Sequence[str], step: str) -> list[str]:
    """Indent lines of code, but not those that continue a string over several lines."""
    out: list[str] = []
    inside = ""
    for line in lines:
        out.append(line if inside or not line else step + line)
        for mark in ("`", '"""', "'''"):
            if inside in ("", mark) and line.replace("\\`", "").count(mark) % 2:
                inside = "" if inside else mark
    return out


def _said(file: SkillFile, steps: Sequence[AgentStep]) -> list[Edit]:
    """Add one sentence: behind a step in prose, else in a paragraph of its own behind the last call's fence."""
    chinese = file.is_chinese
    step = next((s for s in steps if s.fence is None), None)
    if step is not None:
        line = file.doc.line(step.line).rstrip()
        if line.endswith((":", "：", "|")):
            return []
        end = "" if line.endswith((".", "。", "!", "！")) else ("。" if chinese else ".")
        return [Edit(step.line, step.line, [f"{line}{end}{'' if chinese else ' '}{_SAID[chinese]}"])]
    fence = file.doc.fence_at(steps[-1].line)
    if fence is None or not fence.closed:
        return []
    indent = indent_of(file.doc.line(fence.start))
    return [Edit(fence.end + 1, fence.end, ["", indent + _SAID[chinese]])]
