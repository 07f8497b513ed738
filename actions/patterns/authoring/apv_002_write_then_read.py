"""A step writes a file and reads it back itself.

What it sees: one stage writes a file and reads it again some lines later; no agent, user or other stage has the file
in between, and no other line of the skill names it.
Why it is bad: Two tool calls and the whole content once more in the context, for a value that is already there.
Instead: Go on with the value itself; write a file only for another phase, an agent or the user.
May be wrong: The file is there to survive a compaction or a restart, and the text does not say so.
"""

from collections.abc import Iterator

from actions.facts.dataflow.file_names import base
from actions.facts.dataflow.relays import relays
from actions.patterns.pattern import Evidence, Pattern
from actions.skill import Case
from schemas.vocabulary import Confidence, Family, Severity

PATTERN = Pattern(
    id="APV-002",
    family=Family.AUTHORING,
    impact=("every_run", "easy"),
    confidence=Confidence.MEDIUM,
    strategies=("context_passing",),
    cause="relay",
)
BAD = (
    """# Join

```javascript
const rows = collect(sources)
Write(`${tmp}/rows.json`, JSON.stringify(rows))
const again = JSON.parse(Read(`${tmp}/rows.json`))
const table = render(again)
```
""",
    """# Weigh

```python
with open("work/weights.json", "w") as out:
    json.dump(weights, out)
data = json.load(open("work/weights.json"))
Task(prompt=data)
```
""",
    "# 汇总\n\n1. 将分组结果写入 `tmp/groups.json`。\n2. 读取 `tmp/groups.json`，逐组给出结论。\n",
)
GOOD = (
    "# Tides\n\n```python\ntides = sum_by(heights, 'hour')\nwrite(\"tides.csv\", to_csv(tides))\n```\n\nReport the highest water, the flow per harbour and the share of springs, and where `tides.csv` lies.\n",
    "# Jury\n\n1. Start a reviewer with this task:\n\n> Read `essay.md`. Save your remarks as `remarks.md`.\n\n2. Go through `remarks.md` with the author.\n",
    """# Join

```javascript
const rows = collect(sources)
const table = render(rows)
Write(`${out}/table.json`, JSON.stringify(table))
```
""",
    """# Dig

```javascript
Write(`${work}/brief.json`, JSON.stringify(brief))
Task({ prompt: `Work on ${work}/brief.json` })
const result = Read(`${work}/brief.json`)
```
""",
    "# Long\n\n## Phase 1: Sort\nWrite the order to `work/order.json`.\n\n## Phase 2: Walk\nRead `work/order.json` and walk.\n",
    "# Photos\n\nWork in lots and write `sorted/lots.json` after each.\n\nWhen the skill starts, read `sorted/lots.json` if it is there and begin with the first lot that is not done.\n",
    "# Cross\n\n1. Ask for the words. Save them as `puzzle/words.txt`.\n2. Drop the long ones and tell the user.\n3. Lay the words of `puzzle/words.txt` into the grid.\n4. Show it.\n",
    "# Cross\n\n1. Save the answers as `run/a.json`.\n2. On the next call read `run/a.json` and go on.\n",
)


def look(case: Case) -> Iterator[Evidence]:
    """Give each relay, from the write to the read."""
    for relay in relays(case.skill):
        message = f"`{base(relay.name)}` is written here and read back in line {relay.read} of the same stage."
        in_code = case.skill.by_path[relay.file].doc.fence_at(relay.write) is not None
        severity = None if in_code else Severity.LOW
        yield Evidence(relay.file, relay.write, message, line_end=relay.read, severity=severity)
