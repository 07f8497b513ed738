"""A task is delegated without any constraint.

It is:
- a prompt that asks a sub-agent to change something and sets no limit at all, in a skill that has rules for such changes
- one of several prompts that lacks the rules which the other prompts contain
- a prompt with none of the rules of SKILL.md, although its answer becomes part of the work that they govern
It is not:
- a prompt that only asks to read, search or report, and whose answer goes into nothing that a rule of the skill is about
- a prompt that names a file with the rules, or gets them in a variable
- a single rule that is missing from a prompt that has others: that is MEM-001
Why it is bad: The sub-agent sees only its prompt, and assumes that whatever it does not forbid is allowed.
Instead: Say in the prompt what must not be changed and which rules apply.
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
