"""A sub-agent is instructed to start other sub-agents.

It is:
- the prompt of a sub-agent that orders it to use the Task or Agent tool, or to launch helpers of its own
- a definition in `agents/` whose text asks the agent to start sub-agents
- a sub-agent that is instructed to run a skill or a phase which itself starts sub-agents
It is not:
- the main conversation that starts several sub-agents, one after the other or in parallel
- a teammate that sends messages to others that the main conversation started
- a skill that names the versions or settings under which sub-agents may start others
Low when:
- the prompt says what to do if the sub-agent cannot start others
Why it is bad: Older versions of Claude Code give sub-agents no tool to start others; newer ones allow it only a few levels deep
and if the agent's tools include it. Otherwise the order is ignored, and the work is missing or made up.
Instead: Let the sub-agent do the work itself, or let the main conversation start them all.
"""

from actions.patterns.pattern import Pattern

PATTERN = Pattern(id="AGT-004", impact=("blocks",), strategies=("flatten_nesting",))
BAD = """```javascript
Task({ prompt: `Survey ${folder}: for each module in it, launch an agent with the Task tool that lists its functions.` })
```"""
GOOD = """```javascript
const lists = modules.map(module => Task({ prompt: `List the functions of ${module}. Start no other agents.` }))
```"""
