"""No way to continue after a compaction or in a new session.

It is:
- a skill that keeps its progress in a file and never says to read that file when a run begins anew
- a start that empties or overwrites the record of an earlier run without looking at it
It is not:
- a chain that writes nothing down as it goes and begins anew when it is broken off: that is MEM-003
- a start that looks for earlier work first, or asks the user whether to go on with it
- a log that is kept for people
Low when:
- what is lost takes a few minutes to do again
Why it is bad: The finished part is done again and paid twice, or overwritten although it was good.
Instead: Say at the start to look for the state and to go on with the first open stage.
"""

from actions.patterns.pattern import Pattern

PATTERN = Pattern(id="MEM-006", impact=("loses",), strategies=("checkpoint_restore",))
BAD = """1. Write `progress.json` with `{"done": []}`.
2. Translate the chapters one after the other, about forty of them, and add each to `done`.
"""
GOOD = """1. Read `progress.json`. Only if it is not there, write it with `{"done": []}`.
2. Translate the chapters that are not in `done`, one after the other, and add each to `done`.
"""
