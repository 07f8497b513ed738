"""One file defines the same thing twice, in other words.

It is:
- a term, format, list of fields or list of steps that one file defines in two places, reworded or with small differences
- a table and a paragraph of the same file that define the same things one by one
It is not:
- a passage that the file repeats word for word (TKN-001), or that two files contain (DOC-RED-004)
- a short reminder of a rule at the step where it applies
- an overview that names what a later section defines in full
- samples that differ on purpose
Low when:
- both definitions agree in every detail
Why it is bad: The second definition costs tokens on every read, and when only one of the two is changed, the model may follow the other.
Instead: Define it once under a heading of its own, and refer to that heading elsewhere.
"""

from actions.patterns.pattern import Pattern

PATTERN = Pattern(
    id="DOC-RED-001", impact=("every_run", "easy"), strategies=("consolidate_to_ssot",), cause="duplicate"
)
BAD = """## Severity

- **Blocker**: the program crashes or loses data. Stop the release.
- **Major**: a feature gives a wrong result. Fix it before the release.

## Report

A blocker is a crash, a hang or a loss of data and stops the release; a major finding is fixed before it.
"""
GOOD = """## Severity

- **Blocker**: the program crashes or loses data. Stop the release.
- **Major**: a feature gives a wrong result. Fix it before the release.

## Report

Sort the findings by [severity](#severity).
"""
