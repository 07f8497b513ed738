"""The state has more than twenty fields.

It is:
- a declaration of the run's state with more than 20 fields at its top: an object, a type, a schema or a JSON example
It is not:
- fields that are grouped: only the top level counts
- the state of the program that the skill is about, an API's answer, or a result that the run writes
Low when:
- only a script reads the state
Why it is bad: Every phase that reads the state reads all of them, and nobody knows any more which ones matter.
Instead: Keep what a later phase needs, group what belongs together, and work out again what can be worked out.
"""

from collections.abc import Iterator

from actions.case import Case
from actions.patterns.pattern import Finding, Pattern
from actions.skill.states import state_shapes

PATTERN = Pattern(id="APV-003", impact=("every_run", "easy"), strategies=("state_field_reduction",), cause="state-size")
MOST = 20
_NAMES = [f"room_{number}" for number in range(1, 24)]
_FIELDS = ", ".join(f'"{name}": ""' for name in _NAMES)
BAD = (
    f"The run keeps `state.json`, which every phase reads:\n\n```json\n{{{_FIELDS}}}\n```\n",
    f"State: `.run/state.json`.\n\n```ts\ninterface HouseState {{ {': string; '.join(_NAMES)}: string }}\n```\n",
)
GOOD = (
    f'The run keeps `state.json`:\n\n```json\n{{"address": "", "step": 0, "parts": {{{_FIELDS}}}}}\n```\n',
    f"`state.json` holds the last day. The land registry answers:\n\n```json\n{{{_FIELDS}}}\n```\n",
)


def check(case: Case) -> Iterator[Finding]:
    """Yield each declaration of the state with too many fields."""
    for shape in state_shapes(case.skill):
        if len(shape.fields) > MOST:
            most = f"{MOST} are the most that a reader keeps in view"
            message = f"The state declared here has {len(shape.fields)} fields at its top; {most}."
            yield Finding(shape.file, shape.line, message, shape.line_end)
