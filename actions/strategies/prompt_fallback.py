"""Says in a prompt what holds when the list of which a part of it is made is empty.

Only for a part of the shape `${list.map(…)…}`; what an empty prompt should say, and which of two orders holds, is for its author.
"""

import re
from collections.abc import Sequence

from actions.facts.agents.calls import agent_steps
from actions.skill import Case
from actions.skill.text import is_chinese
from actions.strategies.edits import Edit, edit, reworded
from actions.strategies.strategy import Draft, Strategy
from schemas.issues import Issue
from schemas.vocabulary import Risk

STRATEGY = Strategy("prompt_fallback", mends=("AGT-009",), risk=Risk.LOW)
_PART = re.compile(r"^\s*\$\{\s*(?P<list>[A-Za-z_$][\w$.]*)\.map\(")
_TOLD = {False: "The list is empty; work from the rest of this prompt.", True: "列表为空；按本提示的其余内容进行。"}
_CLOSES = {"{": "}", "(": ")", "[": "]"}


def propose(issue: Issue, case: Case) -> Draft | None:
    """Draft the fallback for the part that begins on the issue's line."""
    file, number = case.skill.by_path[issue.location.file], issue.location.line_start or 0
    match = _PART.match(file.doc.line(number))
    step = next((s for s in agent_steps(case.skill) if s.file is file and s.line <= number <= s.line_end), None)
    if match is None or step is None:
        return None
    lines = [file.doc.line(n) for n in range(number, step.line_end + 1)]
    end = _end(lines, match.start("list"))
    if end is None:
        return None
    last, column = end
    told = _TOLD[is_chinese(step.prompt)]
    new = lines[: last + 1]
    new[last] = f'{new[last][:column].rstrip()} : "{told}"{new[last][column:]}'
    new[0] = f"{new[0][: match.start('list')]}{match['list']}.length ? {new[0][match.start('list') :]}"
    change = Edit(number, number + last, new)
    return Draft(
        writes={file.path: edit(file, [change])},
        description=f"Gives the part of the prompt that `{match['list']}` makes a sentence for when it is empty.",
        rationale="The list may be empty, and then the sub-agent gets a heading with nothing under it.",
        impact="The sub-agent knows that there is nothing, and what to go by.",
        token_limit=40,
        rewrites=reworded(file, [change]),
    )


def _end(lines: Sequence[str], column: int) -> tuple[int, int] | None:
    """Give the place of the `}` that closes the expression which begins in the first line at `column`."""
    waiting = ["}"]
    for n, line in enumerate(lines):
        k = 0 if n else column
        while k < len(line):
            char = line[k]
            if waiting[-1] == "`" and line.startswith("${", k):
                waiting.append("}")
                k += 1
            elif char == waiting[-1]:
                waiting.pop()
                if not waiting:
                    return n, k
            elif char == "\\":
                k += 1
            elif waiting[-1] not in "`'\"" and char in "{([`'\"":
                waiting.append(_CLOSES.get(char, char))
            k += 1
    return None


_HEAD = "let sights = []\nif (wantsSights) sights = findSights(town)\n\n"
_TRIP = """# Plan the trip

```javascript
%sconst plan = Task({
  subagent_type: "general-purpose",
  prompt: `Plan a day in ${town}.

## Sights

%s

## Output
Return a timetable.`
})
if (!plan) return
```
"""
_LINES = '${%ssights.map(s => `- ${s.name}: ${s.hours || "{all day}"}`).join("\\n")%s}'
_BLOCKS = "${%smanifest.places.map(p => `### ${p.name}\nRead ${p.path}.`).join('\\n\\n')%s}"
_REISE = """# 行程

```javascript
const notes = { hints: [] }
const plan = Task({ subagent_type: "general-purpose", prompt: `为 ${town} 安排一天的行程，并列出时间表。

## 提示

%s
` })
if (!plan) return
```
"""
_HINTS = "${%snotes.hints.map(h => `- ${h}`).join('\\n')%s}"
_NONE = ' : "The list is empty; work from the rest of this prompt."'
BEFORE = (
    _TRIP % (_HEAD, _LINES % ("", "")),
    _TRIP % ("const manifest = { places: [] }\n", _BLOCKS % ("", "")),
    _REISE % (_HINTS % ("", "")),
)
AFTER = (
    _TRIP % (_HEAD, _LINES % ("sights.length ? ", _NONE)),
    _TRIP % ("const manifest = { places: [] }\n", _BLOCKS % ("manifest.places.length ? ", _NONE)),
    _REISE % (_HINTS % ("notes.hints.length ? ", ' : "列表为空；按本提示的其余内容进行。"')),
)
