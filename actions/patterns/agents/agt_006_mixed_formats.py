"""Sub-agents whose answers are combined return different formats.

It is:
- prompts that ask for the same thing in different formats, such as JSON from one and Markdown from the other, while one step joins the answers
- a step that joins answers, although one of the prompts leaves the format to the sub-agent
It is not:
- sub-agents whose answers are not joined, or that do different kinds of work
- a file that a sub-agent writes in another format for another reader
- examples of several outputs in documentation
Why it is bad: The step that joins the answers must parse each one differently, and fields get lost between the formats.
Instead: Ask all of them for one format, and define it once.
"""

from actions.patterns.pattern import Pattern

PATTERN = Pattern(id="AGT-006", impact=("every_run",), strategies=("custom",))
BAD = """```javascript
const security = Task({ prompt: `Review ${diff} for security. Return JSON: {"findings": [{"file", "line"}]}` })
const style = Task({ prompt: `Review ${diff} for style. Return a Markdown list, one bullet for each finding.` })
```

Print the findings of both as one table.
"""
GOOD = """Each reviewer returns JSON: `{"findings": [{"file", "line", "severity", "text"}]}`.

```javascript
const security = Task({ prompt: `Review ${diff} for security. ${FORM}` })
const style = Task({ prompt: `Review ${diff} for style. ${FORM}` })
```"""
