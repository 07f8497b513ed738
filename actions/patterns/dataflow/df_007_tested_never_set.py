"""A condition tests for a value of the state that nothing sets.

It is:
- a field of the state that is compared with a value which no code, declaration or sentence of the skill gives it (proven)
- a comparison with a value that is not in the declared list of the field's values
- a field that a condition tests and that no step ever sets
It is not:
- a value that an agent, the user or a tool may give
- a field that is only shown or passed on
Low when:
- the branch that is never taken does nothing that the work needs
Why it is bad: The branch is always or never taken: a loop does not end, a step is skipped.
Instead: Set the value where the fact becomes known, or test the one that is set.
"""

from collections.abc import Iterator, Sequence

from actions.case import Case
from actions.grouping import group_by_key
from actions.patterns.pattern import Finding, Pattern
from actions.skill import Skill
from actions.skill.states import StateUse, map_declared_fields, map_state_uses

PATTERN = Pattern(id="DF-007", impact=("blocks",), strategies=("field_normalization",))
BAD = (
    {
        "phases/1-sort.md": """```js
if (ticket.age > 90) state.status = 'archive'
else state.status = 'open'
```
""",
        "phases/2-close.md": "```javascript\nif (state.status === 'archived') close(ticket)\n```\n",
    },
    """```python
class State(TypedDict):
    stage: Literal["draft", "review", "done"]
```

```python
if state["stage"] == "reviewed":
    publish(letter)
```""",
)
GOOD = (
    """The user may set the status to `archived`.

```javascript
if (ticket.age > 90) state.status = 'stale'
if (state.status === 'archived') close(ticket)
```""",
    """```javascript
state.status = 'open'
state.status = await Task({ subagent_type: 'judge', prompt: question })
if (state.status === 'escalated') callManager()
```""",
)


def check(case: Case) -> Iterator[Finding]:
    """Find literals that a field is compared with but never set to, if no other line contains them."""
    skill = case.skill
    for name, uses in map_state_uses(skill).items():
        values = _map_values(skill, name, uses)
        tests = (
            (field_use.tested_value, field_use.place)
            for field_use in uses
            if values and field_use.tested_value and field_use.tested_value not in values
        )
        for value, places in group_by_key(tests).items():
            if not skill.is_mentioned(value, ignored_lines=set(places)):
                yield from (_build_finding(place, name, value, values) for place in places)


def _map_values(skill: Skill, name: str, uses: Sequence[StateUse]) -> dict[str, str]:
    """Map each value that is set or declared for a field to its `FILE:LINE`; {} if the field may have other values."""
    sets, declared = [field_use for field_use in uses if field_use.use.is_set], map_declared_fields(skill).get(name, ())
    if len(declared) > 1 or any(field_use.use.value is None for field_use in sets):
        return {}
    values = {
        field_use.use.value: f"{field_use.path}:{field_use.use.line}" for field_use in sets if field_use.use.value
    }
    return values | {
        value: f"{declaration.file}:{declaration.line}"
        for declaration in declared
        for value in sorted(declaration.values)
    }


def _build_finding(place: tuple[str, int], name: str, value: str, values: dict[str, str]) -> Finding:
    from difflib import get_close_matches  # imported here because it loads slowly, and such findings are rare

    nearest = (get_close_matches(value, values, 1, 0.7) or [next(iter(values))])[0]
    also = tuple(f"{known_place}: `{name}` is '{known}'" for known, known_place in values.items())
    message = f"`state.{name}` is compared with '{value}', but is never set to it; {values[nearest]} has '{nearest}'."
    return Finding(*place, message, also=also, cause=f"{name} {value}")
