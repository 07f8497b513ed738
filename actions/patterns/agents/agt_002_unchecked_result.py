"""A sub-agent's answer is used without a check.

It is:
- code or prose that parses the answer of a sub-agent, without saying what to do if it cannot be parsed
- code that accesses a nested member of the answer without testing it first
- an order to trust what a sub-agent reports, such as "all tests pass", although a cheap check could confirm it
It is not:
- an answer that is passed on or printed unchanged
- an answer that is first tested, parsed inside try/catch, or validated by a function or a schema
- a skill that says, in any words, what to do when an answer is not as expected
- a sub-agent whose failure the skill does not mention: that is AGT-001
Why it is bad: A sub-agent answers in text: it may wrap the JSON in prose, cut it short or leave it out. The parse error then
ends the run, or the model makes up the missing fields.
Instead: Check the answer. If it is invalid, ask once more, then stop and show the raw answer.
"""

from actions.patterns.pattern import Pattern

PATTERN = Pattern(id="AGT-002", impact=("loses", "easy"), strategies=("result_validation",), cause="unchecked")
BAD = """```javascript
const answer = await Task({ subagent_type: "Explore", prompt: `Score each page of ${folder}. Return JSON.` })
const scores = JSON.parse(answer)
```"""
GOOD = """```javascript
const answer = await Task({ subagent_type: "Explore", prompt: "List the pages as JSON." })
if (!answer.startsWith("[")) return ask("The list is not JSON. Go on without it?")
const pages = JSON.parse(answer)
```"""
