"""Keeps the last entries of a list that grows with each pass, right where it grows.

It refuses when the skill looks into older entries (searches, counts or sums them), because they would be missing then.
"""

import re

from actions.facts.context.growth import Growth, growths
from actions.facts.state.fields import state_blocks
from actions.skill import Case, Skill, SkillFile
from actions.skill.tables import is_row
from actions.strategies.edits import Edit, edit, indent_of, reworded
from actions.strategies.strategy import Draft, Strategy
from schemas.issues import Issue
from schemas.vocabulary import Risk

STRATEGY = Strategy(name="sliding_window", mends=("CTX-001", "TKN-004", "APV-004"), risk=Risk.MEDIUM)
_KEPT = 10
_WHOLE_CALL = re.compile(r"\((?:[^()]|\([^()]*\))*\);?\s*$")
_CLOSED = re.compile(r"^\s*[)\]}]+;?\s*$")
_PYTHON = re.compile(r"\.(?:append|extend)\(|\[[\"'][\w-]+[\"']\]\.")
_SENTENCE_END = re.compile(r"[.!。！]\s*$")


def propose(issue: Issue, case: Case) -> Draft | None:
    """Draft the window at the issue's line; None where the statement is not whole or older entries are used."""
    skill, file, number = case.skill, case.skill.by_path[issue.location.file], issue.location.line_start
    if issue.pattern == "APV-004":
        return _declared(skill, file, number or 0)
    growth = next((g for g in growths(file) if g.line == number), None)
    if growth is None or _looks_back(growth.leaf, skill):
        return None
    change = _change(file, growth, skill)
    return _draft(growth.name, {file.path: [change]}, skill) if change else None


def _draft(name: str, edits: dict[str, list[Edit]], skill: Skill) -> Draft:
    files = [(skill.by_path[path], changes) for path, changes in edits.items()]
    return Draft(
        writes={file.path: edit(file, changes) for file, changes in files},
        description=f"Keeps the last {_KEPT} entries of `{name}`.",
        rationale=f"`{name}` grows with each pass, and all of it is read again with the next one.",
        impact="The cost of a pass no longer grows with the number of passes.",
        token_limit=60 * len(files),
        rewrites=tuple(line for file, changes in files for line in reworded(file, changes)),
    )


def _declared(skill: Skill, file: SkillFile, number: int) -> Draft | None:
    """Draft the window wherever a declared record grows; where no line shows that, say it below the declaration."""
    block = next((b for b in state_blocks(skill) if b.file == file.path and b.start <= number <= b.end), None)
    name = next((name for name, line in block.fields if line == number), None) if block else None
    if block is None or name is None or _looks_back(name, skill):
        return None
    grown = [(f, g) for f in skill.instructions for g in growths(f) if g.leaf == name]
    changes = [(f, _change(f, g, skill)) for f, g in grown]
    if not changes:
        fence = file.doc.fence_at(number)
        below = fence.end if fence else block.end
        changes = [(file, Edit(below + 1, below, ["", _told(name, skill)]))]
    found = [(f, change) for f, change in changes if change]
    if len(found) < len(changes):
        return None
    return _draft(name, {f.path: [c for other, c in found if other is f] for f, _ in found}, skill)


def _looks_back(leaf: str, skill: Skill) -> bool:
    """Tell whether a line of the skill uses more of the list than its last entries."""
    name = re.escape(leaf)
    used = re.compile(
        rf"(?<![\w$]){name}[\"'\]]*\??\.(?:filter|find|some|every|includes|reduce|map|forEach|length|indexOf|index|count)\b"
        rf"|\blen\([^)\n]{{0,60}}(?<![\w$]){name}[\"'\]]*\)|\bin\s+[\w.\[\"']{{0,60}}(?<![\w$]){name}[\"'\]]*\s*[:\])]"
    )
    return any(used.search(line) for f in skill.instructions if leaf in f.text for line in f.doc.lines if leaf in line)


def _change(file: SkillFile, growth: Growth, skill: Skill) -> Edit | None:
    return _in_prose(file, growth, skill) if growth.form == "prose" else _in_code(file, growth)


def _in_code(file: SkillFile, growth: Growth) -> Edit | None:
    line = file.doc.line(growth.line)
    if growth.form == "spread":
        return _after_spread(growth, line)
    last = _last_line(file, growth)
    if growth.form == "add" or not last:
        return None
    end = file.doc.line(last).rstrip()
    python = bool(_PYTHON.search(line)) and not end.endswith(";")
    window = f"[-{_KEPT}:]" if python else f".slice(-{_KEPT})"
    stop = ";" if end.endswith(";") else ""
    return Edit(last + 1, last, [f"{indent_of(line)}{growth.name} = {growth.name}{window}{stop}"])


