"""A condition tests a state field that nothing sets.

What it sees: an `if`, a loop or a sentence asks for a field of the state, and no code, declaration or sentence of
the skill gives that field a value, while other fields are given theirs. Likewise a named value that a step asks for in
words ("if `is_holiday` is true") and that the skill names nowhere else, and a value that a field is asked for and never gets:
its type lists others, or all that sets it sets others.
Why it is bad: The branch is always or never taken: a loop does not end, a step is skipped.
Instead: Set the field where the fact becomes known, or test the field that is set.
May be wrong: An agent or a program outside of the skill writes the field.
"""

from collections.abc import Iterator
from itertools import islice

from actions.facts.dataflow.flags import unset_flags
from actions.facts.dataflow.orphans import orphans
from actions.facts.dataflow.values import foreign_values
from actions.facts.state.fields import Act
from actions.patterns.pattern import Evidence, Pattern
from actions.skill import Case
from schemas.vocabulary import Confidence, Family

PATTERN = Pattern(
    id="DF-007",
    family=Family.DATAFLOW,
    impact=("blocks",),
    confidence=Confidence.MEDIUM,
    strategies=("field_normalization",),
)
BAD = (
    """# Order

```javascript
const order = {
  items: answer.items,
  step: 1
}
Write("order.json", JSON.stringify(order))
order.step = 2
```

```python
if order["paid"]:
    Task(prompt=f"Ship {order['items']}")
```
""",
    """# Loop

```javascript
const state = { round: 0, findings: [] }
while (!state.settled) {
  const found = Task({ prompt: `Look at ${target}` })
  state.findings.push(found)
  state.round += 1
}
```
""",
    """# Poll

```python
state["attempts"] = 0
if state["approved"]:
    Bash("make ship")
```
""",
    "# 审批\n\n1. 将 `state.level` 设置为 `low`。\n2. 如果 `state.signed_off` 为真，进入发布。\n3. 调用子代理，更新 `state.level`。\n",
    "# X\n\n```javascript\nconst config = { language: ask('Language?'), minutes: 2 };\nconst text = compose(config.language, config.minutes);\nif (config.childVersion) simplify(text);\n```\n",
    "# Seats\n\n1. Ask for the number of guests.\n2. If `needs_interpreter` is true, add a seat.\n3. Print the plan.\n",
    "# 接待\n\n1. 登记来访者。\n2. 若 `vip_level` 等于 `gold`，安排专车。\n3. 通知前台。\n",
    "# Triage\n\n```js\nfor (const p of patients) p.colour = pulse(p) > 120 ? 'red' : 'green'\nfor (const p of patients) {\n  if (p.colour === 'blue') call(p)\n}\n```\n",
    "# Visa\n\n```ts\ninterface Claim { grade: 'a' | 'b' | 'c'; text: string }\n```\n\n```js\nif (claims.some(c => c.grade === 'd')) stop()\n```\n",
    "# Mail\n\nSet `rank` to `first`, `second` or `third`.\n\n1. Sort by `rank`.\n2. If `rank` is `zeroth`, throw it away.\n3. Show the rest.\n",
    '# Market\n\n```javascript\nconst stall = size > 3 ? "large" : "small";\nconst lines = [name];\n'
    'if (stall === "double") lines.push("two tables");\nWrite("stall.md", lines.join("; "));\n```\n',
    '# Market\n\n```python\nstall = "large" if size > 3 else "small"\nif stall == "double":\n    Write("stall.md", "two tables")\n```\n',
    "# Roof\n\n1. Take the measures, put them into `roof.json`.\n2. If `listed` is true in `roof.json`, add a fifth.\n3. Show it.\n",
    "# 发货\n\n1. 问清重量，写入 `parcel.json`。\n2. 如果 `parcel.json` 里 `fragile` 为 true，加一层泡沫。\n3. 打印面单。\n",
    "# Cake\n\n```javascript\nlet medal\nif (points > 8) medal = 'gold'\nelse medal = 'none'\nif (medal === 'bronze') mention(cake)\n```\n",
    "# Town\n\n1. Give each letter a `desk`: `tax`, `school` or `roads`.\n2. Letters whose `desk` is `parks` wait.\n3. Show the piles.\n",
    "# Tea\n\n```ts\ntype Order = { kind: 'green' | 'black'; cups: number }\nif (order.kind === 'herbal') hot(100)\n```\n",
    "# Shop\n\n1. Set `status` to `open`.\n2. After the look set `status` to `checked`.\n3. When `status` is `approved`, pay.\n",
)
GOOD = (
    """# Order

```javascript
const order = { items: [], step: 1, paid: false }
Write("order.json", JSON.stringify(order))
if (order.paid) {
  Task({ prompt: `Ship ${order.items}` })
}
```
""",
    """# Loop

```javascript
const state = { round: 0, settled: false }
while (!state.settled) {
  const found = Task({ prompt: `Look at ${target}` })
  state.settled = found.length === 0
}
```
""",
    """# Poll

Ask the user for a yes and record it in `state.approved`.

```python
state["attempts"] = 0
if state["approved"]:
    Bash("make ship")
```
""",
    "# Buttons\n\n```jsx\nimport React from 'react'\nif (this.state.open) { close() }\nthis.setState({ shown: true })\n```\n",
    "# Seats\n\n1. Ask for the number of guests and set `needs_interpreter` when somebody asks for one.\n2. If `needs_interpreter` is true, add a seat.\n3. Print the plan.\n",
    "# Lint\n\n1. Run the linter.\n2. If the option `no_cache` is set, wait.\n3. Report.\n",
    "# X\n\n```javascript\nconst config = load('config.json');\nif (config.childVersion) simplify(text);\n```\n",
    "# Visa\n\n```ts\ninterface Claim { grade: 'a' | 'b' | string }\n```\n\n```js\nif (claim.grade === 'd') stop()\n```\n",
    "# Triage\n\n```js\np.colour = pulse(p) > 120 ? 'red' : 'green'\nif (p.colour === 'blue') call(p)\n```\n\nThe user may mark a patient `blue`.\n",
    '# Market\n\n```javascript\nlet stall = size > 3 ? "large" : "small";\nif (tables > 1) stall = "double";\n'
    'if (stall === "double") Write("stall.md", "two tables");\n```\n',
    "# Roof\n\n1. Take the measures, put them and `listed` into `roof.json`.\n2. If `listed` is true in `roof.json`, add a fifth.\n3. If `git` is there, commit.\n",
    "# Cake\n\n```javascript\nlet medal = judge(cake)\nif (points > 8) medal = 'gold'\nelse medal = 'none'\nif (medal === 'bronze') mention(cake)\n```\n",
    "# Shop\n\n1. Set `status` to `open`.\n2. After the look set `status` to what the clerk says.\n3. When `status` is `approved`, pay.\n",
)


def look(case: Case) -> Iterator[Evidence]:
    """Give the first test of each field that nothing sets."""
    tested = (use for use in orphans(case.skill).unset if use.act is Act.TEST)
    for use in islice(tested, _MOST):
        yield Evidence(use.file, use.line, f"`{use.name}` is tested here and nothing sets it.")
    for flag in islice(unset_flags(case.skill), _MOST):
        yield Evidence(flag.file, flag.line, f"`{flag.name}` is asked for here and no step sets it.")
    for item in foreign_values(case.skill):
        known = ", ".join(f"`{value}`" for value in item.known[:_SHOWN])
        message = f"`{item.name}` is asked for `{item.value}` here, and only gets {known}."
        yield Evidence(item.file, item.line, message)


_MOST, _SHOWN = 20, 5
