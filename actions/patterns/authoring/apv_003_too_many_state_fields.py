"""The state has more than twenty fields.

What it sees: a declaration of the state, as a literal, a type, a schema or a JSON example, with more than 20 fields at its top.
Why it is bad: Every phase that reads the state reads all of them, and nobody knows any more which ones matter.
Instead: Keep what a later phase needs; group what belongs together; work out again what can be worked out.
May be wrong: The state is read by a program, never by the model.
"""

from collections.abc import Iterator

from actions.facts.state.fields import state_blocks
from actions.facts.state.schemas import schema_fields
from actions.patterns.pattern import Evidence, Pattern
from actions.skill import Case
from schemas.vocabulary import Confidence, Family

PATTERN = Pattern(
    id="APV-003",
    family=Family.AUTHORING,
    impact=("every_run", "easy"),
    confidence=Confidence.HIGH,
    strategies=("state_field_reduction",),
    cause="state-size",
)
MOST = 20
_LONG = "".join(f"  part_{letter}: string;\n" for letter in "abcdefghijklmnopqrstuvw")
BAD = (
    {
        "SKILL.md": "# Build\n\nThe state is kept in `state.json`.\n",
        "phases/state.md": f"# State\n\n```typescript\ninterface BuildState {{\n{_LONG}}}\n```\n",
    },
    "# 构建\n\n状态结构（保存在 `state.json`）：\n\n```json\n{\n"
    + ",\n".join(f'  "项_{n}": null' for n in range(24)).replace("项", "item")
    + "\n}\n```\n",
    "# Survey\n\n```python\nstate = dict(\n    request=ask('What?'),\n    part_a='', room_a='',\n    part_b='', room_b='',\n    part_c='', room_c='',\n    part_d='', room_d='',\n    part_e='', room_e='',\n    part_f='', room_f='',\n    part_g='', room_g='',\n    part_h='', room_h='',\n    part_i='', room_i='',\n    part_j='', room_j='',\n    part_k='', room_k='',\n    part_l='', room_l='',\n)\nshow(report(state))\n```\n",
    "# X\n\n`trip.yaml` holds the state.\n\n```yaml\npart_a: 0\npart_b: 0\npart_c: 0\npart_d: 0\npart_e: 0\npart_f: 0\npart_g: 0\npart_h: 0\npart_i: 0\npart_j: 0\npart_k: 0\npart_l: 0\npart_m: 0\npart_n: 0\npart_o: 0\npart_p: 0\npart_q: 0\npart_r: 0\npart_s: 0\npart_t: 0\npart_u: 0\npart_v: 0\npart_w: 0\n```\n",
    "# Fair\n\nThe state is in `fair.toml`:\n\n```toml\nstand_a = 0\nstand_b = 0\nstand_c = 0\nstand_d = 0\nstand_e = 0\nstand_f = 0\nstand_g = 0\nstand_h = 0\nstand_i = 0\nstand_j = 0\nstand_k = 0\nstand_l = 0\nstand_m = 0\nstand_n = 0\nstand_o = 0\nstand_p = 0\nstand_q = 0\nstand_r = 0\nstand_s = 0\nstand_t = 0\nstand_u = 0\nstand_v = 0\nstand_w = 0\n```\n",
    '# Coast\n\nRead `coast.json` at the start of each session and write it at the end.\n\n```json\n{"spot1_name": "", "spot1_tide": 0, "spot2_name": "", "spot2_tide": 0, "spot3_name": "", "spot3_tide": 0, "spot4_name": "", "spot4_tide": 0, "spot5_name": "", "spot5_tide": 0, "spot6_name": "", "spot6_tide": 0, "spot7_name": "", "spot7_tide": 0, "spot8_name": "", "spot8_tide": 0, "spot9_name": "", "spot9_tide": 0, "spot10_name": "", "spot10_tide": 0, "spot11_name": "", "spot11_tide": 0, "spot12_name": "", "spot12_tide": 0}\n```\n',
    "# Tour\n\n```javascript\nfunction initState(args) {\n  return {\n"
    + "".join(f"    stop_{n}: null,\n" for n in range(23))
    + "  }\n}\n```\n",
)
GOOD = (
    "# Build\n\nThe state is kept in `state.json`.\n\n```typescript\ninterface BuildState {\n  target: string;\n  parts: { a: 1, b: 2, c: 3 };\n}\n```\n",
    "# Dump\n\nThe answer of the service:\n\n```json\n{\n"
    + ",\n".join(f'  "key_{n}": null' for n in range(24))
    + "\n}\n```\n",
    "# X\n\nThe values of the chart:\n\n```yaml\npart_a: 0\npart_b: 0\npart_c: 0\npart_d: 0\npart_e: 0\npart_f: 0\npart_g: 0\npart_h: 0\npart_i: 0\npart_j: 0\npart_k: 0\npart_l: 0\npart_m: 0\npart_n: 0\npart_o: 0\npart_p: 0\npart_q: 0\npart_r: 0\npart_s: 0\npart_t: 0\npart_u: 0\npart_v: 0\npart_w: 0\n```\n",
    "# X\n\n`trip.yaml` holds the state.\n\n```yaml\nrooms:\n  part_a: 0\n  part_b: 0\n  part_c: 0\n  part_d: 0\n  part_e: 0\n  part_f: 0\n  part_g: 0\n  part_h: 0\n  part_i: 0\n  part_j: 0\n  part_k: 0\n  part_l: 0\n  part_m: 0\n  part_n: 0\n  part_o: 0\n  part_p: 0\n  part_q: 0\n  part_r: 0\n  part_s: 0\n  part_t: 0\n  part_u: 0\n  part_v: 0\n  part_w: 0\n```\n",
    '# Coast\n\nThe harbour\'s file looks so:\n\n```json\n{"spot1_name": "", "spot1_tide": 0, "spot2_name": "", "spot2_tide": 0, "spot3_name": "", "spot3_tide": 0, "spot4_name": "", "spot4_tide": 0, "spot5_name": "", "spot5_tide": 0, "spot6_name": "", "spot6_tide": 0, "spot7_name": "", "spot7_tide": 0, "spot8_name": "", "spot8_tide": 0, "spot9_name": "", "spot9_tide": 0, "spot10_name": "", "spot10_tide": 0, "spot11_name": "", "spot11_tide": 0, "spot12_name": "", "spot12_tide": 0}\n```\n',
)


def look(case: Case) -> Iterator[Evidence]:
    """Give each declaration that is too long, at its first line."""
    for block in state_blocks(case.skill):
        names = {name for name, _ in block.fields}
        if len(names) > MOST:
            message = f"The state has {len(names)} fields here; {MOST} are the most that a phase can keep in view."
            yield Evidence(block.file, block.start, message, line_end=block.end)
    for fields in schema_fields(case.skill):
        if len(fields) > MOST:
            message = f"The state has {len(fields)} fields here; {MOST} are the most that a phase can keep in view."
            yield Evidence(fields[0].file, fields[0].line, message)
