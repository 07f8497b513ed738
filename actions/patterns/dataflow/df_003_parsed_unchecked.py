"""Data from an agent, another phase or outside is parsed without a check.

It is:
- a reply of a sub-agent that is parsed as JSON and used, without saying what happens if it is invalid
- a file of the run, or a document from outside, whose fields are used at once although they may be missing
It is not:
- a parse inside `try`, or one whose fields are tested before they are used
- a check elsewhere in the same step: "if it is not valid JSON, ask once more"
- a file that the same step or script has written just before
Why it is bad: Agents wrap JSON in prose or leave fields out; the run stops, or goes on with missing data.
Instead: Parse inside `try`, check the fields that are needed, and ask once more when they are missing.
"""

from actions.patterns.pattern import Pattern

PATTERN = Pattern(id="DF-003", impact=("every_run",), strategies=("result_validation",))
BAD = """```javascript
const reply = await Task({ subagent_type: 'general-purpose', prompt: `List the risks of ${plan} as JSON` })
const risks = JSON.parse(reply)
for (const risk of risks.items) report(risk.name, risk.level)
```"""
GOOD = """```javascript
const reply = await Task({ subagent_type: 'general-purpose', prompt: `List the risks of ${plan} as JSON` })
let risks = null
try { risks = JSON.parse(reply) } catch (error) { risks = null }
if (!Array.isArray(risks?.items)) return askOnceMore(reply)
```"""
