"""A mapping is hard-coded although a table or data file of the skill contains it.

It is:
- an object literal, `switch` or chain of comparisons with four or more entries, whose keys and values are also listed in a table, a spec or a JSON file of the same skill
- three or more thresholds that are numbers in code, although a spec of the skill defines them
It is not:
- a sample that shows the shape of the data file
- a mapping in one place only
- a table that documents what a bundled script does
Low when:
- both are in the same file, where they are seen together
Why it is bad: Sooner or later only one of the two lists is changed; the model then follows whichever it read.
Instead: Keep the table or the data file, and let the code read it or refer to it.
"""

from actions.patterns.pattern import Pattern

PATTERN = Pattern(id="DOC-RED-002", impact=("every_run", "easy"), strategies=("centralize_mapping_config",))
BAD = {
    "specs/labels.md": """| Label | Team |
|---|---|
| billing | payments |
| login | identity |
| crash | runtime |
| search | index |
""",
    "phases/02-route.md": "```javascript\nconst TEAM = {\n  billing: 'payments', login: 'identity', crash: 'runtime', search: 'index',\n}\n```\n",
}
GOOD = {
    "specs/labels.md": """| Label | Team |
|---|---|
| billing | payments |
| login | identity |
| crash | runtime |
| search | index |
""",
    "phases/02-route.md": "Look the ticket's label up in [the table of labels](../specs/labels.md) for its team.\n",
}
