"""The state does not keep the user's request.

It is:
- a state, session record or hand-over file from which a run continues, and which has no field for the user's request, goal or requirements
- a loop that reads its state at the start of each round, where the state records what was done but not why
It is not:
- a state beside another file that contains the request and is read when the run continues
- a skill that does the same in every run: the user only names what to work on (a file, a number), and is asked nothing more
- the state of a program that the skill is about
Low when:
- the request is a single argument that is passed again with every call of the skill
Why it is bad: After a compaction or in a new session only the state is left, and it does not say what the user wanted.
Instead: Keep the request in the state, word for word, and read it before each step.
"""

from actions.patterns.pattern import Pattern

PATTERN = Pattern(id="MEM-004", impact=("loses", "easy"), strategies=("goal_embedding",))
BAD = """A new session goes on from `.migration/state.json`: it changes the files of `open` as the user asked.

```json
{"phase": "rewrite", "done": ["models.py", "views.py"], "open": ["forms.py"], "errors": 0}
```"""
GOOD = """A new session goes on from `.migration/state.json`: it changes the files of `open` as `request` says.

```json
{"request": "the user's own words", "phase": "rewrite", "done": ["models.py", "views.py"], "open": ["forms.py"]}
```"""
