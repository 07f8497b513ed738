"""A history only grows, and goes into every prompt.

It is:
- a list of what happened (messages, rounds, attempts) that gets an entry in each pass of a loop and goes whole into a prompt of that loop
- a record in prose that each round extends and the next round must read in full
It is not:
- a list that is cut, summarised or begun anew
- a list in the state that goes into no prompt (TKN-004)
- a list that is collected in a loop and used once after it
Low when:
- the rounds are counted: a `for` loop, or a condition with a number
Why it is bad: Every round costs more than the last one, until the context is full and the session is compacted in the middle of the work.
Instead: Keep a window, such as the last five entries, or a summary of the older ones, and write the full record to a file.
"""

from collections.abc import Iterator

from actions.code.prompts import flows, growth_around, is_cut
from actions.patterns.pattern import Evidence, Family, Pattern, Severity
from actions.skill import Case

PATTERN = Pattern(
    id="CTX-001", family=Family.CONTEXT, impact=("every_run", "easy"), strategies=("sliding_window",), cause="history"
)
BAD = (
    """```javascript
const history = []
while (!settled) {
  const answer = Task({ prompt: `Argue on. So far: ${JSON.stringify(history)}` })
  history.push(answer)
}
```""",
    """```python
while not settled(state):
    answer = Task(prompt=f"Argue on. So far: {state.messages}")
    state.messages.append(answer)
```""",
)
GOOD = (
    """```javascript
const history = []
while (!settled) {
  const answer = Task({ prompt: `Argue on. Lately: ${JSON.stringify(history.slice(-3))}` })
  history.push(answer)
}
```""",
    """```javascript
while (!settled) {
  const found = []
  for (const file of files) found.push(check(file))
  settled = Task({ prompt: `Judge: ${JSON.stringify(found)}` })
}
```""",
)


def look(case: Case) -> Iterator[Evidence]:
    """Yield each list that grows in a loop, goes whole into a prompt there, and is cut nowhere in the skill."""
    cut: dict[str, bool] = {}
    for file in case.skill.instructions:
        for code in file.codes:
            for flow in flows(code):
                name, growth = code.said(flow.node), growth_around(code, flow.node)
                if growth and name not in cut:
                    cut[name] = any(is_cut(other, name) for f in case.skill.told for other in f.codes)
                if growth and not cut[name]:
                    message = (
                        f"`{name}` gets an entry in each pass at {file.path}:{growth.call.line} and goes whole into the"
                        f" prompt of `{flow.call.name}` at {file.path}:{flow.call.line}; nothing shortens it."
                    )
                    also = (f"{file.path}:{growth.call.line}: `{growth.call.name}`",)
                    severity = Severity.LOW if growth.is_counted else None
                    yield Evidence(file.path, flow.call.line, message, flow.call.line_end, also, severity)
