"""Rules that a compaction cuts off.

What it sees: Sentences of SKILL.md that command or forbid and stand behind the first 5,000 tokens of its body, when neither
the text before nor another file of the skill says the same.

Why it is bad: After a compaction Claude Code attaches the skill again, but only its first 5,000 tokens. From then on the
session works without these rules, and nothing tells it so.

Instead: Bring the rules before the cut: move what only one branch or a late phase needs into files that are read then.

May be wrong: When the skill's work always ends long before a compaction.
"""

from collections.abc import Iterator

from actions.facts.context.budget import lost_rules
from actions.patterns.pattern import Evidence, Pattern
from actions.skill import Case
from schemas.vocabulary import Confidence, Family

PATTERN = Pattern(
    id="CTX-006",
    family=Family.CONTEXT,
    impact=("loses",),
    confidence=Confidence.HIGH,
    strategies=("split_to_references", "repeat_rule"),
)

_FILL = "".join(
    f"The column `field_{n}` of the export holds the amount that was booked in week {n} of the year, in whole cents.\n\n"
    for n in range(220)
)
_FILL_ZH = "".join(
    f"第 {n} 列保存第 {n} 周的入账金额，单位为分，来源是财务系统在当周周一导出的汇总表格文件。\n\n" for n in range(500)
)
BAD = (
    f"# Export\n\n## Columns\n\n{_FILL}## Closing\n\nNever send the file to an outside address.\n",
    f"# 导出\n\n## 字段\n\n{_FILL_ZH}## 收尾\n\n发送之前必须得到用户确认。\n",
    f"# Export\n\n## Columns\n\n{_FILL}## Hand over\n\n- **Totals**: they MUST equal the ledger's.\n",
)
GOOD = (
    f"# Export\n\nNever send the file to an outside address.\n\n## Columns\n\n{_FILL}"
    "## Closing\n\nNever send the file to an outside address.\n",
    f"# Export\n\nNever send the file to an outside address.\n\n## Columns\n\n{_FILL}",
    {
        "SKILL.md": f"# Export\n\nRead `phases/send.md` last.\n\n{_FILL}",
        "phases/send.md": "# Send\n\nNever send it outside.\n",
    },
    "# Export\n\nNever send the file to an outside address.\n",
)


def look(case: Case) -> Iterator[Evidence]:
    """Give one finding at the first rule that is lost; the others are named in `also`."""
    lost = lost_rules(case.skill)
    if lost:
        first, *rest = lost
        count = "One rule stands" if not rest else f"{len(lost)} rules stand"
        told = f"{count} behind the 5,000 tokens that survive a compaction, the first: {first.text[:120]}"
        yield Evidence(first.file, first.line, told, also=tuple(f"{r.file}:{r.line}: {r.text[:160]}" for r in rest))
