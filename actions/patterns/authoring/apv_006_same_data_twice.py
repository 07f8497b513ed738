"""Two fields of the state hold the same data.

It is:
- two fields that are set to the same value at the same time, and must stay equal
- a field that can be derived from another one, but is stored as well
It is not:
- a snapshot from before a change, for comparison or for undoing the change
- an ID beside the object that it identifies
- one value in two different files for two different readers
Why it is bad: The state contains the data twice, and after the next change the two copies may disagree.
Instead: Keep one field, and read it everywhere.
"""

from actions.patterns.pattern import Pattern

PATTERN = Pattern(id="APV-006", impact=("every_run",), strategies=("deduplicate_storage",))
BAD = """```javascript
state.findings = collect(files)
state.results = state.findings
saveState('survey-state.json', state)
```"""
GOOD = """```javascript
state.findings_before = state.findings
state.findings = collect(files)
saveState('survey-state.json', state)
```

If more than half of `findings_before` is gone, ask the user before you go on.
"""
