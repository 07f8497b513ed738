"""A blank or contradictory prompt.

What it sees: a sub-agent call whose prompt is empty; a prompt with a section made only from a list that may be empty
(`${found.map(…)}`, and elsewhere the list is set to `[]` or its making is skipped) with no fallback; a prompt, or a task
that prose tells or quotes, with two orders of which only one can be kept: to change nothing and to mend, to be brief and to
leave nothing out, to use no sources and to look things up.

Why it is bad: the sub-agent gets nothing to work on, or two orders of which it can keep only one, and answers with
something plausible.

Instead: say in the prompt what holds when the list is empty, and keep one of two orders.

May be wrong: when the call is never reached with an empty list.
"""

import re
from collections.abc import Iterator

from actions.facts.agents.calls import AgentStep, agent_steps, blank_prompts
from actions.facts.agents.contradictions import clashes, without_task
from actions.patterns.pattern import Evidence, Pattern
from actions.skill import Case, SkillFile
from schemas.vocabulary import Confidence, Family, Severity

PATTERN = Pattern(
    id="AGT-009",
    family=Family.AGENT,
    impact=("loses", "easy"),
    confidence=Confidence.MEDIUM,
    strategies=("prompt_fallback",),
)

BAD = (
    "# Desk\n\nStart one sub-agent with this prompt; if it fails, write it yourself:\n\n> Write six lines for {name}. Rhyme the second line with the fourth. No rhymes anywhere.\n",
    "# Desk\n\n```js\ntry {\n  r = await Task({ subagent_type: 'general-purpose', prompt: `Draft the label for ${jar}. Open the text with the allergens. Say nothing about allergens; the kitchen does that.` })\n} catch (e) { tell(e) }\n```\n",
    {
        "SKILL.md": "# Court\n\nStart the agent `clerk` for each hearing. When it fails, do its part yourself.\n",
        "agents/clerk.md": "---\nname: clerk\ndescription: Sums up a hearing. Use after a hearing.\n---\n\n"
        "- Work from the recording; do not open the minutes.\n- For each statement cite the line of the minutes.\n",
    },
    """# Draw

```javascript
const r = Task({ subagent_type: "general-purpose", description: "Draw the map", prompt: "" })
if (!r) return
```
""",
    """# Plan the trip

```javascript
let sights = []
if (wantsSights) sights = findSights(town)

const plan = Task({
  subagent_type: "general-purpose",
  prompt: `Plan a day in ${town}.

## Sights

${sights.map(s => `- ${s.name}: ${s.hours}`).join("\\n")}

## Output
Return a timetable.`
})
if (!plan) return
```
""",
    """# 检查

```python
r = Task(subagent_type="general-purpose", prompt=\"\"\"检查 {dir} 中的配置。
Do not write any files.
Write the findings to out/config.md.\"\"\")
if not r: raise SystemExit
```
""",
    """# Memo

Hand the question to a general-purpose agent; if it fails, write the memo yourself.

Tell it: use no tools and no sources, answer from memory alone; support each statement with a decision you have looked up.
""",
    """# 纪要

把文字稿交给一个子代理，失败时由自己整理。任务原文如下：

> 请整理成不超过一百字的纪要，同时逐句保留每位发言人的全部原话。
""",
    """# Review

```javascript
const r = Task({ subagent_type: "general-purpose", prompt: `Do not change any code. Fix the failing tests in ${dir}.` })
if (!r) return
```
""",
    "# Wine\n\nAsk one general-purpose helper:\n\n> Taste note for {wine}. Name the vineyard and the year. Do not mention any years or prices.\n\nIf it fails, leave it out.\n",
    "# 评稿\n\n交给一个帮手，提示如下：\n\n> 读这篇稿子，给出一到十的分数。只用文字评价，不得出现任何分数。\n\n没回话就跳过。\n",
    "# Check\n\n```python\nr = Agent(subagent_type='general-purpose', prompt='''Look over notes/log.md. Read only, no file may be changed.\nCorrect what is wrong straight in the file and save it.''')\nif not r: stop()\n```\n",
    "# 校对\n\n```python\nr = Agent(subagent_type='general-purpose', prompt='''通读 out/book.md，不许动任何文件。\n看到错字就顺手改掉，写回原文件。''')\nif not r: stop()\n```\n",
    "# Poll\n\n```js\nconst r = Agent({ subagent_type: 'general-purpose', prompt: `Summarise ${file} as a table. Do not use tables or lists.` })\nif (!r) stop()\n```\n",
    "# Audit\n\nAsk a helper:\n\n> You may not open the network. Download the licence page and quote it.\n\nIf it fails, skip it.\n",
)
GOOD = (
    "# Desk\n\nStart one sub-agent with this prompt; if it fails, write it yourself:\n\n> Write six lines for {name}. Rhyme the second line with the fourth. No puns anywhere; leave out the price.\n> Begin with the garden. Say nothing about illness. Nothing here must be invented.\n",
    """# Draw

```javascript
const r = Task({ subagent_type: "general-purpose", description: "Draw the map", prompt })
if (!r) return
```
""",
    """# Plan the trip

```javascript
let sights = []
if (wantsSights) sights = findSights(town)

const plan = Task({
  subagent_type: "general-purpose",
  prompt: `Plan a day in ${town}.

## Sights

${sights.length ? sights.map(s => `- ${s.name}: ${s.hours}`).join("\\n") : "None were asked for: plan by the town's map."}
`
})
if (!plan) return
```
""",
    """# Check

```python
r = Task(subagent_type="general-purpose", prompt=\"\"\"Check the settings in {dir}.
Do not modify source files.
Write the findings to out/settings.md.\"\"\")
if not r: raise SystemExit
```
""",
    """# Memo

Hand the question to a general-purpose agent; if it fails, write the memo yourself.

Tell it: use the sources in `law/` only; support each statement with a decision found there; two pages at most, in detail.
Do not modify the tests; fix the code in `src/`.
""",
    """# Letters

```javascript
const r = Task({ subagent_type: "general-purpose", prompt: `Read ${letter}. Give one
quotation of at most 30 words, word for word.` })
if (!r) return
```
""",
    "# Wine\n\nAsk one general-purpose helper:\n\n> Taste note for {wine}. Name the vineyard. Do not mention any years or prices.\n\nIf it fails, leave it out.\n",
    "# 评稿\n\n交给一个帮手，提示如下：\n\n> 读这篇稿子，给出一到十的分数。不要解释分数。\n\n没回话就跳过。\n",
    "# Check\n\n```python\nr = Agent(subagent_type='general-purpose', prompt='''Look over notes/log.md. Read only, no file of the project may be changed.\nWrite what you find into out/found.md.''')\nif not r: stop()\n```\n",
    "# Poll\n\n```js\nconst r = Agent({ subagent_type: 'general-purpose', prompt: `Summarise ${file}. Give the number of pages. Do not give numbers that you have not counted.` })\nif (!r) stop()\n```\n",
    "# List\n\n```js\nconst r = Agent({ subagent_type: 'general-purpose', prompt: `List the routes of ${dir}. Do not list routes of tests. Rules: change nothing; give file and line.` })\nif (!r) stop()\n```\n",
    "# Ask\n\nAsk one helper:\n\n> Do not use the network. Read the downloaded page at {path}. Reply in JSON and nothing else.\n\nIf it fails, skip it.\n",
    "# Lab\n\n```javascript\nTask({ prompt: `Read ${path}. The wishes, word for word: ${wishes}. Say in one sentence whether it may go on.` })\n```\n",
)

