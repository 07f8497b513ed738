"""A task is handed over without any constraint.

It is:
- a prompt that orders a sub-agent to change something and sets no limit at all, in a skill that has rules for such changes
- one of several briefs that lacks the rules which the other briefs are given
- a prompt that carries none of the rules of SKILL.md, while its answer becomes part of what they bind
It is not:
- a prompt that only reads, searches or reports, and whose answer goes into nothing that a rule of the skill is about
- a prompt that names a file with the rules, or is handed them in a variable
- a single rule that is missing from a prompt that has others: that is MEM-001
Why it is bad: The sub-agent sees only its prompt, and takes whatever is not forbidden there as allowed.
Instead: Say in the prompt what to leave alone and what must hold.
"""

from actions.patterns.pattern import Pattern

PATTERN = Pattern(id="MEM-002", impact=("every_run",), strategies=("constraint_injection",))
BAD = """Public names stay as they are, generated files are not touched, and no dependency is added.

```python
Task(description="Modernise a module", prompt=f"Rewrite {module} in modern Python and run its tests.")
```"""
GOOD = """```python
Task(description="Modernise a module", prompt=f"Rewrite {module} in modern Python and run its tests. "
     "Public names stay as they are, generated files are not touched, and no dependency is added.")
```"""
