"""A phase writes a file or a value that nothing reads.

It is:
- a data file of the run that a step writes and that no step, agent or script reads
- a field of the state, or a result of a step, that is set and then never read
- such a file or field that code writes and no other line of the skill names (proven)
It is not:
- a product of the skill: a report, a table, a file that the user asked for
- a log, a backup, a checkpoint, or a file that another program reads
- a file that is written under one name and read under another (DF-006)
Low when:
- nothing is missing without it: it only costs tokens
Why it is bad: The result is lost, and a later phase works without it; the run still pays for producing it.
Instead: Read it where it is needed, or leave it out.
"""

from collections.abc import Iterator

from actions.case import Case
from actions.patterns.pattern import Finding, Pattern, Severity
from actions.skill.data_files import find_data_files, is_mentioned_only_by, is_named_only_in_paths
from actions.skill.states import map_state_uses, mentions_state_file

PATTERN = Pattern(id="DF-004", impact=("loses",))
BAD = (
    """```javascript
Write('run/places.json', JSON.stringify(places))
Write('run/warnings.json', JSON.stringify(warnings))
```

```javascript
const places = JSON.parse(Read('run/places.json'))
```""",
    """Keep `mail-state.json`.

```javascript
state.skipped_senders = senders.filter(isUnknown)
```""",
)
GOOD = (
    """Write `run/warnings.json` for the guide.

```javascript
Write('run/places.json', JSON.stringify(places))
Write('run/warnings.json', JSON.stringify(warnings))
const places = JSON.parse(Read('run/places.json'))
```""",
    """Keep `mail-state.json`, and name the skipped_senders at the end.

```javascript
state.skipped_senders = senders.filter(isUnknown)
```""",
)


def check(case: Case) -> Iterator[Finding]:
    """Find files and fields that are named only where they are written.

    A file is reported only if other files in the same folder are read back.
    """
    skill = case.skill
    files = [
        file for file in find_data_files(skill).values() if all(place.is_tool for place in file.writes + file.reads)
    ]
    read_back = {file.folder for file in files if file.writes and file.reads}
    for file in files:
        is_unread = not file.reads and file.folder in read_back
        if (
            is_unread
            and is_mentioned_only_by(skill, file.writes, file.name)
            and is_named_only_in_paths(skill, file.folder)
        ):
            message = f"`{file.name}` is written, but no other line of the skill mentions it or its folder."
            for write in file.writes:
                yield Finding(write.path, write.use.line, message, severity=Severity.LOW, cause=file.name)
    yield from _check_fields(case)


def _check_fields(case: Case) -> Iterator[Finding]:
    """Find fields of the state that are named only where they are set."""
    for name, uses in map_state_uses(case.skill).items() if mentions_state_file(case.skill) else ():
        only_set = all(field_use.use.is_set for field_use in uses)
        if only_set and not case.skill.is_mentioned(name, ignored_lines={field_use.place for field_use in uses}):
            message = f"`state.{name}` is set, but no other line of the skill mentions it."
            yield from (
                Finding(*field_use.place, message, severity=Severity.LOW, cause=f"state.{name}") for field_use in uses
            )
