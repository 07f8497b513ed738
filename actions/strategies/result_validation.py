"""Catches a malformed answer of a sub-agent where it is parsed."""

import re

from actions.facts.agents.results import Parsed, unchecked_parses
from actions.skill import Case
from actions.strategies.edits import Edit, edit, reworded
from actions.strategies.strategy import Draft, Strategy
from schemas.issues import Issue
from schemas.vocabulary import Risk

STRATEGY = Strategy("result_validation", mends=("AGT-002", "DF-003"), risk=Risk.LOW)

BEFORE = (
    """# Rank

```javascript
const answer = Task({ subagent_type: "general-purpose", prompt: `Rank the offers in ${file}. Answer in JSON.` })
const ranks = JSON.parse(answer);
Write(`${out}/ranks.json`, JSON.stringify(ranks))
```

If the agent fails, run it once more, then report it.
""",
    """# 排名

```python
answer = Task(subagent_type="general-purpose", prompt=f"为 {file} 中的报价排名，以 JSON 返回。")
ranks = json.loads(answer)
```

代理失败时重试一次，然后报告。
""",
)

AFTER = (
    """# Rank

```javascript
const answer = Task({ subagent_type: "general-purpose", prompt: `Rank the offers in ${file}. Answer in JSON.` })
let ranks;
try {
  ranks = JSON.parse(answer);
} catch (error) {
  // Ask once more for valid JSON; then report the raw answer and stop.
  throw new Error(`general-purpose gave no valid answer: ${error.message}`);
}
Write(`${out}/ranks.json`, JSON.stringify(ranks))
```

If the agent fails, run it once more, then report it.
""",
    """# 排名

```python
answer = Task(subagent_type="general-purpose", prompt=f"为 {file} 中的报价排名，以 JSON 返回。")
try:
    ranks = json.loads(answer)
except ValueError as error:
    # 再要求一次合法的 JSON；仍不合法则报告原始回答并停止。
    raise RuntimeError(f"general-purpose gave no valid answer: {error}") from error
```

代理失败时重试一次，然后报告。
""",
)

_STATEMENT = re.compile(
    r"^(\s*)(?:(const|let|var)\s+)?(?P<name>[A-Za-z_$][\w$.]*)\s*=\s*(?P<rest>(?:JSON\.parse|json\.loads)\(.*)$"
)
_NOTE = {
    False: "Ask once more for valid JSON; then report the raw answer and stop.",
    True: "再要求一次合法的 JSON；仍不合法则报告原始回答并停止。",
}


def propose(issue: Issue, case: Case) -> Draft | None:
    """Wrap the parse, where it is a statement on one line."""
    for found in unchecked_parses(case.skill):
        if (found.step.file.path, found.parse.line) == (issue.location.file, issue.location.line_start):
            lines = _wrapped(found)
            return _draft(found, lines) if lines else None
    return None


def _draft(found: Parsed, lines: list[str]) -> Draft:
    file, line = found.step.file, found.parse.line
    return Draft(
        writes={file.path: edit(file, [Edit(line, line, lines)])},
        rewrites=reworded(file, [Edit(line, line, lines)]),
        description="Catches a malformed answer where it is parsed.",
        rationale="A sub-agent answers with text that may not be what was asked for.",
        impact="A malformed answer is asked for once more and then reported.",
        token_limit=90,
    )


def _wrapped(found: Parsed) -> list[str]:
    match = _STATEMENT.match(found.step.file.doc.line(found.parse.line))
    if match is None or found.parse.line != found.parse.line_end:
        return []
    outer, name, rest = match[1], match["name"], match["rest"]
    who = found.step.type or "The sub-agent"
    note = _NOTE[found.step.file.is_chinese]
    if found.fence.lang in ("python", "py"):
        raised = f'raise RuntimeError(f"{who} gave no valid answer: {{error}}") from error'
        return [
            f"{outer}try:",
            f"{outer}    {name} = {rest}",
            f"{outer}except ValueError as error:",
            f"{outer}    # {note}",
            f"{outer}    {raised}",
        ]
    end = ";" if rest.rstrip().endswith(";") else ""
    thrown = f"throw new Error(`{who} gave no valid answer: ${{error.message}}`){end}"
    declared = [f"{outer}let {name}{end}"] if match[2] else []
    return [
        *declared,
        f"{outer}try {{",
        f"{outer}  {name} = {rest}",
        f"{outer}}} catch (error) {{",
        f"{outer}  // {note}",
        f"{outer}  {thrown}",
        f"{outer}}}",
    ]
