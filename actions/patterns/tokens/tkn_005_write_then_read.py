"""A file is written and immediately read again by the same writer.

It is:
- a step that writes a file, after which the same session reads that file for its contents at once
- a value that goes through a file from one step to the next within one phase, with no other reader of the file
It is not:
- a read after a command, an agent or the user could have changed the file
- a read that checks what was written
- a file that a later session, another agent or the user needs
Why it is bad: The contents are in the context already; writing and rereading them costs their tokens two more times.
Instead: Use what is in the context; write the file once, where another reader needs it.
"""

from actions.patterns.pattern import Pattern

PATTERN = Pattern(id="TKN-005", impact=("every_run",), strategies=("context_passing",), cause="relay")
BAD = """1. Draft the outline and save it as `outline.tmp.md`.
2. Read `outline.tmp.md`, and write one paragraph for each of its headings into `article.md`.
"""
GOOD = """1. Draft the outline.
2. Write one paragraph for each of its headings into `article.md`.
"""
