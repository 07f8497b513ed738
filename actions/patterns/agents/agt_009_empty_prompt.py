"""A blank or contradictory prompt.

It is:
- a sub-agent call without a prompt, or with an empty one
- a prompt of which a needed part may be empty, such as a list of findings, with no word about that case
- a prompt with two orders of which only one can be kept: change nothing and mend, be brief and leave nothing out
It is not:
- a prompt that stands beside the call, or in a file that the call names
- a short prompt that says what to do
- two orders for two cases, each of which is named
- two rules of the skill's own text that exclude each other: that is DOC-CON-003
Why it is bad: The sub-agent gets nothing to work on, or two orders of which it can keep only one, and answers with
something plausible.
Instead: Write the prompt; say in it what holds when a list is empty, and keep one of two orders.
"""

import re
from collections.abc import Iterator

from actions.code.literals import literal
from actions.patterns.pattern import Evidence, Family, Pattern
from actions.skill import Case
from actions.skill.agents import AgentCall, started_agents

PATTERN = Pattern(id="AGT-009", family=Family.AGENT, impact=("loses", "easy"), strategies=("custom",))
_PROMPT = re.compile(r"prompt|message|instruction|提示|指令", re.IGNORECASE)
_PLAIN = frozenset({"pair", "keyword_argument", "assignment_expression", "object", "dictionary"})
BAD = (
    """```javascript
Task({ subagent_type: "Explore", description: "Survey the modules" })
```

Print the survey. If it fails, stop.
""",
    """```python
Task(subagent_type="general-purpose", prompt="")
```""",
)
GOOD = (
    """```javascript
Task({ subagent_type: "Explore", description: "Survey", prompt })
Task({ subagent_type: "Explore", ...survey })
```""",
    """```javascript
Task({ subagent_type: "Explore", description: "Survey the modules" })
```

The prompt of the survey stands in `references/survey.md`.
""",
)


def look(case: Case) -> Iterator[Evidence]:
    """Yield each call with an empty prompt, or with none where no prompt is spoken of around it."""
    for one in started_agents(case.skill):
        text = literal(one.code, one.call.named.get("prompt"))
        is_empty = text is not None and not text.strip()
        if is_empty or ("subagent_type" in one.call.named and _lacks_prompt(one) and not _is_near(one)):
            fault = "has an empty prompt" if is_empty else "has no prompt"
            message = f"The call of `{one.call.name}` {fault}: the sub-agent gets nothing to work on."
            yield Evidence(one.file.path, one.call.line, message, one.call.line_end)


def _lacks_prompt(one: AgentCall) -> bool:
    """Return whether a call has all its arguments by name, and no prompt among them."""
    if one.call.named.keys() & {"prompt", "resume"}:
        return False
    given = one.call.node.child_by_field_name("arguments")
    parts = list(given.named_children) if given is not None else []
    parts += [child for part in parts if part.type in ("object", "dictionary") for child in part.named_children]
    return all(part.type in _PLAIN for part in parts)


def _is_near(one: AgentCall) -> bool:
    """Return whether the section of a call speaks of a prompt outside of the call."""
    doc = one.file.doc
    section = doc.section_at(one.call.line)
    lines = (doc.line(n) for n in range(section.start, section.end + 1) if not one.call.line <= n <= one.call.line_end)
    return any(_PROMPT.search(line) for line in lines)
