"""The state of the run is spread over several files.

It is:
- three or more files that each hold a part of the run's status: its step, its progress, its answers
- one record that is spread over several files which only make sense together
It is not:
- results of different kinds that the run produces: tables, reports, lists of findings
- one state file, with logs or results beside it
- parallel workers that each have their own file
Low when:
- only one of the files decides what happens next
Why it is bad: After a break the files disagree, and no phase knows which one is right.
Instead: Keep one state file with one section per concern.
"""

from actions.patterns.pattern import Pattern

PATTERN = Pattern(id="DF-001", impact=("loses",), strategies=("state_centralization",))
BAD = """1. Save the current table to `.run/state.json` and the tables that are done to `.run/progress.json`.
2. After each table, set `.run/status.json` to "copied" or "failed".
3. When you are called again, go on where the run stopped.
"""
GOOD = """1. Keep the current table, the tables that are done and their outcome in `.run/state.json`.
2. Write the copied rows to `out/rows.csv` and what failed to `out/errors.csv`.
3. When you are called again, read `.run/state.json` and go on from there.
"""
