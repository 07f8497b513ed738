"""A phase writes a file that no phase reads.

What it sees: a stage of the skill, not the last one, writes a data file; every other place that names the file writes
it or only lists it. Likewise a field of the state or of an object of the pseudo-code that is set, and a value that a
step lists among its outputs, which no other line names.
Why it is bad: The result is lost: a later phase works without it, or reads another name and finds nothing. The
run still pays for producing it.
Instead: Read the file where the result is needed, by the same name, or leave the file out.
May be wrong: The file is a product for the user, or a program outside of the skill reads it.
"""

from collections.abc import Iterator

from actions.facts.dataflow.contract_lists import gaps
from actions.facts.dataflow.contracts import unread
from actions.facts.dataflow.file_names import DATA, base, extension
from actions.facts.dataflow.orphans import orphans
from actions.facts.dataflow.stages import has_stages
from actions.patterns.pattern import Evidence, Pattern
from actions.skill import Case
from schemas.vocabulary import Confidence, Family, Severity

PATTERN = Pattern(
    id="DF-004",
    family=Family.DATAFLOW,
    impact=("loses",),
    confidence=Confidence.MEDIUM,
    strategies=("repair_reference",),
)
BAD = (
    """# Release notes

## Phase 1: Collect
```javascript
const commits = parseLog(Bash('git log --oneline'))
Write(`${workDir}/commit-groups.json`, JSON.stringify(commits))
```

## Phase 2: Draft
Write the notes from the merged pull requests of this milestone.

## Phase 3: Publish
Show the notes to the user.
""",
    {
        "phases/01-survey.md": "# Survey\n\nAsk for the audience and save the answers to `${run}/audience.yaml`.\n",
        "phases/02-outline.md": "# Outline\n\nMake an outline with at most nine headings.\n",
        "phases/03-write.md": "# Write\n\nWrite one chapter per heading.\n",
    },
    {
        "phases/01-scan.md": "# 扫描\n\n扫描全部模块，将依赖关系写入 `${workDir}/deps.json`。\n",
        "phases/02-rank.md": "# 排序\n\n读取 `${workDir}/dependencies.json`，按风险排序。\n",
    },
    {
        "phases/1-fetch.md": '# Fetch\n\n```python\nwith open(f"{run_dir}/raw_rows.json", "w") as out:\n    json.dump(rows, out)\n```\n',
        "phases/2-model.md": "# Model\n\nFit the model on the rows of the user's table.\n",
    },
    "# Topo\n\n```javascript\nstate.routes = notes.map(toRoute);\nstate.sunHours = estimateSun(crag.aspect);\nfor (const r of state.routes) draw(r.number);\n```\n",
    "# X\n\n```javascript\nconst plan = { rooms: ask('Rooms?'), sunset: almanac(today) };\nfor (const r of plan.rooms) show(r);\n```\n",
    "# Mail\n\n| Step | Input | Output |\n|---|---|---|\n| 1 Read | the letter | `topics`, `mood_score` |\n| 2 Sort | `topics` | `order` |\n| 3 Answer | `order` | the answer |\n",
    "# 装车\n\n## 步骤 1\n输出：`parts`、`weight_table`\n\n## 步骤 2\n输入：`parts`\n输出：`plan`\n\n## 步骤 3\n输入：`plan`\n",
    "# Menu\n\n1. Ask for the guests and save them as `feast/guests.csv`.\n2. Note what each likes in `feast/likes.json`.\n3. Plan the courses from `feast/guests.csv`, save them as `feast/courses.csv`.\n4. Write the shopping list from `feast/courses.csv`.\n5. Show it.\n",
    {
        "SKILL.md": "# Dig\n\nRead `phases/1-a.md`, `phases/2-b.md`, `phases/3-c.md`.\n",
        "phases/1-a.md": "# A\n\n```python\nwrite_json('dig/finds.json', finds)\nwrite_json('dig/weights.json', weigh(finds))\n```\n",
        "phases/2-b.md": "# B\n\n```python\nfinds = read_json('dig/finds.json')\nif not finds: raise SystemExit\n```\n",
        "phases/3-c.md": "# C\n\nShow them.\n",
    },
    "# Tiles\n\n1. Measure the floor and write it to `floor.json`.\n2. Write the colours that fit to `colours.json`.\n"
    "3. Read `floor.json` and count the tiles.\n4. Show the count.\n",
    '# Props\n\n1. Read the play.\n2. Save the notes by scene to `by-scene.json`.\n3. Look up photos with `Glob("props/*.jpg")`, and find all that break.\n4. Show the list.\n',
    "# 图书角\n\n1. 记下书名。\n2. 把书脊颜色统计成 `spines.json`。\n3. 按主题分类。\n4. 打印目录。\n",
)
GOOD = (
    """# Release notes

## Phase 1: Collect
Write(`${workDir}/commit-groups.json`) with one entry per area.

## Phase 2: Draft
Read(`${workDir}/commit-groups.json`) and write one paragraph per entry.

## Phase 3: Publish
Save the text to `${workDir}/release.json`.
""",
    {
        "phases/01-scan.md": "# 扫描\n\n将依赖关系写入 `${workDir}/deps.json`。\n",
        "phases/02-rank.md": "# 排序\n\n读取 `${workDir}/*.json`，按风险排序。\n",
    },
    {
        "phases/01-survey.md": "# Survey\n\nSave the answers to `${run}/audience.yaml`.\n",
        "phases/02-outline.md": "# Outline\n\nGive the path `${run}/audience.yaml` to the writer.\n",
    },
    "# Lint setup\n\n## Step 1: Configure\nCreate `eslint.config.json` in the project.\n\n## Step 2: Run\nRun the linter.\n\n## Step 3: Report\nTell the user.\n",
    "# X\n\n```javascript\nconst plan = { rooms: ask('Rooms?'), sunset: almanac(today) };\nfor (const r of plan.rooms) show(r, plan.sunset);\n```\n",
    "# X\n\n```javascript\nconst body = { name: ask('Name?'), note: '' };\nif (body.name) post(url, body);\n```\n",
    "# Mail\n\n| Step | Input | Output |\n|---|---|---|\n| 1 Read | the letter | `topics`, `mood_score` |\n| 2 Answer | `topics`, `mood_score` | `answer` |\n",
    "# Menu\n\n1. Ask for the guests and save them as `feast/guests.csv`.\n2. Plan the courses from `feast/guests.csv`, save them as `feast/courses.csv`.\n3. Write the shopping list from `feast/courses.csv` and save it as `feast/shopping.csv` for the user.\n",
    "# Menu\n\n1. Save the guests as `feast/guests.csv`.\n2. Plan from `feast/guests.csv`; save the plan as `feast/plan.csv` and show it.\n3. Ask for changes.\n",
    "# Tiles\n\n1. Measure the floor and write it to `floor.json`.\n2. Count the tiles of `floor.json` and write `tiles.json`.\n"
    "3. Read `tiles.json` and order them for the user.\n",
    "# Lint\n\n1. Read `package.json`.\n2. Write the rules into `tsconfig.json`.\n3. Run the linter and tell what it says.\n",
    "# Props\n\n1. Read the play.\n2. Save the notes by scene to `by-scene.json` for the user.\n3. Show the list.\n4. Stop.\n",
    {
        "SKILL.md": "# Props\n\n1. Read the play.\n2. Save the notes by scene to `by-scene.json`.\n3. Run `scripts/list.py`.\n4. Show the list.\n",
        "scripts/list.py": "open('by-scene.json')\n",
    },
)


def look(case: Case) -> Iterator[Evidence]:
    """Give each written name that nothing takes up, at its first write."""
    for use in unread(case.skill):
        data = extension(use.name) in DATA and ("/" in use.name or has_stages(case.skill))
        message = f"`{base(use.name)}` is written here and no phase reads it."
        yield Evidence(use.file, use.line, message, severity=None if data else Severity.LOW)
    for item in gaps(case.skill).left:
        message = f"`{item.name}` is left by this step and nothing takes it up."
        yield Evidence(item.file, item.line, message, severity=Severity.LOW)
    for field in orphans(case.skill).unread:
        message = f"`{field.name}` is set here and nothing looks at it."
        yield Evidence(field.file, field.line, message, severity=Severity.LOW)
