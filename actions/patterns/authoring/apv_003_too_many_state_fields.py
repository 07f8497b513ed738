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

from actions.patterns.pattern import Evidence, Family, Pattern
from actions.skill import Case
from actions.skill.states import state_shapes

PATTERN = Pattern(
    id="APV-003",
    family=Family.AUTHORING,
    impact=("every_run", "easy"),
    strategies=("state_field_reduction",),
    cause="state-size",
)
MOST = 20
BAD = (
    """The run keeps `state.json`, which every phase reads:

```json
{"address": "", "owner": "", "built": 0, "rooms": [], "roof": "", "walls": "", "floor": "", "cellar": "",
 "heating": "", "boiler": "", "windows": "", "doors": "", "damp": "", "mould": "", "wiring": "", "fuses": "",
 "water": "", "drains": "", "garden": "", "fence": "", "photos": [], "step": 0, "done": false}
```""",
    """The state lies in `.run/state.json`.

```typescript
interface MoveState {
  a1: string; a2: string; a3: string; a4: string; a5: string; a6: string; a7: string; a8: string;
  b1: string; b2: string; b3: string; b4: string; b5: string; b6: string; b7: string; b8: string;
  c1: string; c2: string; c3: string; c4: string; c5: string; c6: string; c7: string; c8: string;
}
```""",
)
GOOD = (
    """The run keeps `state.json`:

```json
{"address": "", "rooms": [], "step": 0, "parts": {"roof": "", "walls": "", "floor": "", "cellar": "", "heating": "",
 "boiler": "", "windows": "", "doors": "", "damp": "", "mould": "", "wiring": "", "fuses": "", "water": "",
 "drains": "", "garden": "", "fence": "", "shed": "", "gate": "", "well": "", "lawn": "", "trees": ""}}
```""",
    """`state.json` holds the last day. The weather service answers:

```json
{"t": 1, "rh": 1, "p": 1, "wind": 1, "gust": 1, "dir": 1, "sun": 1, "uv": 1, "rain": 1, "snow": 1, "hail": 1,
 "fog": 1, "dew": 1, "cloud": 1, "base": 1, "vis": 1, "tmin": 1, "tmax": 1, "rise": 1, "set": 1, "moon": 1, "tide": 1}
```""",
)


def look(case: Case) -> Iterator[Evidence]:
    """Yield each declaration of the state with too many fields."""
    for shape in state_shapes(case.skill):
        if len(shape.fields) > MOST:
            message = f"The state declared here has {len(shape.fields)} fields at its top; {MOST} are the most that a reader keeps in view."
            yield Evidence(shape.file, shape.line, message, shape.line_end)
