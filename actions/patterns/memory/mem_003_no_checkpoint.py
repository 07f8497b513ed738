"""A long chain of steps has no checkpoint.

It is:
- work of many steps, or of many items, that keeps its progress only in the conversation
- a chain of steps that an interruption or a compaction halfway forces to start over
It is not:
- a chain that writes its results to files as it goes, and says how to continue from them
- a chain that saves its progress, but does not read it when it starts again: that is MEM-006
- a skill whose whole run is short: a few steps in one session
Low when:
- a step can be repeated at little cost
Why it is bad: After a compaction or a closed session no one knows how far the run got, and finished work is done again.
Instead: After each stage write to a file what is done, and continue from there when that file exists.
"""

from actions.patterns.pattern import Pattern

PATTERN = Pattern(id="MEM-003", impact=("loses",), strategies=("checkpoint_restore",))
BAD = """1. List every module that uses the old name, about two hundred.
2. Rename them one by one, and run the tests after each.
"""
GOOD = """1. List every module that uses the old name into `todo.md`, unless it is there already.
2. Take the first open line of `todo.md`, rename that module, run the tests, tick it off. Repeat until none is open.
"""
