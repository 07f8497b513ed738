"""A state-driven skill that nowhere says what its state holds.

What it sees: several places set and test fields of a state that is kept in a file, and the skill declares those
fields nowhere: no type, no initial value, no JSON example, no table, no schema file. As low: prose that leaves the fields
of the state to whoever writes it.
Why it is bad: Each phase guesses the names and kinds of the fields; a slip in one of them is never found.
Instead: Declare the state once, in a schema, and check the file against it when it is read.
May be wrong: The state belongs to another skill that declares it.
"""

from collections.abc import Iterator

from actions.facts.state.fields import Act, field_uses, state_blocks
from actions.facts.state.files import is_declared, state_file
from actions.facts.state.told import shapeless
from actions.facts.state.unshaped import unshaped_loops
from actions.patterns.pattern import Evidence, Pattern
from actions.skill import Case
from schemas.vocabulary import Confidence, Family, Severity

PATTERN = Pattern(
    id="DF-005",
    family=Family.DATAFLOW,
    impact=("every_run", "easy"),
    confidence=Confidence.MEDIUM,
    strategies=("schema_enforcement",),
)
BAD = (
    "# Game\n\nThe loop reads `game.json`, acts and writes it. The state may hold whatever a scene needs; keys are made up as they come.\n",
    "# 游戏\n\n状态存在 `game.json` 中，字段不固定，想记什么就记什么。\n",
    {
        "SKILL.md": "# Crawl\n\nThe state lives in `crawl-state.json`. Read `phases/1-seed.md`, then `phases/2-walk.md`.\n",
        "phases/1-seed.md": "# Seed\n\n```javascript\nconst state = JSON.parse(Read('crawl-state.json'))\nstate.queue = seeds\nstate.depth = 0\n```\n",
        "phases/2-walk.md": "# Walk\n\n```javascript\nwhile (state.queue.length && state.depth < state.limit) {\n  state.depth += 1\n}\n```\n",
    },
    {
        "SKILL.md": "# 巡检\n\n状态保存在 `state.json`。依次执行 `phases/1-准备.md` 与 `phases/2-巡检.md`。\n",
        "phases/1-准备.md": "# 准备\n\n将 `state.owner` 设置为负责人，将 `state.targets` 设置为目标列表。\n",
        "phases/2-巡检.md": "# 巡检\n\n如果 `state.targets` 为空，则结束；否则更新 `state.last_target`。\n",
    },
    "# Game\n\nThe loop reads `game.json`, takes the next action and writes it back.\n\nThe state may hold whatever a scene needs; keys are made up as they come.\n",
    "# 巡检\n\n状态保存在 `state.json`，各步骤可随意增加字段，没有固定格式。\n",
    "# Loan\n\nThe state of the loan is in `loan/state.json`. At most twelve turns: read it, do what `state.stage` says, write it back.\n\n- `ask`: note `amount` and `years`. Next: `rate`.\n- `rate`: note `rate` and `monthly`. Next: `tell`.\n- `tell`: show `monthly`. Next: `over`.\n",
    "# 理赔\n\n状态存在 `claim/state.json`，循环最多十次：读出来，按 `state.step` 走，写回去。\n\n- `intake`：记下 `policy` 和 `request`，下一步 `check`。\n- `check`：写 `covered` 和 `reason`，下一步 `letter`。\n- `letter`：按 `covered` 写信，结束。\n",
    "# Room\n\nThe loop turns on `room-state.json`; put into it what the next turn needs.\n\nEach turn:\n\n1. Read the state.\n2. Open what the player opens.\n3. Write the state.\n",
    "# 口语\n\n每一轮：\n\n1. 读取 `talk-state.json`。\n2. 提一个问题。\n3. 写回 `talk-state.json`。\n",
)
GOOD = (
    "# Game\n\nThe state in `game.json` is checked against `game.schema.json` whenever it is read; no other keys are allowed.\n",
    {
        "SKILL.md": '# Crawl\n\nThe state lives in `crawl-state.json`; its initial value:\n\n```json\n{ "queue": [], "depth": 0, "limit": 3 }\n```\n',
        "phases/1-seed.md": "# Seed\n\n```javascript\nstate.queue = seeds\nstate.depth = 0\n```\n",
        "phases/2-walk.md": "# Walk\n\n```javascript\nwhile (state.queue.length && state.depth < state.limit) {\n  state.depth += 1\n}\n```\n",
    },
    "# Once\n\nSet `state.done` in `state.json` when the sub-agent returns.\n",
    "# Game\n\nThe state in `game.json` is checked against `game.schema.json`; no other keys are allowed.\n",
    "# Loan\n\nThe state of the loan is in `loan/state.json` with the keys `stage`, `amount`, `years`, `rate`, `monthly` and no others. At most twelve turns: read it, do what `state.stage` says, write it back.\n\n- `ask`: note `amount` and `years`. Next: `rate`.\n- `rate`: note `rate` and `monthly`. Next: `tell`.\n",
    "# Room\n\nThe loop turns on `room-state.json`: the scene, the open locks, the minutes that are left.\n\nEach turn:\n\n1. Read the state.\n2. Open what the player opens.\n3. Write the state.\n",
)


def look(case: Case) -> Iterator[Evidence]:
    """Give each sentence that leaves the state without a shape, then the state's file where no field is declared."""
    skill = case.skill
    for said in shapeless(skill):
        message = "The state has no fixed fields: each phase may make them up (low: prose)."
        yield Evidence(said.file, said.line, message, severity=Severity.LOW)
    uses = field_uses(skill)
    names = {use.name for use in uses}
    home = state_file(skill) if len(names) >= 3 and any(use.act is Act.SET for use in uses) else None
    if home is None or state_blocks(skill) or is_declared(skill, names):
        yield from _machines(case)
        return
    wide = len({use.file for use in uses}) > 1
    message = f"`{home.name}` holds {len(names)} fields ({', '.join(sorted(names)[:6])}) that are declared nowhere."
    yield Evidence(home.file, home.line, message, severity=None if wide else Severity.LOW)


def _machines(case: Case) -> Iterator[Evidence]:
    """Give the loops of prose around a state that nothing declares."""
    if not state_blocks(case.skill) and not is_declared(case.skill, set()):
        for path, line in unshaped_loops(case.skill):
            message = "A loop reads and writes this state, and nothing says which fields it has (low: prose)."
            yield Evidence(path, line, message, severity=Severity.LOW)
