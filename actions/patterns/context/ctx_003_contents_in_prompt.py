"""The contents of several files in one prompt.

What it sees: A sub-agent's prompt into which the skill reads more than one file whole: a list that is read and joined,
two or more reads in one call, or a sentence that asks for the full contents of all files in the prompt.

Why it is bad: The contents pass through the main context first and through the sub-agent's afterwards. With a few long
files the prompt alone fills the window, and the main session keeps paying for it with every later turn.

Instead: Pass the paths. The sub-agent reads the files itself, and only those that it needs.

May be wrong: When the sub-agent cannot read files, or when the files are a few lines each.
"""

from collections.abc import Iterator
from itertools import groupby

from actions.facts.agents.contents import contents
from actions.facts.agents.conveying import conveyed_texts
from actions.facts.agents.pasting import pastings
from actions.facts.agents.payload import payloads
from actions.patterns.pattern import Evidence, Pattern
from actions.skill import Case, SkillFile
from schemas.vocabulary import Confidence, Family

PATTERN = Pattern(
    id="CTX-003",
    family=Family.CONTEXT,
    impact=("every_run", "easy"),
    confidence=Confidence.MEDIUM,
    strategies=("path_reference",),
    cause="content-by-value",
)

BAD = (
    "# Scale\n\n```js\nconst maps = Glob('maps/*.csv').map((f) => Read(f)).join('\\n')\nconst r = await Task({ prompt: `Place ${id}.\n${maps}` })\n```\n",
    "# Scale\n\n- Copy the cards in full, one behind the other, into the prompt of a general-purpose agent.\n",
    "# Merge\n\n```javascript\nconst reports = files.map(f => Read(f)).join('\\n\\n')\n\n"
    "Task({\n  subagent_type: 'writer',\n  prompt: `Merge these reports:\n${reports}`\n})\n```\n",
    "# Compare\n\n```javascript\nTask({ subagent_type: 'judge', prompt: `Compare\n${Read(`${dir}/old.md`)}\n"
    "with\n${Read(`${dir}/new.md`)}` })\n```\n",
    '# Survey\n\n```python\nchapters = "\\n".join(open(p).read() for p in paths)\n'
    'Task(prompt=f"Summarise the book.\\n{chapters}")\n```\n',
    "# Report\n\nPaste the full contents of every phase report into the writer's prompt.\n",
    "# 汇总\n\n将所有阶段报告的完整内容拼接到子代理的提示词中。\n",
    "# Letters\n\nRead every letter in `inbox/` and paste their full text into the prompt of the sorter.\n",
    "# Letters\n\n```javascript\nlet body = ''\nfor (const f of files) {\n  body += Read(f)\n}\nTask({ subagent_type: 'sorter', prompt: 'Sort:\\n' + body })\n```\n",
    "# 信件\n\n评审代理的提示词包含每一份稿件的完整内容。\n",
    "# Digest\n\n```python\ndraft = Agent(subagent_type='general-purpose',\n    prompt='Sum up.\\n' +\n           '\\n\\n---\\n\\n'.join(p.read_text() for p in paths))\nif not draft: stop()\n```\n",
    "# Digest\n\n```js\nconst r = await Agent({ subagent_type: 'general-purpose',\n  prompt: 'Sum up:\\n' +\n    files.map(f => `# ${f}\\n` + Read(f)).join('\\n\\n') })\nif (!r) stop()\n```\n",
    "# 摘要\n\n```python\nr = Agent(prompt='写摘要：' + '\\n'.join([open(f, encoding='utf-8').read() for f in files]))\nif not r: stop()\n```\n",
    "# Digest\n\n```python\nr = Agent(prompt='Sum up: ' + Path(a).read_text() + '\\n' + Path(b).read_text())\nif not r: stop()\n```\n",
)
GOOD = (
    "# Scale\n\nThe agent gives back two things:\n\n1. The shorter prompt, whole, ready to copy.\n2. What it left out.\n",
    "# Merge\n\n```javascript\nTask({\n  subagent_type: 'writer',\n"
    "  prompt: `Merge these reports. Read each of them:\n${files.join('\\n')}`\n})\n```\n",
    "# Report\n\nPass the paths of the phase reports in the writer's prompt. Do not paste the full contents of the "
    "reports into the prompt.\n",
    "# Peek\n\n```javascript\nTask({ prompt: `Continue.\n${Read(log)?.substring(0, 1000)}\n${Read(plan).slice(0, 500)}` })\n```\n",
    "# 汇总\n\n在子代理的提示词中只传递各阶段报告的路径。\n",
    "# Letters\n\nRead every letter in `inbox/` and paste its subject line into the prompt of the sorter; give the paths of their full text.\n",
    "# Letters\n\n```javascript\nlet list = ''\nfor (const f of files) {\n  list += `- ${f}\\n`\n}\nTask({ subagent_type: 'sorter', prompt: 'Sort:\\n' + list })\n```\n",
    "# Digest\n\n```python\nr = Agent(prompt='Sum up these files, open them yourself:\\n' +\n    '\\n'.join(paths))\nif not r: stop()\n```\n",
    "# Digest\n\n```python\nr = Agent(prompt='Titles:\\n' + '\\n'.join(open(p).readline() for p in paths))\nif not r: stop()\n```\n",
)


def look(case: Case) -> Iterator[Evidence]:
    """Give each call and each sentence once."""
    for file in case.skill.instructions:
        yield from _calls(file)
        for paste in pastings(file):
            if paste.several and not file.doc.is_counterexample(paste.line):
                told = f"This asks for the contents of {paste.subject} in {paste.where}; their paths would do."
                yield Evidence(file.path, paste.line, told)
        for held in contents(case.skill, file):
            if held.many and not held.state:
                also = (f"{file.path}:{held.since}: {file.doc.line(held.since).strip()[:120]}",)
                told = "The prompt carries the contents of several files; their paths would do."
                yield Evidence(file.path, held.line, told, held.line_end, also)
        for given in conveyed_texts(file, several=True):
            told = f"This gives a sub-agent the whole of several texts (“{given.subject}”); their paths would do."
            yield Evidence(file.path, given.line, told)


def _calls(file: SkillFile) -> Iterator[Evidence]:
    found = [p for p in payloads(file) if not file.doc.is_counterexample(p.line)]
    for _, group in groupby(sorted(found, key=lambda p: (p.call_line, p.line)), key=lambda p: p.call_line):
        slots = list(group)
        if len(slots) > 1 or slots[0].source.many:
            names = ", ".join(f"`{slot.slot}`" for slot in slots)
            also = tuple(f"{file.path}:{p.line}: {file.doc.line(p.line).strip()[:120]}" for p in slots[1:])
            told = f"The prompt carries the contents of several files ({names}); their paths would do."
            yield Evidence(file.path, slots[0].line, told, line_end=slots[-1].line, also=also)
