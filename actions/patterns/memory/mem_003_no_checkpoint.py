"""A long chain without a checkpoint.

What it sees: a workflow of five or more numbered stages that nowhere writes down where it stands or what it found: no
file, no todo list, no commit; a list of seven steps and more, of which some go through much of a kind, that is worked off
one after another without a note (low, where no sentence says so, and no step but the last leaves anything); and a run of
four steps, or over much of a kind, that says to keep all in mind, to save nothing on the way, or to write it down at the
end alone.

Why it is bad: the findings live only in the conversation. A compaction sums them up, a break loses them, and the run
begins anew.

Instead: note after each stage what is done and what was found, in one file, and read it first.

May be wrong: when the stages are short and run in one go.
"""

from collections.abc import Iterator

from actions.facts.memory.admitting import nothing_kept
from actions.facts.memory.keeping import keeps_nothing, stages, where_stages_are_listed
from actions.facts.memory.long_lists import heavy_list
from actions.patterns.pattern import Evidence, Pattern
from actions.skill import Case
from schemas.vocabulary import Confidence, Family, Severity

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
    "# Bells\n\nWork through this in order.\n\n1. Measure each bell.\n2. Photograph every crack.\n3. Cast all the clappers anew.\n4. Clean each yoke.\n5. Hang the bells.\n6. Tune them.\n7. Print the plan.\n",
    {"SKILL.md": "# Feast\n\n## Phases\n\n" + "".join(f"1. [{p}]({p})\n" for p in _FILES), **_FILES},
    "# Volume\n\n1. Scan.\n2. Code.\n3. Link.\n4. Write up.\n\nKeep everything in the conversation until step 4 is through; write to disk only then.\n",
    "# 迁移\n\n依次进行：导出、建表、导入、校验、切换。\n\n五步一气呵成，中间不作任何记录。\n",
    "# Port\n\n1. Parse.\n2. Rename.\n3. Link.\n4. Test.\n\n```javascript\n// nothing is saved between the steps\nfor (const step of STEPS) step()\n```\n",
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
    "# Estate\n\n1. Go through the photos of each room.\n2. List every piece.\n3. Look up results for each piece.\n4. Name the experts.\n5. Sort by heir.\n6. Even out the shares.\n7. Write `estate.md`.\n",
)
GOOD = (
    "# Bells\n\nWork through this in order, and tick off each step in `bells.md`.\n\n1. Measure each bell.\n2. Photograph every crack.\n3. Cast all the clappers anew.\n4. Clean each yoke.\n5. Hang the bells.\n6. Tune them.\n7. Print the plan.\n",
    "# Tea\n\nIn this order.\n\n1. Boil.\n2. Warm the pot.\n3. Pour.\n4. Wait.\n5. Stir.\n6. Pour each cup.\n7. Serve.\n",
    "# Volume\n\n1. Scan.\n2. Code.\n3. Link.\n4. Write up.\n\nNever keep results in the conversation until the end: after each step write them to `volume.json`.\n",
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
    "# Estate\n\n1. List the rooms.\n2. List the things.\n3. Price them.\n4. Write the list.\n5. Hand it over.\n\n"
    "Prices paid must not appear in the list; keep this in mind until the end.\n",
    "# Estate\n\n1. Go through the photos of each room.\n2. List every piece in `pieces.csv`.\n3. Look up results for each piece.\n4. Name the experts.\n5. Sort by heir.\n6. Even out the shares.\n7. Write `estate.md`.\n",
)

_LONG = 5


def look(case: Case) -> Iterator[Evidence]:
    """Give one finding where the skill says that it keeps nothing, else where the stages are listed or begin."""
    said = nothing_kept(case.skill)
    if said:
        yield Evidence(said.file.path, said.line, f"Nothing is kept before the run ends: “{said.text[:160]}”")
        return
    count = stages(case.skill)
    if count >= _LONG and keeps_nothing(case.skill):
        file, line = where_stages_are_listed(case.skill)
        yield Evidence(
            file.path, max(line, 1), f"{count} stages follow one another, and nothing is written down between them."
        )
        return
    heavy = heavy_list(case.skill)
    if heavy:
        where, sure = heavy
        told = f"Long steps follow one another, and nothing notes what is done: “{where.text[:160]}”"
        yield Evidence(where.file.path, where.line, told, severity=None if sure else Severity.LOW)
