"""The skill starts more than three types of sub-agents.

It is:
- code of a skill that starts four or more different types of sub-agents
- steps in prose that start four or more different types
It is not:
- one type that is started with different prompts
- agents of one plugin with the same last word (`birds:egg-counter`, `birds:nest-counter`), which count as one type
- types that a skill lists for the user to choose from, or alternatives of which a run starts only one
Why it is bad: Each type has its own tools and its own form of answer; the step that combines their work must handle them all, and
every change affects several of them.
Instead: Give one general type different prompts, or merge types that do nearly the same work.
"""

from actions.patterns.pattern import Pattern

PATTERN = Pattern(id="AGT-003", impact=("every_run",), strategies=("custom",))
BAD = (
    """```javascript
Task({ subagent_type: "code-reviewer", prompt: "Review the diff." })
Task({ subagent_type: "security-auditor", prompt: "Audit the diff." })
Task({ subagent_type: "doc-writer", prompt: "Write the notes." })
Task({ subagent_type: "release-manager", prompt: "Tag the release." })
```""",
    {
        "plan.md": """```js
Task({subagent_type: 'Plan', prompt})
Task({subagent_type: 'Explore', prompt})
```
""",
        "do.md": """```js
Task({subagent_type: 'code-writer', prompt})
Task({subagent_type: 'tester', prompt})
```
""",
    },
)
GOOD = (
    """```javascript
Task({ subagent_type: "birds:egg-counter", prompt: "Count the eggs." })
Task({ subagent_type: "birds:nest-counter", prompt: "Count the nests." })
Task({ subagent_type: "birds:gull-counter", prompt: "Count the gulls." })
Task({ subagent_type: "birds:tern-counter", prompt: "Count the terns." })
```""",
    """```javascript
Task({ subagent_type: "Explore", prompt: "Review the diff." })
Task({ subagent_type: "general-purpose", prompt: "Write the notes." })
```""",
    """Use Explore for looking, Plan for planning, code-reviewer for reviews, and general-purpose for the rest:

```javascript
Task({ subagent_type: kind, prompt: "Tag the release." })
```""",
)
