"""A constraint is missing from the prompt or phase that it applies to.

It is:
- a rule of SKILL.md about the work of a sub-agent, while the sub-agent's prompt neither states the rule nor names a file that does
- a rule that one phase sets for the rest of the run, while a later phase does the work that the rule is about and neither repeats it nor refers to it
- a value or choice that the user makes at the start and that the prompt of the sub-agent leaves out
It is not:
- a rule that binds the main conversation alone: when to ask the user, how many agents to start, how to report
- a rule that the prompt states in other words, or through a file or a variable that contains it
- a rule that a hook, a script or a tool enforces
Low when:
- the work is done by the main conversation, which read SKILL.md
- breaking the rule costs a correction and does no damage
Why it is bad: A sub-agent never sees SKILL.md, so it does not know a rule that its prompt leaves out. In a long run even the
main conversation follows the phase that it read last.
Instead: Repeat the constraint in the prompt, in one line; in a phase, a line that refers to the rules is enough.
"""

from actions.patterns.pattern import Pattern

PATTERN = Pattern(id="MEM-001", impact=("loses", "easy"), strategies=("constraint_injection",))
BAD = """- Never delete rows from the `orders` table: finance reconciles against it.

```javascript
Task({ subagent_type: "general-purpose", prompt: `Clean up the orders of ${year}: remove duplicates and blanks.` })
```"""
GOOD = """```javascript
Task({ subagent_type: "general-purpose", prompt: `Mark the duplicates of ${year} as void. Keep every row of orders.` })
```"""
