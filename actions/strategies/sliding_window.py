"""Keeps the last entries of a list that grows with each pass, right where it grows.

It refuses when the skill looks into older entries (searches, counts or sums them), because they would be missing then.
"""

import re

from actions.facts.context.growth import Growth, growths
from actions.model import Case, Skill, SkillFile
from actions.strategies.edits import Edit, edit, indent_of
from actions.strategies.strategy import Draft, Strategy
from schemas.records import Issue
from schemas.vocabulary import Risk

STRATEGY = Strategy(name="sliding_window", mends=("CTX-001", "TKN-004"), risk=Risk.MEDIUM)
_KEPT = 10
_WHOLE_CALL = re.compile(r"\((?:[^()]|\([^()]*\))*\);?\s*$")
_PYTHON = re.compile(r"\.(?:append|extend)\(|\[[\"'][\w-]+[\"']\]\.")
_SENTENCE_END = re.compile(r"[.!。！]\s*$")


def propose(issue: Issue, case: Case) -> Draft | None:
    """Draft the window at the issue's line; None where the statement is not whole or older entries are used."""
    file = case.skill.by_path[issue.location.file]
    number = issue.location.line_start
    growth = next((g for g in growths(file) if g.line == number), None)
    if growth is None or _looks_back(growth.leaf, case.skill):
        return None
    change = _in_prose(file, growth, case.skill) if growth.form == "prose" else _in_code(file, growth)
    if change is None:
        return None
    return Draft(
        writes={file.path: edit(file, [change])},
        description=f"Keeps the last {_KEPT} entries of `{growth.name}`.",
        rationale=f"`{growth.name}` grows with each pass, and all of it is read again with the next one.",
        impact="The cost of a pass no longer grows with the number of passes.",
        token_limit=60,
    )


def _looks_back(leaf: str, skill: Skill) -> bool:
    """Tell whether a line of the skill uses more of the list than its last entries."""
    name = re.escape(leaf)
    used = re.compile(
        rf"(?<![\w$]){name}[\"'\]]*\??\.(?:filter|find|some|every|includes|reduce|map|forEach|length|indexOf|index|count)\b"
        rf"|\blen\([^)\n]{{0,60}}(?<![\w$]){name}[\"'\]]*\)|\bin\s+[\w.\[\"']{{0,60}}(?<![\w$]){name}[\"'\]]*\s*[:\])]"
    )
    return any(used.search(line) for f in skill.instructions if leaf in f.text for line in f.doc.lines if leaf in line)


def _in_code(file: SkillFile, growth: Growth) -> Edit | None:
    line = file.doc.line(growth.line)
    if growth.form == "spread":
        return _after_spread(growth, line)
    if growth.form == "add" or not _is_whole(line, growth):
        return None
    python = bool(_PYTHON.search(line)) and not line.rstrip().endswith(";")
    window = f"[-{_KEPT}:]" if python else f".slice(-{_KEPT})"
    stop = ";" if line.rstrip().endswith(";") else ""
    return Edit(growth.line, growth.line, [line, f"{indent_of(line)}{growth.name} = {growth.name}{window}{stop}"])


def _is_whole(line: str, growth: Growth) -> bool:
    """Tell whether the statement begins and ends on its line, so that another may follow it."""
    text = line.strip()
    rest = text[len(growth.name) :]
    return text.startswith(growth.name) and (bool(_WHOLE_CALL.search(rest)) or growth.form == "assign")


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
    if line.lstrip().startswith("|") or not _SENTENCE_END.search(line):
        return None
    told = (
        f"`{growth.name}` 只保留最近 {_KEPT} 条。"
        if skill.is_chinese
        else f" Keep only the last {_KEPT} entries of `{growth.name}`."
    )
    return Edit(growth.line, growth.line, [line + told])


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
)
