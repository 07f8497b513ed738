"""The state is declared with a history that has no bound.

What it sees: a field such as `history`, `messages`, `log` or `all_outputs` in a declaration of the state, an array
or list, and no line of the skill that keeps it short.
Why it is bad: The state grows with every round, and each phase that reads the state pays for all rounds before.
Instead: Keep the last few entries or a summary in the state, and the whole record in a log file that is not read back.
May be wrong: The number of rounds is small by nature.
"""

import re
from collections.abc import Iterator

from actions.facts.context.growth import HISTORY
from actions.facts.state.fields import state_blocks
from actions.patterns.pattern import Evidence, Pattern
from actions.skill import Case, SkillFile
from schemas.vocabulary import Confidence, Family

PATTERN = Pattern(
    id="APV-004",
    family=Family.AUTHORING,
    impact=("every_run",),
    confidence=Confidence.MEDIUM,
    strategies=("sliding_window",),
    cause="history",
)
BAD = (
    "# Chat\n\nThe state is kept in `state.json`.\n\n```typescript\ninterface ChatState {\n  topic: string;\n  conversation_history: Message[];\n}\n```\n",
    '# 轮询\n\n初始状态（`state.json`）：\n\n```json\n{\n  "round": 0,\n  "messages": []\n}\n```\n',
    '# Crew\n\nThe state lives in `state.json`.\n\n```python\nstate = {\n    "goal": goal,\n    "action_log": [],\n}\n```\n',
)
GOOD = (
    "# Chat\n\nThe state is kept in `state.json`; `conversation_history` keeps the last 5 messages.\n\n```typescript\ninterface ChatState {\n  topic: string;\n  conversation_history: Message[];\n}\n```\n",
    "# Chat\n\nThe state is kept in `state.json`.\n\n```typescript\ninterface ChatState {\n  topic: string;\n  log: string; // path of the log file\n}\n```\n",
)
_LISTS = re.compile(r"\[\s*\]|\w\[\]|\bArray<|\b[Ll]ist\b")
_BOUND = re.compile(
    r"\b(?:last|latest|recent|most|max\w*|at most|limit\w*|trim\w*|prun\w*|cap(?:ped)?|window|summar\w*|truncat\w*|slice|keep only|rotat\w*)\b"
    r"|最近|最多|上限|截断|裁剪|保留|摘要|滚动",
    re.IGNORECASE,
)


def look(case: Case) -> Iterator[Evidence]:
    """Give each unbounded record among the declared fields."""
    records = list(_records(case))
    lines = (line for file in case.skill.instructions for line in file.doc.lines) if records else ()
    bounds = "\n".join(filter(_BOUND.search, lines))
    for file, line, name in records:
        if name not in bounds and not any(_BOUND.search(file.doc.line(n)) for n in (line - 1, line)):
            yield Evidence(file.path, line, f"`{name}` grows with every round, and nothing keeps it short.")


def _records(case: Case) -> Iterator[tuple[SkillFile, int, str]]:
    for block in state_blocks(case.skill):
        file = case.skill.by_path[block.file]
        for name, line in block.fields:
            if _is_record(name) and _LISTS.search(file.doc.line(line)):
                yield file, line, name


def _is_record(name: str) -> bool:
    parts = re.findall(r"[a-z]+|[A-Z][a-z]*", name)
    return bool(parts) and parts[-1].lower() in HISTORY
