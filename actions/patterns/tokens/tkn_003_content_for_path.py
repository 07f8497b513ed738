"""Content passed where a path serves.

What it sees: A sub-agent's prompt that carries one file whole, read by the main session, and sentences that pass on a whole
output from one agent or phase to another.

Why it is bad: The text is paid twice: where it is read and where it is passed. The receiver often needs a part of it.

Instead: Pass the path, or a summary and the path.

May be wrong: When the receiver cannot read files, or when the text is short and each word counts.
"""

from collections.abc import Iterator
from itertools import groupby

from actions.facts.agents.contents import contents
from actions.facts.agents.conveying import conveyed_texts
from actions.facts.agents.pasting import passings, pastings
from actions.facts.agents.payload import payloads
from actions.patterns.pattern import Evidence, Pattern
from actions.skill import Case, SkillFile
from schemas.vocabulary import Confidence, Family

PATTERN = Pattern(
    id="TKN-003",
    family=Family.TOKENS,
    impact=("every_run", "easy"),
    confidence=Confidence.MEDIUM,
    strategies=("path_reference", "context_summarization"),
    cause="content-by-value",
)

BAD = (
    '# Check\n\n```python\nAgent(subagent_type="general-purpose", prompt="Check this.\\n" + read(part.path))\n```\n',
    "# Check\n\n```javascript\nconst plan = Read(`${dir}/plan.md`)\nTask({ prompt: `Check this plan:\n${plan}` })\n```\n",
    '# Check\n\n```python\ntext = open(path).read()\nTask(prompt="Check this: " + text)\n```\n',
    "# Check\n\nInclude the full text of the design document in the reviewer's prompt.\n",
    "# Check\n\nPass the complete output of the explorer to the planner.\n",
    "# 检查\n\n将探索阶段的完整输出传递给规划代理。\n",
    "# Check\n\nPass the report's complete content, not its path, to the next agent.\n",
    "# Check\n\n```python\nwith open('draft.md') as f:\n    draft = f.read()\nTask(prompt=f'Review: {draft}')\n```\n",
    "# 检查\n\n打开设计文档，把全文抄进子代理的任务里。\n",
)
GOOD = (
    "# Press kit\n\nGo through `brief` line by line and see that each wish is met; then zip everything and hand it over.\n",
    "# Check\n\n```javascript\nTask({ prompt: `Check the plan in ${dir}/plan.md` })\n```\n",
    "# Check\n\nPass a summary of the explorer's output to the planner. Never pass the complete output of the explorer to it.\n",
    "# Check\n\n```javascript\nconst plan = JSON.parse(Read(`${dir}/plan.json`))\nTask({ prompt: `Do ${plan.tasks[0]}` })\n```\n",
    "# 检查\n\n只把探索结果的摘要与路径传给规划代理。\n",
    "# Check\n\nPass the report's path, not its complete content, to the next agent.\n",
    "# Check\n\nEach sub-agent gets both rules in its prompt, word for word.\n",
    "# Sign\n\nGive each of the two sub-agents the order of the customer and the words of the user in full.\n",
)


def look(case: Case) -> Iterator[Evidence]:
    """Give each call with one whole file, and each sentence about one text."""
    for file in case.skill.instructions:
        yield from _calls(file)
        for paste in pastings(file):
            if not paste.several and not file.doc.is_counterexample(paste.line):
                told = f"This puts the contents of {paste.subject} in {paste.where}; the path would do."
                yield Evidence(file.path, paste.line, told)
        for passing in passings(file):
            if not file.doc.is_counterexample(passing.line):
                told = (
                    f"This passes the whole of {passing.subject} to {passing.where}; a summary and the path would do."
                )
                yield Evidence(file.path, passing.line, told)
        for held in contents(case.skill, file):
            if not held.many and not held.state:
                also = (f"{file.path}:{held.since}: {file.doc.line(held.since).strip()[:120]}",)
                told = "The prompt carries the whole of a file; its path would do."
                yield Evidence(file.path, held.line, told, held.line_end, also)
        for given in conveyed_texts(file, several=False):
            told = f"This gives a sub-agent a whole text (“{given.subject}”); the path would do."
            yield Evidence(file.path, given.line, told)


def _calls(file: SkillFile) -> Iterator[Evidence]:
    found = [p for p in payloads(file) if not file.doc.is_counterexample(p.line)]
    for _, group in groupby(sorted(found, key=lambda p: (p.call_line, p.line)), key=lambda p: p.call_line):
        slots = list(group)
        if len(slots) == 1 and not slots[0].source.many:
            told = f"The prompt carries the whole of {slots[0].source.path} (`{slots[0].slot}`); the path would do."
            yield Evidence(file.path, slots[0].line, told)
