"""One field of the state under two spellings.

What it sees: two names of state fields that differ only by case or underscores, such as `session_id` and `sessionId`;
in one object of the pseudo-code, a field that is read and never set beside one of like meaning that is set and never read;
a sentence that says that a field has another name elsewhere; a key that a later step asks for and no step notes, while a
single field of the record is never asked for; a value of one file that two phases call otherwise (low).
Why it is bad: One phase sets the first, another reads the second: the value is lost without an error.
Instead: Use one spelling everywhere, the one that the state declares.
May be wrong: Two different files really use the two spellings.
"""

from collections.abc import Iterator

from actions.facts.dataflow.orphans import orphans
from actions.facts.state.aliases import aliases
from actions.facts.state.spellings import spellings
from actions.facts.state.told import renamed
from actions.patterns.pattern import Evidence, Pattern
from actions.skill import Case
from schemas.vocabulary import Confidence, Family, Severity

PATTERN = Pattern(
    id="DF-002",
    family=Family.DATAFLOW,
    impact=("loses", "easy"),
    confidence=Confidence.HIGH,
    strategies=("field_normalization",),
)
BAD = (
    {
        "phases/1-open.md": "# Open\n\n```javascript\nconst state = { ticket_id: null, owner: null }\nstate.ticket_id = args[0]\n```\n",
        "phases/2-close.md": "# Close\n\n```javascript\nif (state.ticketId) { Bash(`close ${state.ticketId}`) }\n```\n",
    },
    '# Count\n\n```python\nstate["row_count"] = len(rows)\nTask(prompt=f"Check {state[\'rowcount\']} rows")\n```\n',
    "# 计数\n\n1. 调用子代理，将行数写入 `state.rowCount`。\n2. 如果 `state.row_count` 为零，停止。\n",
    "# Court\n\n```javascript\nconst hearing = { matter: ask('Matter?'), dueDate: ask('Date?') };\nif (daysTo(hearing.deadline) < 3) warn(hearing.matter);\n```\n",
    "# X\n\n```python\nguest = {'name': ask('Name?'), 'arrival': ask('Arrival?')}\nroom = book(guest['name'], guest['check_in_date'])\n```\n",
    "# Court\n\n1. Record the deadline as `due_date`.\n2. In the summary `due_date` is called `deadline_at`.\n",
    "# 状态\n\n| 字段 | 含义 |\n|---|---|\n| `risk_level` | 等级；写进意见书时叫 `riskGrade`，汇总统计时叫 `hazard_rank` |\n",
    "# Bees\n\n1. For each hive write down `hive`, `weight_kg` and `date` in `hives.json`.\n2. Drop rows without `weight_kg` or `date`; group them by `colonyId`.\n3. Draw one curve per `box_number`.\n",
    "# 借书\n\n1. 登记 `reader`、`book`、`due` 到 `loans.json`。\n2. 按 `borrowerId` 汇总 `book` 和 `due`。\n3. 通知。\n",
    {
        "SKILL.md": "# Move\n\nRead `phases/1-a.md`, `phases/2-b.md`, `phases/3-c.md`.\n",
        "phases/1-a.md": "# A\n\n```js\nWrite('run/inv.json', JSON.stringify({ folder, rows }))\n```\n",
        "phases/2-b.md": "# B\n\n```js\nconst inv = JSON.parse(Read('run/inv.json'))\nif (!inv.rows) stop()\nconst baseDir = inv.folder\nshow(baseDir, inv.rows)\n```\n",
        "phases/3-c.md": "# C\n\n```js\nconst inv = JSON.parse(Read('run/inv.json'))\nif (!inv.rows) stop()\nconst home = inv.folder\nshow(home, inv.rows)\n```\n",
    },
    "# Bags\n\n## Report\n\nWrite `case.json` with `bag_tag`, `route` and `looks`.\n\n## Search\n\nGrep the lists for the `tag_number` of the same route.\n",
    {
        "SKILL.md": "# Costs\n\n`phases/1.md`, `phases/2.md`\n",
        "phases/1.md": '# 1\n\nWrite `costs/claim.json`:\n\n```json\n{"worker": "", "trip_start": "", "total_eur": 0}\n```\n',
        "phases/2.md": "# 2\n\nRead `costs/claim.json`. If `departure_date` lies before the order, refuse; tell the worker.\n",
    },
)
GOOD = (
    {
        "phases/1-open.md": "# Open\n\n```javascript\nstate.ticket_id = args[0]\n```\n",
        "phases/2-close.md": "# Close\n\n```javascript\nif (state.ticket_id) { Bash(`close ${state.ticket_id}`) }\n```\n",
    },
    '# Count\n\n```python\nstate["rows"] = rows\nstate["row_count"] = len(rows)\nTask(prompt=state["rows"])\n```\n',
    "# Court\n\n```javascript\nconst hearing = { matter: ask('Matter?'), dueDate: ask('Date?') };\nif (daysTo(hearing.dueDate) < 3) warn(hearing.matter);\n```\n",
    "# Court\n\nThe tool is called `due_date` and takes `--deadline`. Put `due_date` and `matter` into the letter.\n",
    "# Bees\n\n1. For each hive write down `hive`, `weight_kg` and `date` in `hives.json`.\n2. Drop rows without `weight_kg`; group them by `hive` and `date`.\n3. Draw one curve per `hive`.\n",
    "# Bees\n\n1. Note `hive` and `date` in `hives.json`.\n2. Call the service with `hive_id` from its list and `apiKey`.\n3. Show `hive` and `date`.\n",
    "# Bags\n\n## Report\n\nWrite `case.json` with `bag_tag`, `route` and `looks`.\n\n## Search\n\nGrep the lists for the `bag_tag` of the same route, and look up the `depot_code`.\n",
    {
        "SKILL.md": "# Costs\n\n`phases/1.md`, `phases/2.md`\n",
        "phases/1.md": '# 1\n\nWrite `costs/claim.json`:\n\n```json\n{"worker": "", "trip_start": "", "total_eur": 0}\n```\n',
        "phases/2.md": "# 2\n\nRead `costs/claim.json`. If `trip_start` lies before the order, refuse; add `budget_line` and the worker.\n",
    },
)


def look(case: Case) -> Iterator[Evidence]:
    """Give the first use of the rarer spelling."""
    for slip in spellings(case.skill):
        first = slip.uses[0]
        message = f"`{slip.name}` is elsewhere called `{slip.usual}`: one value, two names."
        yield Evidence(first.file, first.line, message)
    for said in renamed(case.skill):
        yield Evidence(said.file, said.line, f"`{said.other}` is elsewhere called `{said.name}`: one value, two names.")
    for alias in aliases(case.skill):
        message = f"`{alias.other}` is called `{alias.name}` where it is made: one value, several names."
        yield Evidence(alias.file, alias.line, message, severity=Severity.LOW)
    for pair in orphans(case.skill).misnamed:
        message = f"`{pair.use.name}` is read here and nothing sets it; `{pair.kept}` is set and nothing reads it."
        yield Evidence(pair.use.file, pair.use.line, message)
