"""Tables whose rows are sub-agents at work: who does the step, and what is said for its failure."""

import re
from collections.abc import Iterator

from actions.facts.agents import words as w
from actions.skill.skill import SkillFile
from actions.skill.tables import table_rows

_WORKER = re.compile(rf"\b{w.SURE_WORKER}|子代理|子智能体|subagent_type", re.IGNORECASE)
_FAILURE = re.compile(
    r"\b(?:fail|error|wrong|fallback|fall back|otherwise|recover|problem)|失败|出错|异常|错误|兜底|降级", re.IGNORECASE
)
_NOTHING = re.compile(
    r"\W*(?:nothing(?: \w+)?|none|n/?a|tbd|to be decided|open|undefined"
    r"|not (?:foreseen|handled|defined|covered)|unhandled|ignored?|无|未定|没有|暂无|未处理|忽略)?\W*",
    re.IGNORECASE,
)


def unprovided_rows(file: SkillFile) -> Iterator[int]:
    """Give the lines of the rows with a sub-agent whose column for failures says nothing."""
    for row in table_rows(file):
        failures = [cell for title, cell in row.cells if _FAILURE.search(title)]
        if failures and _WORKER.search(row.text) and all(_NOTHING.fullmatch(cell) for cell in failures):
            yield row.line
