"""A state of more than 15 fields.

What it sees: A declaration of the skill's state (a literal, a type, a JSON example, a class) with more than 15 fields at its
top level.

Why it is bad: The state is read and written with every step, so each field is paid with each step, and nobody knows any more
who sets what.

Instead: Keep the fields that a later step reads. Group what belongs together; leave to a log file what is only recorded.

May be wrong: When each field is read by a later step and the steps are few. It is a matter of cost, and so it is low.
"""

from collections.abc import Iterator

from actions.facts.state.fields import state_blocks
from actions.patterns.pattern import Evidence, Pattern
from actions.skill import Case
from schemas.vocabulary import Confidence, Family

PATTERN = Pattern(
    id="TKN-002",
    family=Family.TOKENS,
    impact=("every_run",),
    confidence=Confidence.HIGH,
    strategies=("state_field_reduction",),
    cause="state-size",
)
MOST = 15

_NAMES = (
    "phase", "goal", "owner", "branch", "ticket", "round", "verdict", "score", "files", "plan", "risk", "reviewer", "deadline",
    "summary", "report", "next_step", "locale",
)  # fmt: skip
_JSON = ",\n".join(f'  "{name}": null' for name in _NAMES)
_TYPE = "\n".join(f"  {name}: string;" for name in _NAMES)
_CLASS = "\n".join(f"    {name}: str" for name in _NAMES)
BAD = (
    f"# Loop\n\nThe state lives in `state.json`:\n\n```json\n{{\n{_JSON}\n}}\n```\n",
    f"# Loop\n\n```typescript\ninterface LoopState {{\n{_TYPE}\n}}\n```\n\nA sub-agent gets its path. It is kept in `state.json`.\n",
    f"# 循环\n\n状态保存在 `state.json`：\n\n```python\nclass RunState(TypedDict):\n{_CLASS}\n```\n",
    "# Loop\n\nThe state is kept in `state.json`, with these fields:\n\n"
    + "".join(f"- `{name}`: a thing\n" for name in _NAMES),
)
GOOD = (
    '# Loop\n\nThe state lives in `state.json`:\n\n```json\n{\n  "phase": "plan",\n  "round": 1\n}\n```\n',
    f"# Loop\n\nThe report lives in `report.json`; a sub-agent writes it:\n\n```json\n{{\n{_JSON}\n}}\n```\n",
    "# Loop\n\nThe report is made of these parts:\n\n" + "".join(f"- `{name}`: a thing\n" for name in _NAMES),
)


def look(case: Case) -> Iterator[Evidence]:
    """Give each declaration that is too wide."""
    for block in state_blocks(case.skill):
        if len(block.fields) > MOST:
            told = (
                f"This state has {len(block.fields)} fields at its top level; more than {MOST} are hard to keep true."
            )
            yield Evidence(block.file, block.start, told, line_end=block.end)
