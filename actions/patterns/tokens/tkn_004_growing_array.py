"""An array in the state that only grows.

What it sees: A list in the skill's state, other than a history, that gets an entry with each pass of a loop, while no line of
the skill keeps it short; and a list of a data file that is shown empty or loaded, and longer after each use.

Why it is bad: The state is read with every pass, so each pass costs more than the one before.

Instead: Keep the last entries, or a count, or write the entries to a file of their own and keep its path.

May be wrong: When the number of passes is small by nature. It is a matter of cost, and so it is low.
"""

import re
from collections.abc import Iterator

from actions.facts.context.growth import ENDS, Growth, growths, is_bounded
from actions.facts.context.kept_lists import kept_lists
from actions.facts.own import is_workflow
from actions.patterns.pattern import Evidence, Pattern
from actions.skill import Case
from schemas.vocabulary import Confidence, Family

PATTERN = Pattern(
    id="TKN-004",
    family=Family.TOKENS,
    impact=("every_run",),
    confidence=Confidence.MEDIUM,
    strategies=("sliding_window",),
    cause="history",
)
_KEPT = re.compile(r"^(?:\w*[sS]tate|session|memory|store|shared_?[mM]emory)\b")
_AGAIN = frozenset({"while", "loop", "do", "until"})

BAD = (
    '# Wine\n\nThe cellar is `cellar.json`: `{"owner": "", "bottles": []}`. Read it first.\n\nFor every bottle that comes in add an entry to `bottles`; nothing is taken out.\n\nSay how many there are.\n',
    "# 体重\n\n```js\nconst book = load('book.json')\nbook.days.push({ day, kilos, words: userMessage })\nsave('book.json', book)\n```\n",
    "# Watch\n\n```javascript\nwhile (state.status === 'running') {\n  const reading = Bash('./measure.sh')\n"
    "  state.readings.push(reading)\n  Write('state.json', JSON.stringify(state))\n}\n```\n",
    '# Watch\n\n```python\nwhile running:\n    state["samples"].append(Bash("./measure.sh"))\n```\n',
    "# Watch\n\nThe state is in `state.json`. After each round, append what was measured to `state.readings`.\n",
    "# 监测\n\n状态保存在 `state.json`。每一轮都把测量值追加到 `state.readings`。\n",
    "# Watch\n\nThe state lives in `state.json`:\n\n| Field | Meaning |\n|---|---|\n| `gate` | the gate |\n| `alarms` | every alarm of every gate, added as they come |\n",
    "# Lock\n\n```javascript\nconst book = readJson('lock.json')\nfor (const ship of todays) {\n  book.captains.push(ship.captain)\n}\nwriteJson('lock.json', book)\n```\n",
    "# Well\n\n`well.json` has the keys `wish`, `limit` and `levels`.\n\nEach morning add the level to `levels`; all of them stay.\n",
    '# Bot\n\n```python\nmem = json.load(open("mem.json"))\nmem["facts"] += extract(text)\njson.dump(mem, open("mem.json", "w"))\n```\n',
    "# Fever\n\n`fever.json`:\n\n```yaml\ntemps: []\n```\n\nEach time put the value at the end of `temps`.\n",
)
GOOD = (
    "# 合同\n\n`state.json` 记录 `user_request`（用户的原话）、`current_phase`、`clause_count`，每个阶段结束时写入；重新启动时从这里继续。\n",
    '# Wine\n\nThe cellar is `cellar.json`: `{"owner": "", "bottles": []}`. Read it first.\n\nFor every bottle that comes in add an entry to `bottles`; those drunk before this year move to an archive.\n',
    "# 体重\n\n```js\nconst book = load('book.json')\nbook.days.push({ day, kilos })\nbook.days = book.days.slice(-30)\nsave('book.json', book)\n```\n",
    "# Watch\n\n```javascript\nwhile (state.status === 'running') {\n  state.readings.push(Bash('./measure.sh'))\n"
    "  state.readings = state.readings.slice(-5)\n}\n```\n",
    "# Watch\n\n```javascript\nfor (const gate of gates) {\n  state.readings.push(Bash(`./measure.sh ${gate}`))\n}\n```\n",
    "# Watch\n\nThe state is in `state.json`. After each round, append the reading to `state.readings`, at most 20 of them.\n",
    "# Watch\n\nThe state lives in `state.json`:\n\n| Field | Meaning |\n|---|---|\n| `gate` | the gate |\n| `alarms` | the last five alarms, added as they come |\n",
    "# Lock\n\n```javascript\nconst book = readJson('lock.json')\nfor (const ship of todays) {\n  book.captains.push(ship.captain)\n}\nbook.captains = book.captains.slice(-50)\nwriteJson('lock.json', book)\n```\n",
    "# Well\n\n`well.json` has the keys `wish`, `limit` and `levels`.\n\nEach morning add the level to `levels` and keep fourteen.\n",
)


def look(case: Case) -> Iterator[Evidence]:
    """Give each name once, at the first place where it grows."""
    seen: set[str] = set()
    for file in case.skill.instructions if is_workflow(case.skill) else ():
        for growth in growths(file):
            fresh = growth.leaf not in seen and _is_kept(growth) and not file.doc.is_counterexample(growth.line)
            if fresh and not is_bounded(growth.leaf, case.skill, stored=growth.form == "table"):
                seen.add(growth.leaf)
                yield Evidence(
                    file.path, growth.line, f"`{growth.name}` gets an entry with each pass, and nothing keeps it short."
                )
    for kept in kept_lists(case.skill):
        if kept.name not in seen and not kept.is_history:
            told = f"`{kept.name}` of {kept.path} gets an entry with each use, and nothing keeps it short."
            yield Evidence(kept.file.path, kept.line, told)


def _is_kept(growth: Growth) -> bool:
    """Tell whether a state's list grows, in a loop that has no end of its own or each time that the work goes on."""
    if growth.is_history or growth.form == "add" or "." not in growth.name.replace("[", "."):
        return False
    if growth.form == "table":
        return True
    again = growth.form == "prose" or (growth.block.kind in _AGAIN if growth.block else growth.form == "assign")
    return again and bool(_KEPT.match(growth.name)) and not ENDS.search(growth.leaf)
