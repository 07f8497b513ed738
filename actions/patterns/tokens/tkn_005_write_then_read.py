"""Written, then read again.

What it sees: In one code block, `Write(path, value)` and below it a variable that takes `Read(path)` of the same path, with no
agent, command or question in between that could have changed the file.

Why it is bad: The value is in the context already. Writing and reading it again pays for it twice more and brings nothing.

Instead: Use the value. Write the file once, where something else needs it.

May be wrong: When the read is there to prove the write.
"""

import re
from collections.abc import Iterator

from actions.patterns.pattern import Evidence, Pattern
from actions.skill import Case, SkillFile
from actions.skill.code import AGENT_CALLS, CodeFence, code_fences
from schemas.vocabulary import Confidence, Family

PATTERN = Pattern(
    id="TKN-005",
    family=Family.TOKENS,
    impact=("every_run", "easy"),
    confidence=Confidence.MEDIUM,
    strategies=("context_passing",),
    cause="relay",
)
_BETWEEN = AGENT_CALLS | {"Bash", "Edit", "AskUserQuestion", "Skill", "SendMessage", "send_input", "wait"}
_PROVES = re.compile(r"verif|check|confirm|assert|prove|校验|验证|确认", re.IGNORECASE)
_NEW_SCOPE = re.compile(
    r"^(?:async\s+)?(?:function|def|class)\b|^(?://|#)\s*(?:phase|step|stage|阶段|步骤)", re.IGNORECASE
)

BAD = (
    "# Split\n\n```javascript\nWrite(`${dir}/parts.json`, JSON.stringify(parts))\n"
    "const loaded = JSON.parse(Read(`${dir}/parts.json`))\nloaded.forEach(part => handle(part))\n```\n",
    '# Split\n\n```python\nWrite("work/parts.json", parts)\ncount = len(parts)\ndata = Read("work/parts.json")\n```\n',
    "# 拆分\n\n```javascript\nWrite('tmp/parts.json', JSON.stringify(parts))\nconst again = Read('tmp/parts.json')\n```\n",
)
GOOD = (
    "# Split\n\n```javascript\nWrite(`${dir}/parts.json`, JSON.stringify(parts))\nparts.forEach(part => handle(part))\n```\n",
    "# Split\n\n```javascript\nWrite(`${dir}/parts.json`, JSON.stringify(parts))\nTask({ prompt: `Mend ${dir}/parts.json` })\n"
    "const mended = Read(`${dir}/parts.json`)\n```\n",
    "# Split\n\n```javascript\nWrite('parts.json', text)\n// verify that it was written\nconst written = Read('parts.json')\n```\n",
)


def look(case: Case) -> Iterator[Evidence]:
    """Give each read that repeats what was just written, at the read."""
    for file in case.skill.instructions:
        if "Write(" in file.text and "Read(" in file.text:
            for fence in code_fences(file, "Write("):
                if "Read(" in fence.text and not file.doc.is_counterexample(fence.start):
                    yield from _relays(file, fence)


def _relays(file: SkillFile, fence: CodeFence) -> Iterator[Evidence]:
    written: dict[str, int] = {}
    scope = fence.start - 1
    for call in sorted(fence.calls, key=lambda c: c.line):
        if any(_NEW_SCOPE.match(file.doc.line(n)) for n in range(scope + 1, call.line + 1)):
            written.clear()
        scope = call.line
        if call.base == "Write":
            written[_path(call.args)] = call.line
        elif call.base in _BETWEEN:
            written.clear()
        elif call.base == "Read" and (path := _path(call.args)) in written and _is_taken(file, call.line):
            told = f"{path} is read here right after it was written in line {written[path]}; the value is at hand."
            yield Evidence(
                file.path,
                call.line,
                told,
                also=(f"{file.path}:{written[path]}: {file.doc.line(written[path]).strip()[:120]}",),
            )


def _path(args: str) -> str:
    return args.split(",")[0].strip()


def _is_taken(file: SkillFile, line: int) -> bool:
    """Tell whether the line assigns what it reads, and neither it nor the line above speaks of a proof."""
    return "=" in file.doc.line(line) and not any(_PROVES.search(file.doc.line(n)) for n in (line - 1, line))
