"""The whole state serialised into a prompt.

What it sees: A sub-agent's prompt, or a prompt that is built in a variable, into which the skill writes its whole state object
(`JSON.stringify(state)`, `json.dumps(state)`, `{state}`), under whatever name, and sentences that ask for it.

Why it is bad: The state grows with the work, and each call repeats all of it: what the sub-agent needs is a few fields. Every
call costs the whole state twice, in the main context and in the sub-agent's.

Instead: Pass the fields that the task needs, or the path of the state file.

May be wrong: When the state is a handful of short fields and stays so.
"""

from collections.abc import Iterator

from actions.facts.agents.contents import contents
from actions.facts.agents.conveying import conveyed_states
from actions.facts.agents.payload import states_in_prompts
from actions.facts.state.records import records
from actions.patterns.pattern import Evidence, Pattern
from actions.skill import Case
from schemas.vocabulary import Confidence, Family

PATTERN = Pattern(
    id="CTX-002",
    family=Family.CONTEXT,
    impact=("every_run", "easy"),
    confidence=Confidence.HIGH,
    strategies=("path_reference",),
    cause="content-by-value",
)

BAD = (
    "# Loop\n\n```javascript\nTask({\n  subagent_type: 'worker',\n  prompt: `Go on with the work.\n"
    "${JSON.stringify(state, null, 2)}\n`\n})\n```\n",
    '# Loop\n\n```python\nprompt = f"Go on. The state is {json.dumps(loop_state)}"\nAgent(prompt)\n```\n',
    "# Order\n\n```javascript\nconst order = {\n  items: [],\n  step: 1\n}\nWrite('order.json', JSON.stringify(order))\n```\n\n"
    '```python\nnext_step = Task(prompt=f"""Go on with this order: {json.dumps(order)}""")\n```\n',
    "# Loop\n\nInclude the complete contents of `state.json` in the prompt of every worker.\n",
    "# Loop\n\nPass the whole state object to each sub-agent in its prompt.\n",
    "# 循环\n\n每次调用子代理时，将完整的状态传入提示词。\n",
    "# Loop\n\n```python\nTask(prompt='Go on. State: ' + json.dumps(state))\n```\n",
    "# Loop\n\nBefore delegating, copy everything in `state.json` into the agent's instructions.\n",
    "# Fair\n\n```python\nfor stand in fair['stands']:\n    note = Agent(subagent_type='general-purpose', prompt=f\"Check stand {stand['id']}. All we know: {json.dumps(fair)}\")\n    if not note: continue\n```\n",
    "# Choir\n\n```js\nchoir.voices.forEach(v => {\n  const r = Task({ subagent_type: 'general-purpose', prompt: 'Seat ' + v.name + '. Facts: ' + JSON.stringify(choir) })\n  if (!r) return\n})\n```\n",
    '# 船期\n\n```python\nfor ship in plan.ships:\n    r = Agent(prompt="安排这条船：" + ship.id + "\\n全部资料：" + json.dumps(plan, ensure_ascii=False))\n    if not r: continue\n```\n',
)
GOOD = (
    "# Loop\n\n```javascript\nTask({ prompt: `Go on with step ${state.step}. The state is in ${stateFile}.` })\n"
    "Write(stateFile, JSON.stringify(state, null, 2))\n```\n",
    "# Loop\n\nPass the path of the state file to each sub-agent. Never pass the whole state object in a prompt.\n",
    "# Price\n\n```python\noffer = {'price': 3, 'days': 4}\nwrite('offer.json', json.dumps(offer))\n"
    'Task(prompt=f"Is this dear? {json.dumps(offer)}")\n```\n',
    "# 循环\n\n只向子代理传递状态文件的路径。\n",
    "# Loop\n\nBefore delegating, copy the goal from `state.json` into the agent's instructions.\n",
    "# Fair\n\n```python\nfor stand in fair['stands']:\n    note = Agent(subagent_type='general-purpose', prompt=f\"Check this stand: {json.dumps(stand)}\")\n    if not note: continue\n```\n",
    "# Fair\n\n```python\noffer = {'price': 3}\nfor shop in shops:\n    r = Agent(prompt=f\"Would {shop} take it? {json.dumps(offer)}\")\n    if not r: continue\n```\n",
    "# Fair\n\n```js\nfor (const stand of fair.stands) {\n  Write(`out/${stand.id}.json`, JSON.stringify(fair))\n}\n```\n",
)


def look(case: Case) -> Iterator[Evidence]:
    """Give each place where the state goes into a prompt."""
    for file in case.skill.instructions:
        slots = states_in_prompts(file, records(case.skill))
        for slot in slots:
            if not file.doc.is_counterexample(slot.line):
                told = f"`{slot.slot}` writes the whole of `{slot.name}` into a prompt; the needed fields or the path would do."
                yield Evidence(file.path, slot.line, told)
        calls = {slot.call_line for slot in slots}
        for held in contents(case.skill, file):
            if held.state and held.line not in calls:
                also = (f"{file.path}:{held.since}: {file.doc.line(held.since).strip()[:120]}",)
                told = f"A prompt takes the whole of `{held.name}`; the needed fields or the path would do."
                yield Evidence(file.path, held.line, told, held.line_end, also)
        for given in conveyed_states(file):
            told = f"This gives a sub-agent the whole state (“{given.subject}”); the path would do."
            yield Evidence(file.path, given.line, told)
