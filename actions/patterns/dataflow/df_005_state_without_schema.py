"""The skill keeps a state, but does not define its fields.

It is:
- several places that set and test fields of a state kept in a file, with no type, initial value, example or table of the fields
- an order to save "the state" or "what matters" for a later phase, without saying which fields
It is not:
- a state whose fields are listed once anywhere in the skill: a schema, a JSON example, an interface, a list
- a state of one or two fields that are named where they are used
- a skill without a state file
Low when:
- only one place writes and reads the state
Why it is bad: Each phase guesses the names and types of the fields, and a typo in one of them is never found.
Instead: Declare the state once, and let each phase that reads it follow that declaration.
"""

from actions.patterns.pattern import Pattern

PATTERN = Pattern(id="DF-005", impact=("every_run", "easy"), strategies=("schema_enforcement",))
BAD = """Keep `release-state.json` up to date.

```javascript
state.gates_passed = runGates(state.branch)
state.published_at = publish(state.version)
```"""
GOOD = """`release-state.json` holds `{"branch": "", "version": "", "gates_passed": false, "published_at": null}`.

```javascript
state.gates_passed = runGates(state.branch)
state.published_at = publish(state.version)
```"""
