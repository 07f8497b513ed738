"""The state has a history without a limit.

It is:
- a field of the state such as `history`, `messages` or `all_outputs` that gains an entry per round and never loses one
It is not:
- a list that is trimmed to its last entries, summarized, or emptied
- a log file that is written and never read back
- a list with one entry for each of a few known items: the phases, the files of one change
Why it is bad: The state grows with every round, and each phase that reads it pays for all earlier rounds.
Instead: Keep the last few entries or a summary in the state, and the whole record in a log that is not read back.
"""

from actions.patterns.pattern import Pattern

PATTERN = Pattern(id="APV-004", impact=("every_run",), strategies=("sliding_window",), cause="history")
BAD = """Read `state.json` before each answer, and add your answer to `messages`.

```json
{"topic": "", "level": 1, "messages": []}
```"""
GOOD = """Read `state.json` before each answer, and add your answer to `messages`; of more than five, drop the oldest.

```json
{"topic": "", "level": 1, "messages": []}
```"""
