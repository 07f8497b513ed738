"""A list in the state keeps growing.

It is:
- a list in the skill's state that gets an entry with each round, item or call, and is read back with the state
- such a list that no instruction shortens: no window, no count, no separate file for older entries
It is not:
- a history of the conversation that goes into prompts (CTX-001)
- a list with a known end: the files of one task, the phases of the workflow
- a log that is appended to and never read back
Why it is bad: The state is read with every round, so each round costs more than the one before.
Instead: Keep the last entries or a count in the state, and append the rest to a log file.
"""

from actions.patterns.pattern import Pattern

PATTERN = Pattern(id="TKN-004", impact=("every_run",), strategies=("sliding_window",), cause="history")
BAD = """Repeat until the user is content:

1. Read `state.json`, change one parameter, run the benchmark.
2. Append the parameters, the full output and your reasoning to `state.json` under `attempts`.
"""
GOOD = """Repeat until the user is content, at most ten times:

1. Read `state.json`, change one parameter, run the benchmark.
2. Append the full output to `attempts.log`. Keep in `state.json` the best attempt and the last three.
"""
