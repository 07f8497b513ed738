"""A step can fail, and the skill does not say what to do then.

It is:
- a command, request or tool call on which a later step builds, with no word in its file or in SKILL.md on what to do when it fails or comes back empty, and the later step would go on with nothing, with half, or with something made up
- a step that deletes or replaces data that an earlier one was to save, without checking that it was saved
- an order to ignore a failure silently
It is not:
- the call of a sub-agent (AGT-001), or an answer used unchecked (AGT-002)
- a retry without a bound (AGT-008)
- a command whose error the model sees and can fix without loss: a failing test, a missing package, a typo in a path
- an example of how a library or a command is called, on which no step builds
- a skill or a script of it that says once, in general, what a failure means
Low when:
- the run stops with a message of its own, and nothing was changed until then
Why it is bad: The model goes on with a missing or half-made result, or makes one up, and the end looks like a success.
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
