"""The work goes through a chain of intermediate files.

It is:
- four or more files that one step writes and only the next step reads
- four or more commands that each write a file for the next one alone, where a pipe would do
It is not:
- files that let an interrupted run resume, or that go to sub-agents, scripts or the user
- files that are too large for the conversation
Why it is bad: Every file costs a write, a read and its content a second time, and a typo in one name breaks the chain.
Instead: Pass small results on in the conversation, in one state file, or through a pipe.
"""

from actions.patterns.pattern import Pattern

PATTERN = Pattern(id="APV-001", impact=("every_run",))
BAD = """1. Read the bids and write their prices to `step1.json`.
2. Read `step1.json`, correct the taxes, and write `step2.json`.
3. Read `step2.json`, score each bid, and write `step3.json`.
4. Read `step3.json`, rank the bids, and write `step4.json`.
5. Read `step4.json` and write `comparison.md`.
"""
GOOD = """1. Read the bids, take their prices and correct the taxes.
2. Score and rank them.
3. Write `comparison.md` for the user, and `bids.json` for the next round.
"""
