"""The state carries debug, cache or scratch fields.

What it sees: a declared or set state field whose name says that it is for debugging, a cache or a passing value
(`debug_info`, `_tmp`, `raw_response_cache`), which no phase tests or reads; also in a schema or in prose that lists the fields.
Why it is bad: Each phase that reads the state reads them too, and they are never of use.
Instead: Leave such values out of the state; write them to a log file if somebody needs them.
May be wrong: A program outside of the skill reads the field.
"""

from collections.abc import Iterator

from actions.facts.state.idle import idle_fields
from actions.facts.state.schemas import schema_leftovers
from actions.facts.state.told import leftovers
from actions.patterns.pattern import Evidence, Pattern
from actions.skill import Case
from schemas.vocabulary import Confidence, Family

PATTERN = Pattern(
    id="APV-005",
    family=Family.AUTHORING,
    impact=("every_run", "easy"),
    confidence=Confidence.MEDIUM,
    strategies=("minimize_state",),
)
_ORDER = "# Order\n\n```javascript\nconst order = {{\n  items: answer.items,\n  {field}: [],\n  status: 'open'\n}}\nWrite('order.json', JSON.stringify(order))\n```\n"
BAD = (
    _ORDER.format(field="debug_trace"),
    "# Sort\n\nThe state is kept in `state.json`.\n\n```javascript\nconst state = {\n  queue: [],\n  debug_trace: [],\n  done: false,\n}\nwhile (!state.done) {\n  state.done = sortNext(state.queue)\n}\n```\n",
    '# 排序\n\n状态（`state.json`）：\n\n```json\n{\n  "queue": [],\n  "tmp_result": null\n}\n```\n\n将 `state.queue` 更新为剩余项。\n',
    "# Sort\n\nThe state is kept in `state.json`.\n\n## State\n\n| Field | Type |\n|---|---|\n| `queue` | array |\n| `debug_dump` | string |\n\nTake the first of the queue.\n",
    '# Fetch\n\nState in `state.json`.\n\n```python\nstate = {\n    "page": 1,\n    "raw_cache": {},\n}\nstate["page"] += 1\nstate["raw_cache"] = answer\nTask(prompt=state["page"])\n```\n',
    {
        "SKILL.md": "# Run\n\nThe state is checked against `state.schema.json`.\n",
        "state.schema.json": '{"type": "object", "properties": {\n  "goal": {"type": "string"},\n  "_trace_scratch": {"type": "object"}\n}}\n',
    },
    "# 音乐\n\n状态文件 `music.json` 的字段：\n\n- `request`：要求\n- `debug_info`、`temp_result`：调试时看的中间结果\n",
    '# X\n\nThe state is in `run.json`; its schema:\n\n```json\n{\n  "type": "object",\n  "properties": {\n    "step": {"type": "string"},\n    "dbg_dump": {"type": "string"},\n    "goal": {"type": "string"}\n  }\n}\n```\n',
    '# X\n\nThe state is kept in `run.yaml`:\n\n```yaml\nstep: a\ngoal: ""\ntmp_rows: []\n```\n',
    {
        "SKILL.md": '# Brew\n\n`run/brew.json` holds where the run stands:\n\n```json\n{"goal": "a stout", "step": 2, "tmp_calc": null}\n```\n\nGo on with `step`.\n',
        "specs/fields.md": "# Fields\n\n| Field | Meaning |\n|---|---|\n| `goal` | the wish |\n| `step` | where it stands |\n| `tmp_calc` | a value in passing |\n",
    },
)
GOOD = (
    _ORDER.format(field="extras"),
    "# Sort\n\nThe state is kept in `state.json`.\n\n## State\n\n| Field | Type |\n|---|---|\n| `queue` | array |\n| `key_cache` | object |\n\nLook into `key_cache` before each call.\n",
    "# Sort\n\nThe state is kept in `state.json`.\n\n```javascript\nconst state = { queue: [], cache: {} }\nif (state.cache[key]) { use(state.cache[key]) }\n```\n",
    "# Debug\n\nThe state is kept in `state.json`; `debug` turns the long report on.\n\n```javascript\nconst state = { step: 0, debug: false }\nTask({ prompt: `Step ${state.step}` })\n```\n",
    "# 音乐\n\n状态文件 `music.json` 的字段：\n\n- `request`：要求\n- `volume`：音量\n",
    "# Cache\n\nPass `cache_dir` to the loader.\n",
    '# X\n\nThe answer of the service:\n\n```json\n{"properties": {"dbg_dump": {"type": "string"}, "b": {"type": "string"}}}\n```\n',
    {
        "SKILL.md": '# Brew\n\n`run/brew.json` holds where the run stands:\n\n```json\n{"goal": "a stout", "step": 2, "tmp_calc": null}\n```\n\nGo on with `step`.\n',
        "specs/fields.md": "# Fields\n\n| Field | Meaning |\n|---|---|\n| `goal` | the wish |\n\nThe kettle is filled up to `tmp_calc`.\n",
    },
)


def look(case: Case) -> Iterator[Evidence]:
    """Give the first place of each such field."""
    told = idle_fields(case.skill)
    listed = [(said.name, said.file, said.line) for said in leftovers(case.skill) if said.name not in told]
    declared = [(field.name, field.file, field.line) for field in schema_leftovers(case.skill)]
    for name, path, line in (*listed, *declared):
        yield Evidence(path, line, f"`{name}` is kept in the state and no phase looks at it.")
    for name, uses in told.items():
        message = f"`{name}` is kept in the state and no phase looks at it."
        yield Evidence(uses[0].file, uses[0].line, message)
