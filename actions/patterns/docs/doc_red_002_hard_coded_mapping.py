"""A mapping is hard-coded although a table or data file of the skill contains it.

It is:
- an object literal, `switch` or chain of comparisons with four or more entries, whose keys and values a table, a spec or a JSON file of the same skill lists as well
- thresholds written as numbers into code, three or more, that a spec of the skill defines
It is not:
- a sample that shows the shape of the data file
- a mapping in one place only
- a table that documents what a bundled script does
Low when:
- both are in the same file, where they are seen together
Why it is bad: Two lists must be changed together and one day are not; the model then acts by whichever it read.
Instead: Keep the table or the data file, and let the code read or name it.
"""

from actions.patterns.pattern import Pattern

PATTERN = Pattern(id="DOC-RED-002", impact=("every_run", "easy"), strategies=("centralize_mapping_config",))
BAD = {
    "specs/labels.md": """| Label | Team |
|---|---|
| billing | payments |
| login | identity |
""",
    "phases/02-route.md": "```javascript\nconst TEAM = { billing: 'payments', login: 'identity' }\n```\n",
}
GOOD = {
    "specs/labels.md": """| Label | Team |
|---|---|
| billing | payments |
| login | identity |
""",
    "phases/02-route.md": "Look the ticket's label up in [the table of labels](../specs/labels.md) for its team.\n",
}
