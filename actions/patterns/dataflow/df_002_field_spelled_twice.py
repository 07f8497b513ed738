"""One field has several names.

It is:
- a field of the run's file that code writes as `user_id` or `files` and other code reads as `userId` or `file`, while the name that is read occurs nowhere else (proven)
- the same for a field of the state, if both are written in the same programming language (proven)
- a value that one phase stores under one name and a later phase reads under another
It is not:
- two different values with similar names
- a name that is converted where the file is read or written
- the names of a third party's API
Low when:
- both names are written, so that each reader finds the name it expects
Why it is bad: One phase writes the first name, another reads the second: the value is lost without an error.
Instead: Use one spelling everywhere, the one that the state declares.
"""

import re
from collections.abc import Iterator
from itertools import product

import msgspec

from actions.case import Case
from actions.code.records import find_keys
from actions.grouping import group_by_key
from actions.patterns.pattern import Finding, Pattern
from actions.skill.states import find_state_shapes, map_state_uses

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


class _Use(msgspec.Struct, frozen=True):
    """A field of the state or of a file. The language is "" for a file, because code in any language can use it."""

    owner: str
    language: str
    name: str
    is_read: bool
    path: str
    line: int


def check(case: Case) -> Iterator[Finding]:
    """Find fields that are read under a spelling that nothing writes, while exactly one other spelling is written."""
    fields = group_by_key(((use.owner, use.language, _normalize(use.name)), use) for use in _find_uses(case))
    for (owner, language, _), uses in fields.items():
        written = {use.name: use for use in reversed(uses) if not use.is_read}
        reads = group_by_key((use.name, use) for use in uses if use.is_read)
        read_places = frozenset((use.path, use.line) for use in uses if use.is_read)
        for name in reads.keys() - written if len(written) == 1 else ():
            if not case.skill.is_mentioned(name, ignored_lines=read_places):
                (other,) = written.values()
                message = f"`{name}` of {owner} is never written; {other.path}:{other.line} writes `{other.name}`."
                cause = f"{owner} {language} {name}"
                yield from (Finding(use.path, use.line, message, cause=cause) for use in reads[name])


def _normalize(name: str) -> str:
    """Return the common form of spellings such as `user_id`, `userId` and `userIds`."""
    return re.sub(r"[-_]", "", name).lower().removesuffix("s")


def _find_uses(case: Case) -> Iterator[_Use]:
    """Yield the uses of fields. A declaration of the state counts as a write of each field in every used language."""
    skill = case.skill
    state_uses = [field_use for uses in map_state_uses(skill).values() for field_use in uses]
    for field_use in state_uses:
        yield _Use("the state", field_use.use.language, field_use.use.name, not field_use.use.is_set, *field_use.place)
    languages = sorted({field_use.use.language for field_use in state_uses})
    for shape in find_state_shapes(skill) if languages else ():
        for language, name in product(languages, shape.fields):
            yield _Use("the state", language, name, False, shape.file, shape.line)
    file_keys = ((file.path, key) for file in skill.sources for code in file.codes for key in find_keys(code))
    yield from (_Use(f"`{key.file}`", "", key.name, key.is_read, path, key.line) for path, key in file_keys)
