"""The state does not keep the user's request.

It is:
- the definition of a state, a session record or a hand-over file by which the run is continued, without a field that holds the user's request, goal or requirements
- a loop that reads its state at the start of each round and finds there what was done, but not what for
It is not:
- a state beside another file that holds the request and is read when the run is continued
- a skill whose runs all do the same: the user gives an object to work on (a file, a number), and nothing more is asked or answered
- the state of a program that the skill is about
Low when:
- the request fits in one argument that every call of the skill is given again
Why it is bad: After a compaction or in a new session the state is all that is left, and the run goes on without knowing
what for.
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
