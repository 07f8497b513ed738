"""History that only grows.

What it sees: A record of what happened (`history`, `messages`, `log`, `transcript` and the like) that gets an entry
with each pass, in the skill's pseudo-code or prose, while no line of the skill keeps it short. A `for` loop ends by itself:
it is low where the state keeps what it added, and nothing elsewhere.

Why it is bad: The record is read again with each pass, so every round costs more than the last one, until the context is
full and the session is compacted in the middle of the work.

Instead: Keep a window: the last ten entries, or a summary of the older ones. Put the full record in a log file that
nobody reads back.

May be wrong: When the number of rounds is small by nature, or when the entries are a few words each.
"""

from collections.abc import Iterator

from actions.facts.context.growth import growths, is_bounded
from actions.facts.context.piling import pilings
from actions.facts.own import is_workflow
from actions.patterns.pattern import Evidence, Pattern
from actions.skill import Case
from schemas.vocabulary import Confidence, Family, Severity

PATTERN = Pattern(
    id="CTX-001",
    family=Family.CONTEXT,
    impact=("every_run", "easy"),
    confidence=Confidence.MEDIUM,
    strategies=("sliding_window",),
    cause="history",
)

BAD = (
    "# Loop\n\nThe state lives in `state.json`.\n\n```javascript\nwhile (state.status !== 'done') {\n"
    "  const result = runAction(state)\n  state.history.push({ action: result.name, output: result.text })\n}\n```\n",
    "# Interview\n\nKeep going until the sub-agent has no question left.\n\n```python\nwhile not done:\n"
    '    reply = Task(prompt=question)\n    session["conversation"].append({"role": "agent", "text": reply})\n```\n',
    "# Review\n\nAfter every review round, append the reviewer's whole answer to `state.review_history`, so that the next "
    "round sees it.\n\nThe sub-agent gets the state.\n",
    "# Sort\n\nUse a sub-agent for each round. Keep every answer of every round in `state.transcript`.\n",
    "# 循环\n\n状态保存在 `state.json`。每一轮结束后，把完整输出追加到 `state.history`，供下一轮使用。\n",
    '# Digest\n\n```python\nfor page in pages:\n    state["history"].append({"page": page, "text": Read(page)})\n```\n',
    "# Loop\n\n```js\nfunction reduce(state, reply) {\n  return { ...state, messages: [...state.messages, reply] }\n}\n"
    "Write('state.json', reduce(state, reply))\n```\n",
    "# Interview\n\nAfter each answer, add question and answer to the session log. Before the next question, read the whole log again.\n",
    '# Walk\n\n```python\nfor stop in stops:\n    notes += f"\\n{stop.name}: {stop.text}"\n    advice = ask(stop, background=notes)\n```\n',
    "# 访谈\n\n每问一题，都把问答原文接在记录后面，下一题之前带上完整的记录。\n",
    "# 血压\n\n状态在 `bp.json`。每次测量连同用户的话都塞进 `records`，从不删，每次回答前全部读一遍。\n",
    "# Chess\n\nEvery move goes into `moves` with the whole talk about it, since the first game, and all of it is read before the next one.\n",
    "# Diary\n\nThe state is in `diary.json`. Each entry is added to `entries` for good; all entries are loaded on every call.\n",
    "# Loop\n\nState in `state.json`.\n\n```js\nfor (let i = 0; i < 20; i++) {\n  const result = run(state)\n  state.trail.push({ i, result })\n  Write('state.json', JSON.stringify(state))\n}\n```\n",
    '# Quiz\n\nFor every question:\n\n```python\nasked.append(f"{q}: {a}")\nnext_q = Ask("\\n".join(str(x) for x in asked))\n```\n',
    "# T\n\n```python\nmemo = ''\nfor part in parts:\n    out = Agent(subagent_type='general-purpose', prompt=f'Translate {part}. So far: {memo}')\n    memo += out\nif not memo: stop()\n```\n",
)
GOOD = (
    "# Digest\n\n```python\nfor page in pages:\n    log.append(Read(page).title)\nWrite('titles.md', log)\n```\n",
    "# Loop\n\n```javascript\nwhile (state.status !== 'done') {\n  state.history.push(entry)\n"
    "  state.history = state.history.slice(-10)\n}\nWrite('state.json', state)\n```\n",
    "# Review\n\nAfter every round, append one line to `state.history` and keep only the last 5.\n\nUse a sub-agent.\n",
    "# 循环\n\n每一轮结束后追加到 `state.history`，最多保留 20 条。状态在 `state.json`。\n",
    "# Chat bots\n\n```python\nfrom openai import OpenAI\n\nmessages = []\nwhile True:\n    messages.append(ask())\n```\n",
    "# Log\n\nAfter each step, append one line to `progress/history.jsonl`. A sub-agent never reads it.\n",
    "# Interview\n\nAfter each answer, add one line to the session log. Before the next question, read its last ten lines.\n",
    "# 访谈\n\n每问一题，都把一句摘要接在记录后面，下一题之前只看最近五条。\n",
    "# 血压\n\n状态在 `bp.json`。每次测量的数放进 `records`，只留最近七天。\n",
    "# Loop\n\nState in `state.json`.\n\n```python\nwhile not state['done']:\n    outcome = step(state)\n    state['steps'] = [*state['steps'][-5:], outcome.line]\n```\n",
    "# Chess\n\nEvery move goes into `moves.log`, which nobody reads back.\n",
    '# Quiz\n\nFor every question:\n\n```python\nasked.append(f"{q}: {a}")\nasked = asked[-3:]\nnext_q = Ask("\\n".join(asked))\n```\n',
    '# Quiz\n\nAt the start:\n\n```python\nasked.append(f"{q}: {a}")\nfirst = Ask("\\n".join(asked))\n```\n',
    "# T\n\n```python\nmemo = ''\nfor part in parts:\n    out = Agent(subagent_type='general-purpose', prompt=f'Translate {part}')\n    memo += out\nif not memo: stop()\n```\n",
)


def look(case: Case) -> Iterator[Evidence]:
    """Give each name once, at the first place where it grows, and what piles up without a name for it."""
    told = list(_records(case)) if is_workflow(case.skill) else []
    yield from told
    places = {(evidence.file, evidence.line) for evidence in told}
    for file in case.skill.instructions:
        for piling in pilings(file):
            if (file.path, piling.line) not in places and not file.doc.is_counterexample(piling.line):
                yield Evidence(
                    file.path, piling.line, "This grows with each pass, and all of it is taken along each time."
                )


def _records(case: Case) -> Iterator[Evidence]:
    seen: set[str] = set()
    for file in case.skill.instructions:
        for growth in growths(file):
            fresh = growth.is_history and growth.leaf not in seen and not file.doc.is_counterexample(growth.line)
            passing = growth.block is not None and growth.block.kind == "for"
            if not fresh or (passing and not growth.in_state) or is_bounded(growth.leaf, case.skill):
                continue
            seen.add(growth.leaf)
            limited = growth.block is not None and "max" in growth.block.head.lower()
            told = "and nothing keeps it short"
            if limited:
                told = "up to the limit of the loop"
            elif passing:
                told = "and the state keeps it (low: the loop itself ends)"
            yield Evidence(
                file.path,
                growth.line,
                f"`{growth.name}` grows with each pass, {told}.",
                severity=Severity.LOW if limited or passing else None,
            )
