"""A history that keeps growing goes into every prompt.

It is:
- a list of what happened (messages, rounds, attempts) that gets an entry in each pass of a loop and is put whole into a prompt of that loop
- a record in prose that each round extends and the next round must read in full
It is not:
- a list that is trimmed, summarized or reset
- a list in the state that goes into no prompt (TKN-004)
- a list that is collected in a loop and used once after it
Low when:
- the number of rounds is limited: a `for` loop, or a condition with a number
Why it is bad: Every round costs more than the last one, until the context is full and the session is compacted in the middle of the work.
Instead: Keep a window, such as the last five entries, or a summary of the older ones, and write the full record to a file.
"""

from actions.patterns.pattern import Pattern

PATTERN = Pattern(id="CTX-001", impact=("every_run", "easy"), strategies=("sliding_window",), cause="history")
BAD = """```javascript
const history = []
while (!settled) {
  const answer = Task({ prompt: `Argue on. So far: ${JSON.stringify(history)}` })
  history.push(answer)
}
```"""
GOOD = """```javascript
const history = []
while (!settled) {
  const answer = Task({ prompt: `Argue on. Lately: ${JSON.stringify(history.slice(-3))}` })
  history.push(answer)
}
```"""