def _last_line(file: SkillFile, growth: Growth) -> int:
    """Give the line that ends the statement, 0 where another could not follow it there."""
    text = file.doc.line(growth.line).strip()
    fence = file.doc.fence_at(growth.line)
    if fence is None or not text.startswith(growth.name):
        return 0
    if growth.form == "assign" or _WHOLE_CALL.search(text[len(growth.name) :]):
        return growth.line
    depth = 0
    for number in range(growth.line, fence.end):
        line = file.doc.line(number)
        depth += sum(line.count(mark) for mark in "([{") - sum(line.count(mark) for mark in ")]}")
        if depth <= 0:
            return number if depth == 0 and _CLOSED.match(line) else 0
    return 0


def _after_spread(growth: Growth, line: str) -> Edit | None:
    start = line.find("[", line.find(f"{growth.leaf}"))
    depth = 0
    for at in range(max(start, 0), len(line)):
        depth += {"[": 1, "]": -1}.get(line[at], 0)
        if depth == 0:
            return Edit(growth.line, growth.line, [f"{line[: at + 1]}.slice(-{_KEPT}){line[at + 1 :]}"])
    return None


def _in_prose(file: SkillFile, growth: Growth, skill: Skill) -> Edit | None:
    line = file.doc.line(growth.line).rstrip()
    if is_row(line) or not _SENTENCE_END.search(line):
        return None
    told = _told(growth.name, skill)
    return Edit(growth.line, growth.line, [line + (told if skill.is_chinese else f" {told}")])


def _told(name: str, skill: Skill) -> str:
    if skill.is_chinese:
        return f"`{name}` 只保留最近 {_KEPT} 条。"
    return f"Keep only the last {_KEPT} entries of `{name}`."


_LOOP = "# Loop\n\nThe state lives in `state.json`.\n\n```javascript\nwhile (state.status !== 'done') {{\n  const result = Task({{ prompt: plan }})\n{}}}\n```\n"
_TALK = (
    "# Talk\n\n```python\nwhile not done:\n    reply = Task(prompt=question)\n{}    Write('talk.json', session)\n```\n"
)
BEFORE = (
    _LOOP.format("  state.history.push({ name: result.name, text: result.text });\n"),
    _TALK.format('    session["conversation"].append({"role": "agent", "text": reply})\n'),
    "# Loop\n\n```js\nfunction reduce(state, reply) {\n  return { ...state, messages: [...state.messages, reply[0]] }\n}\n"
    "Write('state.json', reduce(state, reply))\n```\n",
    "# Review\n\nAfter every review round, append the answer to `state.review_history`, so that the next round sees it.\n\n"
    "A sub-agent gets the state.\n",
    "# 循环\n\n状态保存在 `state.json`。每一轮结束后，把完整输出追加到 `state.history`，供下一轮使用。\n",
    _LOOP.format("  state.history.push({\n    name: result.name,\n    text: result.text,\n  });\n"),
    "# Chat\n\nThe state is kept in `state.json`.\n\n```typescript\ninterface ChatState {\n  topic: string;\n  messages: Message[];\n}\n```\n",
    '# 轮询\n\n初始状态（`state.json`）：\n\n```json\n{\n  "round": 0,\n  "messages": []\n}\n```\n\n每一轮询问一次。\n',
)
AFTER = (
    _LOOP.format(
        "  state.history.push({ name: result.name, text: result.text });\n  state.history = state.history.slice(-10);\n"
    ),
    _TALK.format(
        '    session["conversation"].append({"role": "agent", "text": reply})\n'
        '    session["conversation"] = session["conversation"][-10:]\n'
    ),
    "# Loop\n\n```js\nfunction reduce(state, reply) {\n"
    "  return { ...state, messages: [...state.messages, reply[0]].slice(-10) }\n}\n"
    "Write('state.json', reduce(state, reply))\n```\n",
    "# Review\n\nAfter every review round, append the answer to `state.review_history`, so that the next round sees it. "
    "Keep only the last 10 entries of `state.review_history`.\n\nA sub-agent gets the state.\n",
    "# 循环\n\n状态保存在 `state.json`。每一轮结束后，把完整输出追加到 `state.history`，供下一轮使用。`state.history` 只保留最近 10 条。\n",
    _LOOP.format(
        "  state.history.push({\n    name: result.name,\n    text: result.text,\n  });\n"
        "  state.history = state.history.slice(-10);\n"
    ),
    "# Chat\n\nThe state is kept in `state.json`.\n\n```typescript\ninterface ChatState {\n  topic: string;\n  messages: Message[];\n}\n```\n"
    "\nKeep only the last 10 entries of `messages`.\n",
    '# 轮询\n\n初始状态（`state.json`）：\n\n```json\n{\n  "round": 0,\n  "messages": []\n}\n```\n\n`messages` 只保留最近 10 条。\n\n每一轮询问一次。\n',
)
