"""A phase reads a file or a value that nothing writes.

It is:
- a file of the run that a step reads and that nothing in the skill writes, often because the writer uses another name
- such a file that code reads, while other code writes a file with a differently spelled name that nothing reads (proven)
- a field or an output that a step expects and that no earlier step produces
It is not:
- a file that the user, the project, a tool or another skill provides
- a read that handles a missing file
- a file of the skill itself (DF-009)
Low when:
- the step works well enough without the file
Why it is bad: The read fails, or the model makes the content up.
Instead: Write the file in the phase that has the data, or read the name that is written.
"""

from collections.abc import Iterator

from actions.case import Case
from actions.patterns.pattern import Finding, Pattern
from actions.skill import Skill
from actions.skill.data_files import DataFile, find_data_files, is_mentioned_only_by

PATTERN = Pattern(id="DF-006", impact=("blocks",))
BAD = (
    {
        "phases/1-look.md": """# Look

```javascript
Write('run/risk-list.json', JSON.stringify(risks))
```
""",
        "phases/2-tell.md": """# Tell

```javascript
const risks = JSON.parse(Read('run/risk_lists.json'))
```
""",
    },
    """```javascript
Write('work/goals.yml', goals)
```

```javascript
const goals = Read('work/goals.yaml')
```""",
)
GOOD = (
    {
        "phases/1-look.md": """# Look

```javascript
Write('run/part1.json', JSON.stringify(risks))
```
""",
        "phases/2-tell.md": """# Tell

```javascript
const goals = JSON.parse(Read('goals/part2.json'))
```
""",
    },
    """The user puts `goals.yaml` into `work/`.

```javascript
Write('work/goals.yml', goals)
```

```javascript
const goals = Read('work/goals.yaml')
```""",
)


def check(case: Case) -> Iterator[Finding]:
    """Find files that code reads under one spelling but writes under another, which nothing reads."""
    skill, files = case.skill, find_data_files(case.skill)
    unread = {file.spelling: file for file in files.values() if file.writes and not file.reads}
    for file in files.values():
        if (
            (similar := unread.get(file.spelling))
            and file.reads
            and not file.writes
            and _is_misspelled(skill, file, similar)
        ):
            clause = f"{similar.writes[0].where} writes `{similar.name}`, which nothing reads"
            message = f"`{file.name}` is read, but nothing in the skill writes it; {clause}."
            yield from (Finding(read.path, read.use.line, message, cause=file.name) for read in file.reads)


def _is_misspelled(skill: Skill, read: DataFile, similar: DataFile) -> bool:
    """Return whether one name probably misspells the other.

    It does if no block of code has both names, and no other line has one of them.
    """
    if not {place.code for place in similar.writes}.isdisjoint(place.code for place in read.reads):
        return False
    return is_mentioned_only_by(skill, similar.writes, similar.name) and is_mentioned_only_by(
        skill, read.reads, read.name
    )