_MAPPED = re.compile(r"^[ \t]*\$\{\s*([A-Za-z_$][\w$.]*)\.map\(", re.MULTILINE)
_NO_FILES = re.compile(
    r"\b(?:do not|don['’]t|never|must not)\s+(?:write|create|save)\s+(?:any\s+|new\s+)?files?\b"
    r"|(?:不要|禁止|不得)(?:写入?|创建)(?:任何)?文件",
    re.IGNORECASE,
)
_WRITES = re.compile(
    r"^\W*(?:\d+[.)]\s*)?(?:\*\*)?(?:Write|Save|Create)\b[^.\n]{0,60}?\b(?:to|at|as|in|file)\b[^\n]{0,20}?[`$]?[\w${}-]+[./]",
    re.MULTILINE,
)


def look(case: Case) -> Iterator[Evidence]:
    """Give the blank prompts, then the lists and the contradictions in the others."""
    for step in blank_prompts(case.skill):
        yield Evidence(step.file.path, step.line, f"The prompt for {step.name} is empty.", step.line_end)
    for step in agent_steps(case.skill):
        if step.prompt:
            yield from _lists(step)
            yield from _contradictions(step)
    for clash in clashes(case.skill):
        yield Evidence(clash.file.path, clash.line, _CLASH.format(clash.one[:80], clash.other[:60]))
    for file in case.skill.instructions:
        for line in without_task(file):
            message = "A sub-agent is set to work here without a task of its own (low: prose)."
            yield Evidence(file.path, line, message, severity=Severity.LOW)


def _lists(step: AgentStep) -> Iterator[Evidence]:
    for match in _MAPPED.finditer(step.prompt):
        name = match[1]
        leaf = name.rsplit(".", 1)[-1]
        if not _has_fallback(name, step.prompt) and _may_be_empty(leaf, step.file):
            line = _line_of(step, match.group().strip())
            yield Evidence(
                step.file.path,
                line,
                f"This part of the prompt is blank when `{name}` is empty, and nothing stands in for it.",
            )
            return


def _has_fallback(name: str, prompt: str) -> bool:
    return any(mark in prompt for mark in (f"{name}.length", f"{name}?.", f"({name} ||", f"({name} ??", f"{name}.size"))


def _may_be_empty(leaf: str, file: SkillFile) -> bool:
    return re.search(rf"\b{re.escape(leaf)}\b\s*(?::[^=\n]{{0,40}})?[:=]\s*\[\s*\]", file.text) is not None


def _contradictions(step: AgentStep) -> Iterator[Evidence]:
    no, yes = _NO_FILES.search(step.prompt), _WRITES.search(step.prompt)
    if no and yes:
        line = _line_of(step, no.group())
        yield Evidence(step.file.path, line, _CLASH.format(no.group(), yes.group().strip()[:60]))


_CLASH = "The prompt says “{}” and also “{}…”."


def _line_of(step: AgentStep, text: str) -> int:
    return next((n for n in range(step.line, step.line_end + 1) if text in step.file.doc.line(n)), step.line)
