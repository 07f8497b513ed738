"""A sub-agent call without error handling.

It is:
- code that starts a sub-agent and uses its answer, while neither its file nor SKILL.md says what happens when it fails, times out or returns nothing (proven)
- a step in prose that starts a sub-agent without saying so either
- an unguarded call beside a guarded one
- code that catches a sub-agent's failure and does nothing about it
It is not:
- a step whose file or SKILL.md says, in any words, what to do about failures
- a call inside try/catch, or one whose answer is checked before the run continues
- a sketch of a call, whose prompt is only an ellipsis
- a call whose answer no code uses: the main conversation sees the failure
- an answer that is parsed or destructured without a check: that is AGT-002
Why it is bad: Sub-agents fail, time out and return nothing. If nothing handles that, the next step has no input,
and the run ends with a confident but wrong result.
Instead: Catch the failure, or say what to do about it: retry once, continue without the answer and report that, or stop.
"""

from collections.abc import Iterator

from actions.case import Case
from actions.patterns.pattern import Finding, Pattern
from actions.skill.agents import AgentCall, find_started_agents, is_failure_covered

PATTERN = Pattern(id="AGT-001", impact=("loses", "easy"), strategies=("error_wrapping",), cause="unchecked")
BAD = (
    """```javascript
const survey = Task({ subagent_type: "Explore", prompt: `List the owners of each module in ${folder}.` })
Write("owners.md", survey)
```""",
    """```python
notes = Agent(subagent_type="general-purpose", description="Collect", prompt=f"Collect the notes since {tag}.")
write("notes.md", notes)
```""",
)
GOOD = (
    """```python
notes = Task(subagent_type="collector", prompt="...")
Task(subagent_type="judge", prompt=f"Judge: {notes}")
```""",
    """```javascript
const survey = Task({ subagent_type: "Explore", prompt: `List the owners of each module in ${folder}.` })
if (!survey) return "no owners found"
Write("owners.md", survey)
```""",
    """```javascript
const survey = Task({ subagent_type: "Explore", prompt: `List the owners of each module in ${folder}.` })
```

A survey that times out is started once more, then left out of the report.
""",
)


def check(case: Case) -> Iterator[Finding]:
    """Find files that have unguarded calls and say nothing about failures."""
    calls = find_started_agents(case.skill)
    unguarded = (call for call in calls if not (call.is_guarded or call.is_sketch) and call.is_used)
    yield from (_build_finding(call) for call in unguarded if not is_failure_covered(case.skill, call.file))


def _build_finding(agent: AgentCall) -> Finding:
    path, call = agent.file.path, agent.call
    clause = "SKILL.md does not say" if path == "SKILL.md" else "neither this file nor SKILL.md says"
    start = f"`{call.name}` starts a sub-agent and the next lines use its answer"
    return Finding(path, call.line, f"{start}, but {clause} what happens when it fails.", call.line_end, cause=path)
