"""One block of code writes a file and reads it back.

It is:
- one block or script that writes a value to a file and then reads the same file, while a variable still has the value (proven)
It is not:
- a file that an agent, a command or the user may change in between
- a check that the write succeeded, or documentation of how to save and load
- a value that goes from one step to the next through a file (DF-008)
Low when:
- the file has a few lines
Why it is bad: It costs two tool calls and puts the whole content into the context again, for a value that is already there.
Instead: Use the value itself; write a file only for another phase, an agent or the user.
"""

from collections.abc import Iterator

from actions.case import Case
from actions.code.relays import find_relays
from actions.patterns.pattern import Finding, Pattern

PATTERN = Pattern(id="APV-002", impact=("every_run", "easy"), strategies=("context_passing",), cause="relay")
BAD = (
    """```javascript
Write('tmp/rows.json', JSON.stringify(rows))
const again = JSON.parse(Read('tmp/rows.json'))
report(render(again))
```""",
    {
        "scripts/weigh.py": """\
with open("work/weights.json", "w") as out:
    json.dump(weights, out)
data = json.load(open("work/weights.json"))
"""
    },
)
GOOD = (
    """```javascript
Write('tmp/rows.json', JSON.stringify(rows))
await Task({ subagent_type: 'cleaner', prompt: `Drop doubles from tmp/rows.json` })
const again = JSON.parse(Read('tmp/rows.json'))
```""",
    """```python
with open("model.json", "w") as out:
    json.dump(weights, out)

with open("model.json") as source:
    weights = json.load(source)
```""",
)


def check(case: Case) -> Iterator[Finding]:
    """Find files that code writes and reads back, in scripts and in steps that call Claude Code's tools."""
    for file in case.skill.sources:
        for code in file.codes:
            for relay in find_relays(code, with_tools=file.is_markdown):
                clause = f"`{relay.name}` is written from `{relay.variable}` and read back at line {relay.read.line}"
                message = f"{clause}, although `{relay.variable}` still has the value."
                yield Finding(file.path, relay.write.line, message, relay.read.line)
