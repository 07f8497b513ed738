"""One field has several names.

It is:
- a field of the state, or of a file of the run, that one place writes as `user_id` and another reads as `userId` (proven)
- a value that one phase stores under one name and a later phase asks for under another
It is not:
- two different values with names that are alike
- a name that is turned into another where the file is read or written
- the names of a third party's API
Low when:
- both names are written, so that each reader finds its own
Why it is bad: One phase sets the first name, another reads the second: the value is lost without an error.
Instead: Use one spelling everywhere, the one that the state declares.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

from actions.case import Case
from actions.code.records import keys
from actions.patterns.pattern import Finding, Pattern
from actions.skill import Skill
from actions.skill.states import state_shapes, state_uses

PATTERN = Pattern(id="DF-002", impact=("loses", "easy"), strategies=("field_normalization",))
BAD = (
    {
        "phases/1-open.md": """# Open

```javascript
state.ticket_id = args[0]
state.owner = args[1]
```
""",
        "phases/2-close.md": """# Close

```javascript
if (state.ticketId) close(state.ticketId, state.owner)
```
""",
    },
    """```javascript
Write('run/counts.json', JSON.stringify({ filePaths: paths, total: paths.length }))
```

```javascript
const counts = JSON.parse(Read('run/counts.json'))
open(counts.file_path, counts.total)
```""",
)
GOOD = (
    """```javascript
state.ticket_id = args[0]
const ticketId = state.ticket_id
close(ticketId)
```""",
    """```javascript
Write('run/counts.json', JSON.stringify({ file: paths[0], files: paths }))
const counts = JSON.parse(Read('run/counts.json'))
open(counts.files, counts.file)
```""",
)


@dataclass(frozen=True)
class _Use:
    owner: tuple[str, str]
    name: str
    is_read: bool
    path: str
    line: int


def check(case: Case) -> Iterator[Finding]:
    """Find fields that are read in a spelling that nothing writes, while one other spelling is written."""
    fields: dict[tuple[tuple[str, str], str], list[_Use]] = {}
    for use in _uses(case.skill):
        fields.setdefault((use.owner, re.sub(r"[-_]", "", use.name).lower().removesuffix("s")), []).append(use)
    for (owner, _), uses in fields.items():
        written = {use.name: use for use in reversed(uses) if not use.is_read}
        read = dict.fromkeys(use.name for use in uses if use.is_read and use.name not in written)
        beside = frozenset((use.path, use.line) for use in uses if use.is_read)
        for name in read:
            if len(written) == 1 and not case.skill.is_mentioned(name, beside=beside):
                (other,) = written.values()
                message = f"`{name}` of {owner[0]} is never written. {other.path}:{other.line} writes `{other.name}`."
                yield from (
                    Finding(use.path, use.line, message, cause=f"{owner} {name}")
                    for use in uses
                    if use.is_read and use.name == name
                )


def _uses(skill: Skill) -> Iterator[_Use]:
    languages: set[str] = set()
    for uses in state_uses(skill).values():
        for one in uses:
            languages.add(one.use.language)
            yield _Use(("the state", one.use.language), one.use.name, not one.use.is_set, *one.place)
    for shape in state_shapes(skill) if languages else ():
        for owner, name in product(sorted(languages), shape.fields):
            yield _Use(("the state", owner), name, False, shape.file, shape.line)
    every = ((file.path, key) for file in skill.sources for code in file.codes for key in keys(code))
    yield from (_Use((f"`{key.file}`", ""), key.name, key.is_read, path, key.line) for path, key in every)
