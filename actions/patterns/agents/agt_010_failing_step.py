"""A step can fail, and the skill does not say what to do if it does.

It is:
- a command, request or tool call that a later step depends on, when neither its file nor SKILL.md says what to do if it fails or returns nothing, so that the later step would continue with missing, partial or made-up data
- a step that deletes or replaces data that an earlier step should have saved, without checking that it was saved
- an order to ignore a failure silently
It is not:
- the call of a sub-agent (AGT-001), or an answer used unchecked (AGT-002)
- a retry without a limit (AGT-008)
- a command whose error the model sees and can fix without loss: a failing test, a missing package, a typo in a path
- an example of how to call a library or a command that no step depends on
- a skill that says once for all steps, in its text or in a script, what a failure means
Low when:
- the run stops with an error message of its own before anything was changed
Why it is bad: The model continues with a missing or incomplete result, or makes one up, and the run looks like a success.
Instead: Say at the step, or once for all steps, what to do after a failure: retry, use an alternative, or stop and report it.
"""

from actions.patterns.pattern import Pattern

PATTERN = Pattern(id="AGT-010", impact=("loses", "easy"), strategies=("error_wrapping",), cause="unchecked")
BAD = """1. Export the table: `pgdump --table orders > orders.sql`.
2. Drop it: `psql -c 'drop table orders'`.
3. Load `orders.sql` into the new database.
"""
GOOD = """1. Export the table: `pgdump --table orders > orders.sql`. If it fails or the file is empty, stop and show the message.
2. Load `orders.sql` into the new database, and compare the number of rows.
3. Only where they are equal: `psql -c 'drop table orders'`.
"""
