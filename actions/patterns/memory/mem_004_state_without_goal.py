"""A state that does not keep what was asked for.

What it sees: the definition of the skill's state (`interface …State`, a table of its fields, a schema, a record of the run that is written
as JSON, or a file under any name that a loop keeps between its rounds) with three or more fields, none of which can hold the request, the goal or the requirements of the user.

Why it is bad: after a compaction or in a new session the state is all that is left, and the run goes on without knowing
what for.

Instead: keep the request in the state, word for word, and read it before each step.

May be wrong: when the goal is always the same, or when another file keeps it.
"""

from collections.abc import Iterator

from actions.facts.memory.keeping import forgets_the_goal, is_goal, loop_shapes, schema_shapes, state_file, state_shapes
from actions.facts.state.fields import StateBlock, field_uses, state_blocks
from actions.patterns.pattern import Evidence, Pattern
from actions.skill import Case, Skill
from schemas.vocabulary import Confidence, Family

PATTERN = Pattern(
    id="MEM-004",
    family=Family.MEMORY,
    impact=("loses", "easy"),
    confidence=Confidence.MEDIUM,
    strategies=("goal_embedding",),
)

BAD = (
    '# Knots\n\nBetween rounds keep `knot.json`, five rounds at most:\n\n```json\n{"round": 1, "rope": "", "tries": []}\n```\n\nIn each round load it and try one knot.\n',
    "# 选种\n\n循环靠 `seed.json` 接力，每圈先读它：\n\n| 字段 | 含义 |\n|---|---|\n| turn | 第几圈 |\n| left | 还剩的品种 |\n| soil | 土样 |\n",
    {
        "SKILL.md": "# Kiln\n\nThe loop reads `kiln/state.json`; [its shape](specs/state.md). A sub-agent looks at the glaze.\n",
        "specs/state.md": '# State\n\n```json\n{"type": "object", "properties": {\n  "stage": {"enum": ["load", "fire"]},\n  "kiln": {"type": "string"},\n  "cones": {"type": "array", "maxItems": 9},\n  "failures": {"type": "integer"}\n}}\n```\n',
    },
    """# Tour

The loop reads `state.json` before each step.

```typescript
interface TourState {
  status: "open" | "done";
  step: number;
  visited: string[];
}
```
""",
    {
        "SKILL.md": "# Walk\n\nThe state lives in `walk/state.json`, see [its fields](specs/state.md). A sub-agent looks ahead.\n",
        "specs/state.md": "# State\n\n| Field | Type |\n|---|---|\n| `step` | integer |\n| `seen` | array |\n| `done` | boolean |\n",
    },
    """# 循环

每一步之前读取 `loop/state.json`。

```python
class LoopState:
    status: str
    round: int
    errors: list[str]
```
""",
    '# Sort\n\nState in `state.json`:\n\n```json\n{\n  "phase": 1,\n  "tray": [],\n  "done": false\n}\n```\n\nUse a sub-agent for each step.\n',
    """# Move house

```javascript
const move = {
  id: slug(town),
  rooms: countRooms(),
  phase: 1
}
Write(`moves/${move.id}.json`, JSON.stringify(move))
```
""",
    "# Garden\n\nProgress is kept in `garden.json`, whose fields are:\n\n- `step`: where the work stands\n- `beds`: the beds, at most ten\n- `dates`: the dates\n",
    '# Garden\n\n`garden.json` tells where it stands; read it first:\n\n```json\n{"month": 4, "beds": [], "last_prompt": ""}\n```\n',
)
GOOD = (
    '# Knots\n\nBetween rounds keep `knot.json`, five rounds at most:\n\n```json\n{"round": 1, "rope": "", "wanted": "what the user asked for"}\n```\n\nIn each round load it and try one knot.\n',
    '# Tides\n\nAfter each run the table is in `tides.json`:\n\n```json\n{"harbour": "", "high": "", "low": ""}\n```\n',
    {
        "SKILL.md": "# Kiln\n\nThe loop reads `kiln/state.json`; [its shape](specs/state.md). A sub-agent looks at the glaze.\n",
        "specs/state.md": '# State\n\n```json\n{"type": "object", "properties": {\n  "stage": {"enum": ["load", "fire"]},\n  "kiln": {"type": "string"},\n  "words": {"type": "string", "description": "the request of the user"},\n  "failures": {"type": "integer"}\n}}\n```\n',
    },
    """# Move house

```javascript
const move = {
  id: slug(town),
  original_request: answer.text,
  phase: 1
}
Write(`moves/${move.id}.json`, JSON.stringify(move))
```
""",
    {
        "SKILL.md": "# Walk\n\nThe state lives in `walk/state.json`, see [its fields](specs/state.md). A sub-agent looks ahead.\n",
        "specs/state.md": "# State\n\n| Field | Meaning |\n|---|---|\n| `step` | count |\n| `seen` | places |\n| `wish` | the user's request |\n",
    },
    """# Tour

```typescript
interface TourState {
  status: "open" | "done";
  user_request: string;
  step: number;
}
```
""",
    """# Tour

```typescript
interface TourStateProps {
  open: boolean;
}
```
""",
    "# Garden\n\nProgress is kept in `garden.json`, whose fields are:\n\n- `step`: where the work stands\n- `beds`: the beds, at most ten\n- `wishes`: what the owner asked for\n",
)

_FEWEST = 3


def look(case: Case) -> Iterator[Evidence]:
    """Give the state, if the skill defines one; of several, only when none keeps the goal."""
    shapes = [s for s in (*state_shapes(case.skill), *schema_shapes(case.skill)) if len(s.fields) >= _FEWEST]
    kept = bool(shapes) and (
        state_file(case.skill) is not None or shapes[0].kept or "state" in shapes[0].file.path.lower()
    )
    if kept and all(forgets_the_goal(shape) for shape in shapes):
        shape = shapes[0]
        yield Evidence(shape.file.path, shape.line, "This state has no field for what the user asked for.")
    if not shapes:
        found = list(_records(case.skill)) or list(_between_rounds(case.skill))
        yield from found[:1]


def _records(skill: Skill) -> Iterator[Evidence]:
    """Give the literal of the state, or of a record under another name, unless it gets a goal somewhere."""
    written = state_file(skill) is not None
    blocks = [
        b for b in state_blocks(skill) if len(b.fields) >= _FEWEST and (b.record or (written and _tells_where(b)))
    ]
    if blocks and not any(is_goal(use.name) for use in field_uses(skill)) and not _describes_goal(skill, blocks[0]):
        told = f"`{blocks[0].record or 'state'}` keeps the run, and has no field for what the user asked for."
        yield Evidence(blocks[0].file, blocks[0].start, told, blocks[0].end)


def _describes_goal(skill: Skill, block: StateBlock) -> bool:
    """Tell whether a field of a schema is described as what was asked for."""
    lines = skill.by_path[block.file].doc.lines[block.start - 1 : block.end]
    return any('"description"' in line and is_goal(line.rpartition('"description"')[2]) for line in lines)


def _between_rounds(skill: Skill) -> Iterator[Evidence]:
    """Give the file that a loop keeps, under whatever name, unless it has a field for the goal."""
    for shape in loop_shapes(skill):
        if len(shape.fields) >= _FEWEST and forgets_the_goal(shape):
            told = "This file is all that is kept between the rounds, and it has no field for what the user asked for."
            yield Evidence(shape.file.path, shape.line, told)


def _tells_where(block: StateBlock) -> bool:
    return block.lang != "table" and any(name in _PLACES for name, _ in block.fields)


_PLACES = frozenset("phase stage step round status current_phase currentPhase current_step currentStep".split())
