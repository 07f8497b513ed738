"""A phase reads a file that no phase writes.

What it sees: a later stage reads a data file out of the run's own folder; nothing in the skill writes, lists or
otherwise names that file, and nothing provides for its absence. Likewise a field of the state or of an object of the
pseudo-code that is read and never set, and a value that a step lists among its inputs and that no other line names.
Why it is bad: The read fails, or the model makes the content up. Mostly the writer uses another name.
Instead: Write the file in the phase that has the data, or read the name that is written.
May be wrong: A tool outside of the skill leaves the file there.
"""

from collections.abc import Iterator

from actions.facts.dataflow.contract_lists import gaps
from actions.facts.dataflow.contracts import unwritten
from actions.facts.dataflow.file_names import base
from actions.facts.dataflow.orphans import orphans
from actions.facts.state.fields import Act
from actions.patterns.pattern import Evidence, Pattern
from actions.skill import Case
from schemas.vocabulary import Confidence, Family

PATTERN = Pattern(
    id="DF-006",
    family=Family.DATAFLOW,
    impact=("blocks",),
    confidence=Confidence.MEDIUM,
    strategies=("repair_reference",),
)
BAD = (
    {
        "phases/01-scan.md": "# Scan\n\nWrite the modules to `${workDir}/modules.json`.\n",
        "phases/02-rank.md": "# Rank\n\n```javascript\nconst risks = JSON.parse(Read(`${workDir}/risk-table.json`))\nconst modules = Read(`${workDir}/modules.json`)\n```\n",
    },
    """# Survey

## Phase 1: Ask
Save the answers to `{run_dir}/answers.json`.

## Phase 2: Group
```python
groups = json.load(open(f"{run_dir}/clusters.json"))
answers = json.load(open(f"{run_dir}/answers.json"))
```
""",
    {
        "phases/01-collect.md": "# 收集\n\n将需求写入 `<session>/requirements.json`。\n",
        "phases/02-design.md": "# 设计\n\n读取 `<session>/requirements.json` 与约束。\n\n根据上一阶段的 `<session>/constraints.json` 给出方案。\n",
    },
    {
        "phases/01-scan.md": "# Scan\n\nSave the hits to `.work/hits.json`.\n",
        "phases/02-judge.md": "# Judge\n\n**Input**:\n- `.work/hit-list.json`\n\nJudge each entry.\n",
    },
    '# X\n\n```python\ndef intake(state):\n    state["applicant"] = ask("Name?")\n    state["income"] = ask("Income?")\n\ndef decide(state):\n    return state["debts"] / state["income"]\n```\n',
    "# X\n\n```javascript\nconst trip = { city: ask('City?'), days: 3 };\nbook(trip.city, trip.days, trip.budget);\n```\n",
    "# 施肥\n\n| 步骤 | 输入 | 输出 |\n|---|---|---|\n| 一 | 检测单 | `soil_ph` |\n| 二 | `soil_ph`、`crop_variety` | `dose` |\n",
    "# Plan\n\n## Phase 1\nOutput: `visits`\n\n## Phase 2\nInput: `visits`, `holiday_list`\nOutput: `plan`\n\n## Phase 3\nInput: `plan`\n",
    "# 排班\n\n1. 收名单，存成 `ban/people.csv`。\n2. 读 `ban/holidays.json`，去掉假日，存成 `ban/days.csv`。\n3. 按 `ban/days.csv` 排 `ban/people.csv` 里的人。\n",
    {
        "SKILL.md": "# Dig\n\nRead `phases/1-a.md`, `phases/2-b.md`.\n",
        "phases/1-a.md": "# A\n\n```python\nwrite_json('dig/finds.json', finds)\n```\n",
        "phases/2-b.md": "# B\n\n```python\nfinds = read_json('dig/finds.json')\nif not finds:\n    raise SystemExit('no finds')\nlayers = read_json('dig/layers.json')\nshow(finds, layers)\n```\n",
    },
    "# Choir\n\n## Phase 1: Voices\n\nWrite `voices.json`.\n\n## Phase 2: Places\n\nRead `voices.json`, write `rows.json`.\n\n"
    "## Phase 3: Plan\n\nRead `rows.json` and `heights.json`, and draw the plan.\n",
    {
        "SKILL.md": "# 史\n\n## 第一步\n\n问题目。\n\n## 第二步\n\n把 `work/notes.yaml` 里的要点排好，写到 `work/order.yaml`。\n\n## 第三步\n\n读 `work/order.yaml`。\n"
    },
    {
        "SKILL.md": "# Press\n\n[one](phases/1.md) [two](phases/2.md)\n",
        "phases/1.md": "# 1\n\nWrite one file a sheet to `run/{id}/sheets/{n}.json`, and the order to `run/{id}/order.md`.\n",
        "phases/2.md": "# 2\n\nRead `run/{id}/held.json` and `run/{id}/order.md`, and print the rest of `run/{id}/sheets/`.\n",
    },
    "# Bake\n\n1. Ask for the orders.\n2. Open `flour-left.json` and drop what cannot be baked.\n3. Lay the ovens.\n",
    "# Seats\n\n## Step 1\n\nAsk for the guests.\n\n## Step 2\n\n```python\nfor one, other in json.load(open('feuds.json')):\n    part(one, other)\n```\n",
)
GOOD = (
    {
        "phases/01-scan.md": "# Scan\n\nWrite the modules to `${workDir}/modules.json`.\n",
        "phases/02-rank.md": "# Rank\n\nRead `${workDir}/modules.json` and rank them.\n",
    },
    {
        "phases/01-scan.md": "# Scan\n\nThe scanner agent leaves one `${workDir}/part-{n}.json` per folder.\n",
        "phases/02-rank.md": "# Rank\n\nRead every `${workDir}/part-*.json`. If `${workDir}/extra.json` exists, read it too.\n",
    },
    """# Survey

## Phase 1: Ask
Read `{project}/package.json` and save the answers to `{run_dir}/answers.json`.

## Phase 2: Group
Read `{run_dir}/answers.json` and `src/config.json`.
""",
    "# X\n\n```javascript\nconst trip = { city: ask('City?'), budget: 0, days: 3 };\nbook(trip.city, trip.days, trip.budget);\n```\n",
    "# X\n\n```javascript\nconst trip = { city: ask('City?'), ...defaults };\nbook(trip.city, trip.days ?? 3);\n```\n",
    "# X\n\n```javascript\nconst trip = { city: ask('City?') };\nfillIn(trip);\nbook(trip.city, trip.days);\n```\n",
    "# Plan\n\nThe user gives `holiday_list`.\n\n| Step | Needs | Leaves |\n|---|---|---|\n| 1 | the shop | `visits` |\n| 2 | `visits`, `holiday_list` | `plan` |\n",
    "# Menu\n\n1. Read `feast/recipes.json`.\n2. Save the plan as `feast/plan.csv`.\n3. Check `feast/plan.csv`.\n",
    "# Choir\n\n## Phase 1: Voices\n\nWrite `voices.json`.\n\n## Phase 2: Places\n\nRead `voices.json` and `package.json`.\n\n"
    "## Phase 3: Plan\n\nRead the `guests.json` that the user gives, and draw the plan.\n",
    {
        "SKILL.md": "# Press\n\n[one](phases/1.md) [two](phases/2.md)\n",
        "phases/1.md": "# 1\n\nWrite one file a sheet to `run/{id}/sheets/{n}.json`.\n\nWrite `run/{id}/review.md` (one page: what is open and read) and\n`run/{id}/held.json` (the sheets held back). The printer reads the page.\n",
        "phases/2.md": "# 2\n\nRead `run/{id}/held.json`.\n",
    },
    "# Bake\n\n1. Ask for the orders.\n2. Open the user's `flour-left.json` and drop what cannot be baked.\n3. Lay the ovens.\n",
    {
        "SKILL.md": "# Bake\n\n1. Run `scripts/weigh.py`.\n2. Open `flour-left.json`.\n3. Lay the ovens.\n",
        "scripts/weigh.py": "open('flour-left.json', 'w')\n",
    },
    "# Marks\n\n## Phase 1\n\nWrite `run/beds.json`.\n\n## Phase 2\n\nRead `run/beds.json` and turn each bed into `run/marks.json`.\n\n## Phase 3\n\nShow `run/marks.json`.\n",
)


def look(case: Case) -> Iterator[Evidence]:
    """Give each name that is only read, at its first read."""
    for use in unwritten(case.skill):
        yield Evidence(use.file, use.line, f"`{base(use.name)}` is read here and no phase writes it.")
    for item in gaps(case.skill).needed:
        yield Evidence(item.file, item.line, f"`{item.name}` is needed here and no step leaves it.")
    for field in orphans(case.skill).unset:
        if field.act is Act.READ:
            yield Evidence(field.file, field.line, f"`{field.name}` is read here and nothing sets it.")
