"""Spells a sub-agent's type as it is defined: a built-in type, or one of the skill's own.

Only where the name is a slip of exactly one type; a type that may live in the project is left alone.
"""

import re

from actions.facts.agents.calls import BUILT_IN, agent_steps
from actions.facts.agents.types import listed_types, meant_type, shipped_types
from actions.skill import Case
from actions.strategies.edits import Edit, edit, reworded
from actions.strategies.strategy import Draft, Strategy
from schemas.issues import Issue
from schemas.vocabulary import Risk

STRATEGY = Strategy("correct_agent_type", mends=("AGT-007",), risk=Risk.LOW)


def propose(issue: Issue, case: Case) -> Draft | None:
    """Draft the spelling in every call of the issue's file that names the type so."""
    file, line = case.skill.by_path[issue.location.file], issue.location.line_start
    step = next((s for s in agent_steps(case.skill) if s.file is file and s.line == line), None)
    known = BUILT_IN | shipped_types(case.skill) | listed_types(case.skill)
    others = {name for name in known if step and step.type and meant_type(step.type, {name})}
    if step is None or not step.type or len(others) != 1:
        return None
    (meant,) = others
    slip = re.compile(rf"(?P<lead>(?:sub)?agent_type\W{{1,4}}){re.escape(step.type)}(?![\w-])")
    lines = ((n, text) for n, text in enumerate(file.doc.lines, 1) if step.type in text and slip.search(text))
    edits = [Edit(n, n, [slip.sub(lambda match: match["lead"] + meant, text)]) for n, text in lines]
    if not edits:
        return None
    return Draft(
        writes={file.path: edit(file, edits)},
        description=f"Write `{meant}` for the sub-agent type `{step.type}` in {file.path}.",
        rationale="There is no sub-agent of the other name, and this one is spelled nearly so.",
        impact="The call reaches the sub-agent that was meant.",
        token_limit=2 * len(edits),
        rewrites=reworded(file, edits),
    )


_CALL = """# Survey

```javascript
try {{
  Task({{ subagent_type: "{}", prompt: `Survey the folder ${{path}} and name its owners.` }})
}} catch (error) {{
  throw error
}}
```
"""
_AGENT = "---\nname: style-reviewer\ndescription: Judges style.\n---\n\nJudge style.\n"
_TELL = '# 审查\n\n使用 Task 工具启动 subagent_type="{}" 检查每个文件；失败时重试一次代理，然后报告。\n'
BEFORE = (
    _CALL.format("general_purpose"),
    {"SKILL.md": _TELL.format("style_reviewer"), "agents/style-reviewer.md": _AGENT},
)
AFTER = (
    _CALL.format("general-purpose"),
    {"SKILL.md": _TELL.format("style-reviewer"), "agents/style-reviewer.md": _AGENT},
)
