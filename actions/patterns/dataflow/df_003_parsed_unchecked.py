"""An answer of a sub-agent, a file of the run or a document from outside is parsed without a check.

What it sees: `JSON.parse(…)`, `json.load(…)` and the like of a sub-agent's result, or of a data file that another
place of the skill writes, outside of `try`; prose that tells to parse one of them. No word nearby says what happens when
it is no JSON or lacks a field, and no test names what was parsed. Likewise any document from outside of which a field is used at once.
Why it is bad: Agents wrap JSON in prose or leave fields out, and so do phases that write by hand; the run stops, or
goes on with holes.
Instead: Parse inside `try`, check the fields that are needed, and ask the agent once more when they are missing.
May be wrong: The agent's tool enforces the format.
"""

import re
from collections.abc import Iterator

from actions.facts.agents.results import blind_parses, is_provided_for, parsing_lines
from actions.facts.dataflow.own_parses import is_tested, own_parses, raw_parses
from actions.facts.dataflow.parsing import unchecked_parses
from actions.patterns.pattern import Evidence, Pattern
from actions.skill import Case, SkillFile
from actions.skill.code import PARSERS, CodeFence, code_fences, starts_agent
from schemas.vocabulary import Confidence, Family

PATTERN = Pattern(
    id="DF-003",
    family=Family.DATAFLOW,
    impact=("every_run",),
    confidence=Confidence.MEDIUM,
    strategies=("result_validation",),
)
BAD = (
    "# Alert\n\n```python\nraw = Path('feed/latest.json').read_text()\nwarning = json.loads(raw)\nsend(f\"Level {warning['level']}\")\n```\n",
    "# 发票\n\n1. 识别图片，得到 JSON。\n2. 解析这段 JSON，不必检查，取其中的 `amount` 记入台账。\n",
    "# Ask\n\n```javascript\nconst reply = Task({ prompt: `List the risks as JSON` })\nconst risks = JSON.parse(reply)\n```\n",
    '# 询问\n\n```python\nanswer = Agent(prompt="列出风险，输出 JSON")\nrisks = json.loads(answer)\n```\n',
    "# Ask\n\n```javascript\nconst risks = JSON.parse(Task({ prompt: `List the risks as JSON` }))\n```\n",
    {
        "SKILL.md": "# Move\n\nRead `phases/1-list.md`, then `phases/2-carry.md`.\n",
        "phases/1-list.md": "# List\n\nWrite the boxes to `run/boxes.json`.\n",
        "phases/2-carry.md": "# Carry\n\n```python\nboxes = json.load(open('run/boxes.json'))\nfor box in boxes['heavy']:\n    carry(box)\n```\n",
    },
    "# 询问\n\n将子代理的回复按 JSON 解析，逐条处理 `items`。\n",
    "# X\n\n```python\nraw = Path('feed/latest.json').read_text()\nwarning = json.loads(raw)\nsend(warning['level'])\n```\n",
    "# X\n\n```javascript\nconst out = Bash('inventory --json');\nconst stock = JSON.parse(out);\norder(stock.items[0].sku);\n```\n",
    "# 发票\n\n1. 得到一段 JSON。\n2. 解析这段 JSON，不必检查，直接记入台账。\n",
    "# Book\n\n2. The export is JSON. Parse the export without checking it and book `total`.\n",
    "# Essays\n\n```javascript\nconst raw = await callReader(path)\nif (!raw) return\nconst mark = JSON.parse(raw)\ntable.push(mark.points)\n```\n",
)
GOOD = (
    "# Ask\n\n```javascript\nconst reply = Task({ prompt: `List the risks` })\ntry { risks = JSON.parse(reply) } catch (e) { risks = [] }\n```\n",
    "# Ask\n\n```javascript\nconst reply = Task({ prompt: `List the risks` })\nconst risks = JSON.parse(reply)\n```\n\nIf the reply is not valid JSON, ask the agent once more.\n",
    "# Load\n\n```javascript\nconst plan = JSON.parse(Read('plan.json'))\n```\n",
    {
        "SKILL.md": "# Move\n\nRead `phases/1-list.md`, then `phases/2-carry.md`.\n",
        "phases/1-list.md": "# List\n\nWrite the boxes to `run/boxes.json`.\n",
        "phases/2-carry.md": "# Carry\n\nParse `run/boxes.json`. If it is damaged or has no boxes, go back to phase 1 once.\n",
    },
    "# X\n\n```python\ndata = json.loads(raw)\nif 'items' not in data:\n    stop('no items')\nshow(data['items'])\n```\n",
    "# Tides\n\nParse the JSON as it is; stop when it is not valid.\n",
    "# 潮汐\n\n原样解析这段 JSON，不做检查；若无效则停下。\n",
    "# X\n\n```js\nconst brief = JSON.parse(Read('run/brief.json'))\nif (!brief.scope || !Array.isArray(brief.goals)) stop('brief.json is incomplete')\nshow(brief.scope)\n```\n\n```js\nWrite('run/brief.json', JSON.stringify(b))\n```\n",
    "# X\n\n```js\nconst shades = lighten(brand)\nWrite('tmp/shades.json', JSON.stringify(shades))\nconst list = JSON.parse(Read('tmp/shades.json'))\nconst ok = list.filter(c => contrast(c))\n```\n",
    "# Essays\n\n```javascript\nconst raw = await callReader(path)\nconst mark = JSON.parse(raw)\nif (!mark.points) return\ntable.push(mark.points)\n```\n",
)


