"""The saved progress is not used after a compaction or in a new session.

It is:
- a skill that keeps its progress in a file and never says to read that file when a run starts again
- a first step that empties or overwrites the record of an earlier run without reading it
It is not:
- a chain that saves nothing as it goes and starts over when it is interrupted: that is MEM-003
- a first step that looks for earlier work, or asks the user whether to continue it
- a log that is kept for people
Low when:
- the lost work takes a few minutes to do again
Why it is bad: Finished work is done and paid for again, or overwritten although it was good.
Instead: Say at the start to look for the state and to continue with the first open stage.
"""

from actions.patterns.pattern import Pattern

PATTERN = Pattern(id="MEM-006", impact=("loses",), strategies=("checkpoint_restore",))
BAD = """1. Write `progress.json` with `{"done": []}`.
2. Translate the chapters one after the other, about forty of them, and add each to `done`.
"""
GOOD = """1. Read `progress.json`. Only if it is not there, write it with `{"done": []}`.
2. Translate the chapters that are not in `done`, one after the other, and add each to `done`.
"""
