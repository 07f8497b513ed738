"""A sub-agent's answer used unchecked.

What it sees: pseudo-code that parses the answer of a sub-agent (`JSON.parse(answer)`, `json.loads(answer)`) outside of
try and without a test of the answer before. As low: pseudo-code that takes a field of an answer that nothing looked at,
and prose that tells to parse an answer or to use it as it is, with no word about a bad one.

Why it is bad: a sub-agent answers with text: it may wrap the JSON in prose, cut it short or give none. The parse then
ends the run, or the model makes the missing fields up.

Instead: catch the failure, ask once more, and stop with the raw answer in hand.

May be wrong: when a tool checks the answer before it arrives.
"""

from collections.abc import Iterator

from actions.facts.agents.results import parsing_lines, trusting_lines, unchecked_fields, unchecked_parses
from actions.patterns.pattern import Evidence, Pattern
from actions.skill import Case
from schemas.vocabulary import Confidence, Family, Severity

PATTERN = Pattern(
    id="AGT-002",
    family=Family.AGENT,
    impact=("loses", "easy"),
    confidence=Confidence.HIGH,
    strategies=("result_validation",),
    cause="unchecked",
)

BAD = (
    """# Boats

```js
const careful = async (opts) => {
  try { return await Task(opts) } catch (e) { return null }
}
const mark = shaped(await careful({ subagent_type: 'general-purpose', prompt: `Rate the hull of ${boat}.` }))
totals[boat] = mark.rate
```
""",
    """# Rank

```javascript
const answer = Task({ subagent_type: "general-purpose", prompt: `Rank the offers in ${file}. Answer in JSON.` })
const ranks = JSON.parse(answer)
Write(`${out}/ranks.json`, JSON.stringify(ranks))
```

If the agent fails, run it once more, then report it.
""",
    """# Rank

```python
answer = Task(subagent_type="general-purpose", prompt=f"Rank the offers in {file}. Answer in JSON.")
ranks = json.loads(answer)
best = ranks[0]
```

If the agent fails, run it once more, then report it.
""",
    """# Plan

```javascript
const plan = await delegate({ agent: "planner", prompt: `Plan the move of ${goal}` })
for (const step of plan.steps) carryOut(step)
```
""",
    """# 译文

子代理返回译文后，无需校验，直接写入 `book/`。
""",
    "# Rank\n\n- Parse the JSON that the worker sends back and archive every file that it lists.\n",
    "# Songs\n\nFor every concert have a fresh general-purpose agent propose a programme; whatever it sends, take it.\n",
)

GOOD = (
    """# Boats

```js
const careful = async (opts) => {
  try { return await Task(opts) } catch (e) { return null }
}
const mark = shaped(await careful({ subagent_type: 'general-purpose', prompt: `Rate the hull of ${boat}.` }))
if (mark === null) continue
totals[boat] = mark.rate
```
""",
    """# Rank

```javascript
const answer = Task({ subagent_type: "general-purpose", prompt: `Rank the offers in ${file}. Answer in JSON.` })
try {
  ranks = JSON.parse(answer)
} catch (error) {
  throw new Error("The ranks are not JSON")
}
```
""",
    """# Rank

```python
answer = Task(subagent_type="general-purpose", prompt=f"Rank the offers in {file}. Answer in JSON.")
if not is_json(answer):
    raise ValueError("The ranks are not JSON")
ranks = json.loads(answer)
```
""",
    """# Rank

```javascript
const offers = JSON.parse(Read("offers.json"))
```
""",
    """# Plan

```javascript
const plan = await delegate({ agent: "planner", prompt: `Plan the move of ${goal}` })
if (!Array.isArray(plan?.steps)) throw new Error("no steps")
for (const step of plan.steps) carryOut(step)
```

Never use what the sub-agent returns as it is: parse its JSON, and if that fails ask it once more.
""",
    """# Rank

```python
def rank(file):
    try:
        answer = Agent(subagent_type="general-purpose", prompt=f\"\"\"Rank the offers in {file}.
Answer with a JSON array.\"\"\")
        ranks = checked(json.loads(answer), RANKS)
    except (AgentError, ValueError) as error:
        raise StepFailed(f"no ranks: {error}")
    return ranks
```
""",
    "# T\n\nHave an agent look it up. Whatever it returns is checked against the list before you use it.\n",
)


def look(case: Case) -> Iterator[Evidence]:
    """Give each unguarded parse of an answer."""
    for found in unchecked_parses(case.skill):
        message = f"The answer of {found.step.name} is parsed as if it could not be malformed."
        yield Evidence(found.step.file.path, found.parse.line, message, found.parse.line_end)
    for taken in unchecked_fields(case.skill):
        message = f"`{taken.text}` is taken from an answer that nothing has looked at (low: it is not parsed)."
        yield Evidence(taken.step.file.path, taken.line, message, severity=Severity.LOW, confidence=Confidence.MEDIUM)
    for file in case.skill.instructions:
        for line in dict.fromkeys((*trusting_lines(file), *parsing_lines(file))):
            message = "The answer of a sub-agent is used here, and nothing says what holds for a bad one (low: prose)."
            yield Evidence(file.path, line, message, severity=Severity.LOW, confidence=Confidence.MEDIUM)
