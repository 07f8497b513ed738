"""One setting has two values.

It is:
- a limit, time, amount, name or default that two places of the skill set differently for the same case
- a constant whose value the text states, when the script or spec that defines it sets another one
- a wrong name for the skill itself
It is not:
- values for different modes, phases, platforms or units that agree when converted
- constants with the same name in different scripts that do not use each other's
- an order to change the value for one case, or an example
- an option of a script and its default (DOC-CON-002)
Low when:
- the difference changes no outcome
Why it is bad: The model follows whichever value it read last, so runs differ.
Instead: Set the value in one place, and refer to that place elsewhere.
"""

from actions.patterns.pattern import Pattern

PATTERN = Pattern(id="DOC-CON-001", impact=("every_run", "easy"), strategies=("consolidate_to_ssot",))
BAD = {
    "SKILL.md": "# Fetch\n\nRun `python scripts/fetch.py URL`. It gives up after `MAX_ATTEMPTS = 3` attempts.\n",
    "scripts/fetch.py": """MAX_ATTEMPTS = 5


def fetch(url): ...
""",
}
GOOD = {
    "phases/01-look.md": "# Look\n\nStop after two rounds (`MAX_ROUNDS = 2`).\n",
    "phases/02-fix.md": """# Fix

```javascript
const MAX_ROUNDS = 5
```
""",
}
