"""A long chain without a checkpoint.

What it sees: a workflow of five or more numbered stages that nowhere writes down where it stands or what it found: no
file, no todo list, no commit.

Why it is bad: the findings live only in the conversation. A compaction sums them up, a break loses them, and the run
begins anew.

Instead: note after each stage what is done and what was found, in one file, and read it first.

May be wrong: when the stages are short and run in one go.
"""

from collections.abc import Iterator

from actions.facts.memory.keeping import keeps_nothing, stages, where_stages_are_listed
from actions.model import Case
from actions.patterns.pattern import Evidence, Pattern
from schemas.vocabulary import Confidence, Family

PATTERN = Pattern(
    id="MEM-003",
    family=Family.MEMORY,
    impact=("loses",),
    confidence=Confidence.MEDIUM,
    strategies=("checkpoint_restore",),
)

_FILES = {
    f"phases/0{n}-{name}.md": f"# {name.title()}\n\nThink about the {name} with the user.\n"
    for n, name in enumerate(("guests", "menu", "rooms", "music", "costs"), 1)
}
BAD = (
    {"SKILL.md": "# Feast\n\n## Phases\n\n" + "".join(f"1. [{p}]({p})\n" for p in _FILES), **_FILES},
    """# 搬家

## 第1步

询问日期。

## 第2步

用 Task(subagent_type="Explore", prompt="查找本地的搬家公司并比较价格") 查找；代理失败时报告。

## 第3步

与用户比较。

## 第4步

选择公司。

## 第5步

约定时间。
""",
)
GOOD = (
    {
        "SKILL.md": "# Feast\n\nNote the outcome of each phase in `feast.md`.\n\n"
        + "".join(f"1. [{p}]({p})\n" for p in _FILES),
        **_FILES,
    },
    """# Feast

## Step 1

Ask for the date.

## Step 2

Ask for the place.
""",
)

_LONG = 5


def look(case: Case) -> Iterator[Evidence]:
    """Give one finding where the stages are listed or begin."""
    count = stages(case.skill)
    if count >= _LONG and keeps_nothing(case.skill):
        file, line = where_stages_are_listed(case.skill)
        yield Evidence(
            file.path, max(line, 1), f"{count} stages follow one another, and nothing is written down between them."
        )
