"""A value is passed to the next step through a file, although the next step still has it.

It is:
- a step that writes a value to a file, and the very next step of the same phase that reads the same file for it
It is not:
- a file for another phase, a sub-agent, a script, the user, or a run that is resumed later
- a value too large to stay in the conversation
- a write and a read of one file within one block of code (APV-002)
Low when:
- the value is a few lines
Why it is bad: It costs two tool calls and puts the whole content into the context again, for a value that is already there.
Instead: Use the value itself; write a file only for another reader.
"""

from actions.patterns.pattern import Pattern

PATTERN = Pattern(id="DF-008", impact=("every_run", "easy"), strategies=("context_passing",), cause="relay")
BAD = """1. Read the comments and put each into a group.
2. Write the groups to `tmp/groups.json`.
3. Read `tmp/groups.json` and name the three largest groups to the user.
"""
GOOD = """1. Read the comments and put each into a group.
2. Name the three largest groups to the user.
3. Write the groups to `out/groups.json`, which the weekly report of the team is made from.
"""
