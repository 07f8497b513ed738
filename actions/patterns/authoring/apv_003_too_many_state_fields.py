"""The state has more than twenty fields.

It is:
- a declaration of the run's state with more than 20 top-level fields: an object, a type or a JSON example (proven)
- a JSON schema of the state with more than 20
It is not:
- fields inside a group: only the top level counts
- the state of the program that the skill is about, an API's answer, or a result that the run writes
Low when:
- only a script reads the state
Why it is bad: Every phase that reads the state reads all of them, and no one knows which ones still matter.
Instead: Keep what a later phase needs, group what belongs together, and do not store what can be computed.
"""

from collections.abc import Iterator

from actions.case import Case
from actions.patterns.pattern import Finding, Pattern
from actions.skill.states import find_state_shapes

PATTERN = Pattern(id="APV-003", impact=("every_run", "easy"), strategies=("state_field_reduction",), cause="state-size")
_MAX_FIELDS = 20
_NAMES = [f"room_{number}" for number in range(1, 24)]
_FIELDS = ", ".join(f'"{name}": ""' for name in _NAMES)
BAD = (
    f"""The run keeps `state.json`, which every phase reads:

```json
{{{_FIELDS}}}
```
""",
    f"""State: `.run/state.json`.

```ts
interface HouseState {{ {": string; ".join(_NAMES)}: string }}
```
""",
)
GOOD = (
    f"""The run keeps `state.json`:

```json
{{"address": "", "step": 0, "parts": {{{_FIELDS}}}}}
```
""",
    f"""`state.json` holds the last day. The land registry answers:

```json
{{{_FIELDS}}}
```
""",
)


def check(case: Case) -> Iterator[Finding]:
    """Find declarations of the state with too many fields."""
    for shape in find_state_shapes(case.skill):
        if len(shape.fields) > _MAX_FIELDS:
            message = f"The state has {len(shape.fields)} top-level fields. Keep it to {_MAX_FIELDS} or fewer."
            yield Finding(shape.file, shape.line, message, shape.line_end)
