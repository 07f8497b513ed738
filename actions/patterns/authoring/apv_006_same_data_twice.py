"""Two fields of the state hold the same data.

What it sees: a state field that is set to another field of the state, or two fields that one block sets to the same
variable; an object literal that gives one value several names; a sentence that stores one value in several fields; two
described fields that mean the same quantity.
Why it is bad: The content is in the state twice, and after the next change the two disagree.
Instead: Keep one field, and read that one.
May be wrong: The second field is a snapshot on purpose, from before a change.
"""

import re
from collections.abc import Iterator

from actions.facts.state.copies import CONSTANTS, copies
from actions.facts.state.fields import Act, FieldUse, field_uses
from actions.patterns.pattern import Evidence, Pattern
from actions.skill import Case
from schemas.vocabulary import Confidence, Family

PATTERN = Pattern(
    id="APV-006",
    family=Family.AUTHORING,
    impact=("every_run",),
    confidence=Confidence.MEDIUM,
    strategies=("deduplicate_storage",),
)
BAD = (
    "# Sift\n\nThe state is in `state.json`.\n\n```javascript\nstate.findings = found\nstate.report_findings = state.findings\nTask({ prompt: state.report_findings })\n```\n",
    '# 筛选\n\n```python\nrows = load()\nstate["rows"] = rows\nstate["all_rows"] = rows\nTask(prompt=state["rows"])\n```\n',
    "# X\n\n```javascript\nconst row = { bib, time_s: t, finishTime: t, result_seconds: t };\nshow(row.bib, row.time_s);\n```\n",
    "# 收尾\n\n统计风险条数，同时存入 `risks_total`、`risk_count` 和 `summary.num_risks`。\n",
    "# Total\n\nWrite the total to both `sum_total` and `grand_total`.\n",
    "# Record\n\n| Field | Meaning |\n|---|---|\n| `n_rows` | how many rows the sheet lists |\n| `row_count` | number of rows, for the report |\n| `rows` | one line per row |\n| `marks` | one line per row |\n",
    "# State\n\n- `owner`: the person in charge\n- `responsible`: same as `owner`\n",
    '# X\n\nThe state is in `run.json`; its schema:\n\n```json\n{\n  "type": "object",\n  "properties": {\n    "order_id": {"type": "string"},\n    "ticket": {"type": "string", "description": "same as order_id, for the letter"}\n  }\n}\n```\n',
    "# X\n\n状态保存在 `run.json`：\n\n```ts\ninterface RunState {\n  orderId: string\n  ticketNo: string   // 与 orderId 相同\n}\n```\n",
    "# X\n\nThe state is in `run.json`.\n\n```python\nstate = {\n    'guest': '',\n    'visitor': '',  # copy of guest\n}\n```\n",
    "# Ferry\n\n```python\ntrip = {'people': people, 'headcount': len(people), 'seats': len(people)}\nkeep('trip.json', trip)\n```\n",
    '# 门诊\n\n```json\n{"patient": "李明", "patient_name": "李明", "visitor": "李明", "room": 3}\n```\n',
    '# Book\n\n```json\n{"page_count": 184, "total_pages": 184, "done": 61}\n```\n',
)
GOOD = (
    "# Sift\n\n```javascript\nstate.started_at = now\nstate.updated_at = now\nstate.previous_score = state.score\nTask({ prompt: state.score })\n```\n",
    "# Sift\n\n```javascript\nstate.findings = found\nstate.top = found.slice(0, 3)\nTask({ prompt: state.top })\n```\n",
    "# Tax\n\nWrite the total to `sum_total` and the tax to `tax_total`. Update `a_file` and `b_file` both.\n",
    "# 结果\n\n把审批结果与意见分别写进 `result`、`opinion`。\n",
    "# X\n\n```javascript\nconst box = { width: w, height: h, left: x, top: x };\nshow(box);\n```\n",
    "# Record\n\n| Field | Meaning |\n|---|---|\n| `rows` | number of rows |\n| `cells` | number of cells |\n",
    "# X\n\nThe state is in `run.json`.\n\n```python\nstate = {\n    'guest': '',\n    'visitor': '',  # not the same as guest\n}\n```\n",
    "# X\n\nThe state is in `run.json`.\n\n```ts\ninterface RunState {\n  due: string\n  paid: string   // same format as due\n}\n```\n",
    "# Ferry\n\n```python\ntrip = {'left_at': now(), 'seen_at': now(), 'people': people, 'headcount': len(people)}\nkeep('trip.json', trip)\n```\n",
    '# Shop\n\n```json\n{"design_state": "Not Started", "code_state": "Not Started", "test_state": "Not Started", "width": 40, "height": 40}\n```\n',
)
_VARIABLE = re.compile(r"^(?:[A-Za-z_]\w*[sS]tate|state)(?:\.|\[[\"'])(\w+)[\"']?\]?$|^([A-Za-z_]\w*(?:\([\w.]+\))?)$")
_ON_PURPOSE = re.compile(
    r"prev|last|before|old|initial|original|backup|snapshot|start|_at$|At$|time|date|current|base|best|status|phase|step|error|default|max|min|count",
    re.IGNORECASE,
)


def look(case: Case) -> Iterator[Evidence]:
    """Give the second field of each pair, where it is set, once a line."""
    lines: set[tuple[str, int]] = set()
    for item in (*_in_state(case), *_others(case)):
        if (item.file, item.line) not in lines:
            lines.add((item.file, item.line))
            yield item


def _in_state(case: Case) -> Iterator[Evidence]:
    sets = [use for use in field_uses(case.skill) if use.act is Act.SET and use.value]
    seen: dict[tuple[str, str], FieldUse] = {}
    for use in sets:
        match = _VARIABLE.match(use.value)
        if match is None or use.value.lower() in CONSTANTS or _ON_PURPOSE.search(use.name):
            continue
        if match[1] and match[1] != use.name and not _ON_PURPOSE.search(match[1]):
            yield _evidence(use, match[1])
        elif match[2]:
            first = seen.setdefault((use.file, match[2]), use)
            if first.name != use.name and use.line - first.line <= 10:
                yield _evidence(use, first.name)


def _others(case: Case) -> Iterator[Evidence]:
    for copy in copies(case.skill):
        yield Evidence(copy.file, copy.line, f"`{copy.name}` holds the same data as `{copy.other}`.")


def _evidence(use: FieldUse, other: str) -> Evidence:
    return Evidence(use.file, use.line, f"`{use.name}` holds the same data as `{other}`.")