def look(case: Case) -> Iterator[Evidence]:
    """Give the first of what was seen on each line."""
    seen: set[tuple[str, int]] = set()
    for item in (*_of_the_run(case), *_from_outside(case)):
        if (item.file, item.line) not in seen:
            seen.add((item.file, item.line))
            yield item


def _of_the_run(case: Case) -> Iterator[Evidence]:
    """Give each unchecked parse of an agent's result, then of a file of the run, then what prose tells to parse."""
    for file in case.skill.instructions:
        if any(f"{name}(" in file.text for name in PARSERS):
            for fence in code_fences(file, *(f"{name}(" for name in sorted(PARSERS))):
                yield from _parses(file, fence)
        for line in dict.fromkeys((*parsing_lines(file), *blind_parses(file))):
            yield Evidence(file.path, line, _ANSWER)
    for parse in (*own_parses(case.skill), *raw_parses(case.skill)):
        message = f"`{parse.name}` is parsed here, and nothing provides for a damaged one."
        yield Evidence(parse.file, parse.line, message)


def _from_outside(case: Case) -> Iterator[Evidence]:
    for place in unchecked_parses(case.skill):
        yield Evidence(*place, "A document from outside is parsed here, and nothing provides for a bad one.")


_LONGEST_LINE = 2000
_KEPT = re.compile(r"\.(?:push|append)\(\s*(?:JSON\.parse|json\.loads?)\(")
"""Kept as it comes: `try` catches what is no JSON, and a missing field goes on."""
_ANSWER = "What comes back is parsed here, and nothing provides for a bad answer."


def _parses(file: SkillFile, fence: CodeFence) -> Iterator[Evidence]:
    replies = {call.assigned for call in fence.calls if starts_agent(call) and call.assigned}
    asked = {(call.line, call.line_end) for call in fence.calls if starts_agent(call)}
    for call in fence.calls:
        if call.name not in PARSERS or file.doc.is_counterexample(call.line):
            continue
        inner = re.match(r"(?:await\s+)?(\w+)", call.args.strip())
        nested = any(call.line <= first and last <= call.line_end for first, last in asked) and "({" in call.args
        taken = inner is not None and inner[1] in replies
        kept = _KEPT.search(file.doc.line(call.line)[:_LONGEST_LINE])
        guarded = not kept and any(block.kind == "try" for block in fence.blocks_over(call.line))
        guarded = guarded or bool(call.assigned and is_tested(file, call.line, call.assigned))
        if (taken or nested) and not guarded and not is_provided_for(file, call.line):
            yield Evidence(file.path, call.line, _ANSWER)
