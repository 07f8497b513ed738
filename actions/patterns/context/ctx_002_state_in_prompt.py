"""The whole state serialised into a prompt.

What it sees: A sub-agent's prompt, or a prompt that is built in a variable, into which the skill writes its whole state object
(`JSON.stringify(state)`, `json.dumps(state)`, `{state}`), under whatever name, and sentences that ask for it.

Why it is bad: The state grows with the work, and each call repeats all of it: what the sub-agent needs is a few fields. Every
call costs the whole state twice, in the main context and in the sub-agent's.

Instead: Pass the fields that the task needs, or the path of the state file.

May be wrong: When the state is a handful of short fields and stays so.
"""

from collections.abc import Iterator

from actions.facts.agents.payload import states_in_prompts
from actions.facts.dataflow.records import records
from actions.model import Case
from actions.model import regex as re
from actions.model.rules import force_of
from actions.model.stems import Stems
from actions.model.text import sentences, strip_list_mark
from actions.patterns.pattern import Evidence, Pattern
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
)
GOOD = (
    "# Loop\n\n```javascript\nTask({ prompt: `Go on with step ${state.step}. The state is in ${stateFile}.` })\n"
    "Write(stateFile, JSON.stringify(state, null, 2))\n```\n",
    "# Loop\n\nPass the path of the state file to each sub-agent. Never pass the whole state object in a prompt.\n",
    "# Price\n\n```python\noffer = {'price': 3, 'days': 4}\nwrite('offer.json', json.dumps(offer))\n"
    'Task(prompt=f"Is this dear? {json.dumps(offer)}")\n```\n',
    "# 循环\n\n只向子代理传递状态文件的路径。\n",
)
_ENGLISH = re.compile(
    r"\b(?:pass|send|include|embed|serialize|serialise|dump|put|give|inject)\b[^.;]{0,20}?\b(?:whole|entire|full|complete)\s+"
    r"(?:contents?\s+of\s+)?(?:\w+\s+)?`?state(?:\.json)?`?(?:\s+(?:object|json|file|dict))?\s+(?:in|into|to|with)\b[^.;]{0,60}?\b(?:prompts?|sub-?agents?|agents?)\b",
    re.IGNORECASE,
)
_TAKER = Stems("prompt", "agent", "提示词", "代理")
_STATE = Stems("state", "状态")
_CHINESE = re.compile(
    r"(?:将|把)(?:完整|整个|全部)的?\s*`?(?:state|状态)`?(?:对象)?(?:序列化)?[^，。；]{0,10}?(?:传|放|写|注|嵌)[^，。；]{0,12}?(?:提示词|prompt|代理)",
    re.IGNORECASE,
)


def look(case: Case) -> Iterator[Evidence]:
    """Give each place where the state goes into a prompt."""
    for file in case.skill.instructions:
        for slot in states_in_prompts(file, records(case.skill)):
            if not file.doc.is_counterexample(slot.line):
                told = f"`{slot.slot}` writes the whole of `{slot.name}` into a prompt; the needed fields or the path would do."
                yield Evidence(file.path, slot.line, told)
        for number, line in _STATE.prose(file, _TAKER):
            if len(line) <= 2000:
                for sentence in sentences(strip_list_mark(line)):
                    found = (_ENGLISH.search(sentence) or _CHINESE.search(sentence)) and force_of(sentence) != "never"
                    if found and not file.doc.is_counterexample(number):
                        yield Evidence(
                            file.path, number, "This asks for the whole state in a prompt; the path would do."
                        )
