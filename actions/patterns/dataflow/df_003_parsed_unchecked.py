"""The answer of a sub-agent is parsed as JSON without a check.

What it sees: `JSON.parse(…)` or `json.loads(…)` of a sub-agent's result, outside of `try`, with no word nearby on
what happens when it is no JSON or lacks a field.
Why it is bad: Agents wrap JSON in prose or leave fields out; the run stops, or goes on with holes.
Instead: Parse inside `try`, check the fields that are needed, and ask the agent once more when they are missing.
May be wrong: The agent's tool enforces the format.
"""

from collections.abc import Iterator

from actions.model import Case, SkillFile
from actions.model import regex as re
from actions.model.code import AGENT_CALLS, CodeFence, code_fences
from actions.patterns.pattern import Evidence, Pattern
from schemas.vocabulary import Confidence, Family

PATTERN = Pattern(
    id="DF-003",
    family=Family.DATAFLOW,
    impact=("every_run",),
    confidence=Confidence.MEDIUM,
    strategies=("result_validation",),
)
BAD = (
    "# Ask\n\n```javascript\nconst reply = Task({ prompt: `List the risks as JSON` })\nconst risks = JSON.parse(reply)\n```\n",
    '# 询问\n\n```python\nanswer = Agent(prompt="列出风险，输出 JSON")\nrisks = json.loads(answer)\n```\n',
    "# Ask\n\n```javascript\nconst risks = JSON.parse(Task({ prompt: `List the risks as JSON` }))\n```\n",
)
GOOD = (
    "# Ask\n\n```javascript\nconst reply = Task({ prompt: `List the risks` })\ntry { risks = JSON.parse(reply) } catch (e) { risks = [] }\n```\n",
    "# Ask\n\n```javascript\nconst reply = Task({ prompt: `List the risks` })\nconst risks = JSON.parse(reply)\n```\n\nIf the reply is not valid JSON, ask the agent once more.\n",
    "# Load\n\n```javascript\nconst plan = JSON.parse(Read('plan.json'))\n```\n",
)
_CHECKED = re.compile(
    r"\bvalidat|\bverif|\bnot (?:valid )?json|\binvalid|\bmalformed|\bschema\b|\bfail\w* to parse|\bparse error|校验|验证|解析失败|不是(?:合法|有效)",
    re.IGNORECASE,
)


def look(case: Case) -> Iterator[Evidence]:
    """Give each unchecked parse of an agent's result."""
    for file in case.skill.instructions:
        if "JSON.parse(" in file.text or "json.loads(" in file.text:
            for fence in code_fences(file, "JSON.parse(", "json.loads("):
                yield from _parses(file, fence)


def _parses(file: SkillFile, fence: CodeFence) -> Iterator[Evidence]:
    replies = {call.assigned for call in fence.calls if call.base in AGENT_CALLS and call.assigned}
    for call in fence.calls:
        if call.name not in ("JSON.parse", "json.loads") or file.doc.is_counterexample(call.line):
            continue
        inner = call.args.strip()
        asked = inner.split(".")[0] in replies or re.match(r"(?:await )?(?:Task|Agent|spawn_agent)\(", inner)
        if asked and not _guarded(file, fence, call.line):
            yield Evidence(
                file.path, call.line, "A sub-agent's answer is parsed here, and nothing provides for a bad one."
            )


def _guarded(file: SkillFile, fence: CodeFence, line: int) -> bool:
    if any(block.kind == "try" for block in fence.blocks_over(line)):
        return True
    return any(_CHECKED.search(file.doc.line(n)) for n in range(max(1, line - 8), line + 12))
