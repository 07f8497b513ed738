"""The whole state is put into a prompt.

It is:
- code that puts the skill's whole state object into a sub-agent's prompt: `JSON.stringify(state)`, `json.dumps(state)` (proven)
- an instruction to paste the whole state file into a sub-agent's prompt
It is not:
- single fields of the state, or the path of the state file
- a state of five short fields or fewer
- the contents of other files (CTX-003, TKN-003)
Why it is bad: The state grows with the work, and each call pays for all of it twice, in the main context and in the sub-agent's.
Instead: Pass the fields that the task needs, or the path of the state file.
"""

from collections.abc import Iterator

from actions.case import Case
from actions.code.prompts import find_prompt_flows
from actions.patterns.pattern import Finding, Pattern

PATTERN = Pattern(id="CTX-002", impact=("every_run", "easy"), strategies=("path_reference",), cause="content-by-value")
_MAX_SMALL = 5
BAD = (
    """```javascript
const state = JSON.parse(Read('state.json'))
Task({ prompt: `Build the next part. State: ${JSON.stringify(state, null, 2)}` })
```""",
    """```python
context = json.dumps(workflow_state)
Task(subagent_type="general-purpose", prompt="Build the next part.\\n" + context)
```""",
)
GOOD = (
    """```javascript
const state = JSON.parse(Read('state.json'))
Task({ prompt: `Build ${state.parts[0]} for ${JSON.stringify(state.target)}; the rest is in state.json` })
```""",
    """```javascript
const state = { part: name, target: out }
Task({ prompt: `Build this: ${JSON.stringify(state)}` })
```""",
)


def check(case: Case) -> Iterator[Finding]:
    """Find prompts that contain the whole state."""
    for file in case.skill.instructions:
        for code in file.codes:
            for flow in find_prompt_flows(code):
                name = code.text_of(flow.node)
                is_small = flow.origin.type in code.language.objects and flow.origin.named_child_count <= _MAX_SMALL
                if flow.node.type in code.language.variables and name.lower().endswith("state") and not is_small:
                    place = f"{file.path}:{code.line(flow.node)}"
                    message = f"The prompt of `{flow.call.name}` contains all of `{name}` ({place})."
                    also = (f"{place}: `{name}`",)
                    yield Finding(file.path, flow.call.line, message, flow.call.line_end, also)
