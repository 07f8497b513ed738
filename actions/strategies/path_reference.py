"""Puts the path of a file into a sub-agent's prompt in place of the file's contents.

The sub-agent reads the file itself. A variable that held the contents goes when nothing else uses it.
"""

import re
from collections.abc import Sequence

from actions.facts.agents.pasting import Pasting, pastings
from actions.facts.agents.payload import Payload, literal, payloads, states_in_prompts
from actions.facts.state.records import records
from actions.skill import Case, SkillFile
from actions.skill.document import Fence
from actions.strategies.edits import Edit, edit, rewritten
from actions.strategies.strategy import Draft, Strategy
from schemas.issues import Issue
from schemas.vocabulary import Risk

STRATEGY = Strategy(name="path_reference", mends=("CTX-003", "CTX-002", "TKN-003"), risk=Risk.LOW)
_PLURAL = re.compile(r"^(?:all|every|each|both)\b|(?<!s)s$|\bfiles\b", re.IGNORECASE)
_SIMPLE = re.compile(r"^[A-Za-z_$][\w$.]*$")


def propose(issue: Issue, case: Case) -> Draft | None:
    """Draft the paths at the issue's lines; None where a path cannot be written in place."""
    file = case.skill.by_path[issue.location.file]
    first = issue.location.line_start or 0
    last = max(first, issue.location.line_end or 0)
    paste = next((p for p in pastings(file) if p.line == first), None)
    if paste:
        return _said(file, paste)
    given = states_in_prompts(file, records(case.skill)) if issue.pattern == "CTX-002" else payloads(file)
    slots = [slot for slot in given if first <= slot.line <= last]
    changed = _with_paths(file, slots, case.skill.is_chinese)
    if changed is None:
        return None
    edits = [*changed, *_without_definitions(file, slots)]
    return _draft(file, edits, drops=rewritten(file, edits))


def _draft(file: SkillFile, edits: list[Edit], drops: Sequence[str] = (), rewrites: Sequence[str] = ()) -> Draft:
    return Draft(
        writes={file.path: edit(file, edits)},
        description="Passes paths to the sub-agent instead of file contents.",
        rationale="Contents in a prompt are paid by the main session and by the sub-agent; the sub-agent can read.",
        impact="The main context no longer carries the files.",
        token_limit=40,
        drops=tuple(drops),
        rewrites=tuple(rewrites),
    )


def _said(file: SkillFile, paste: Pasting) -> Draft | None:
    if paste.chinese:
        text = f"在{paste.where}中只传{paste.subject}的路径，由子代理自行读取"
    else:
        many = bool(_PLURAL.search(paste.subject))
        noun, them = ("paths", "them") if many else ("path", "it")
        begin = "Pass" if paste.text[0].isupper() else "pass"
        text = f"{begin} the {noun} of {paste.subject} in {paste.where} and let the sub-agent read {them}"
    line = file.doc.line(paste.line)
    if line.count(paste.text) != 1:
        return None
    return _draft(file, [Edit(paste.line, paste.line, [line.replace(paste.text, text)])], rewrites=(paste.sentence,))


def _with_paths(file: SkillFile, slots: list[Payload], chinese: bool) -> list[Edit] | None:
    """Give one edit per line that held contents, None if any of them cannot be written as a path."""
    lines: dict[int, str] = {}
    for slot in slots:
        line = lines.get(slot.line, file.doc.line(slot.line))
        text = _reading(slot, line, chinese)
        if text is None or line.count(slot.slot) != 1:
            return None
        lines[slot.line] = line.replace(slot.slot, text)
    return [Edit(number, number, [line]) for number, line in lines.items()] or None


def _reading(slot: Payload, line: str, chinese: bool) -> str | None:
    """Give what stands in the prompt instead: `Read <path>`, in the form of the slot."""
    path, plus = _path(slot), slot.slot.startswith("+")
    if not slot.source.path or path is None or (plus and slot.source.many):
        return None
    verb = (
        ("逐个读取：" if slot.source.many else "读取 ")
        if chinese
        else ("Read each of " if slot.source.many else "Read ")
    )
    if not chinese and line[: line.find(slot.slot)].strip(" `\"'"):
        verb = verb.replace("Read", "read", 1)
    if not plus:
        return verb + path
    plain = literal(slot.source.path)
    return f'+ "{verb}" + {slot.source.path}' if plain is None or "${" in plain else f'+ "{verb}{plain}"'


def _path(slot: Payload) -> str | None:
    """Give the path as it is written inside of the prompt's template."""
    source = slot.source
    dollar = "$" if slot.slot.startswith("$") else ""
    if source.many:
        item = f".map(f => f{source.field})" if source.field else ""
        joined = f"{source.path}{item}.join(', ')" if dollar else f"', '.join(map(str, {source.path}))"
        return f"{dollar}{{{joined}}}"
    text = literal(source.path)
    if text is not None:
        return text
    return f"{dollar}{{{source.path}}}" if _SIMPLE.match(source.path) else None


def _without_definitions(file: SkillFile, slots: list[Payload]) -> list[Edit]:
    """Give the edits that take out variables which nothing uses any more, with the blank line that followed them."""
    edits = []
    for name, defined in {(slot.name, slot.defined) for slot in slots if slot.defined is not None}:
        here = {slot.line for slot in slots if slot.name == name} | {defined}
        used = re.compile(rf"[{{(\[=+,:]\s*{re.escape(name)}\b|(?<![\w$]){re.escape(name)}(?:[\[(]|\.\w)")
        fence = file.doc.fence_at(defined)
        if fence is None or any(
            used.search(line) for n, line in enumerate(file.doc.lines, 1) if n not in here and name in line
        ):
            continue
        edits.append(Edit(defined, defined + _blank_after(file, fence, defined), []))
    return edits


def _blank_after(file: SkillFile, fence: Fence, number: int) -> int:
    opens = number - 1 == fence.start or not file.doc.line(number - 1).strip()
    return int(opens and not file.doc.line(number + 1).strip())


BEFORE = (
    "# Merge\n\n```javascript\nconst reports = files.map(f => Read(f)).join('\\n\\n')\n\n"
    "Task({\n  subagent_type: 'writer',\n  prompt: `Merge these reports.\n${reports}\n\nNever drop a figure.`\n})\n```\n",
    "# Compare\n\n```javascript\nTask({ subagent_type: 'judge', prompt: `Compare two texts.\nOld: ${Read(`${dir}/old.md`)}\n"
    "New: ${Read(draft)}` })\n```\n",
    '# Survey\n\nIf the sub-agent fails, ask the user.\n\n```python\nchapters = "\\n".join(open(p).read() for p in paths)\n'
    'Task(prompt=f"Summarise the book. {chapters}")\n```\n',
    "# Loop\n\nIf the sub-agent fails, ask the user.\n\n```javascript\nconst state = JSON.parse(Read(`${dir}/state.json`))\n"
    "Task({\n  prompt: `Go on with the work.\n${JSON.stringify(state, null, 2)}\n`\n})\nshow(state.step)\n```\n",
    "# Check\n\n如果子代理失败，询问用户。状态保存在磁盘上，子代理负责检查计划的每一步，并报告结果。\n\n```javascript\n"
    "const plan = Read('work/plan.md')\nTask({\n  prompt: '检查这份计划：' + plan\n})\n```\n",
    "# Report\n\nPaste the full contents of every phase report into the writer's prompt.\n",
    "# 汇总\n\n将所有阶段报告的完整内容拼接到子代理的提示词中。\n",
)
AFTER = (
    "# Merge\n\n```javascript\n"
    "Task({\n  subagent_type: 'writer',\n  prompt: `Merge these reports.\nRead each of ${files.join(', ')}\n\n"
    "Never drop a figure.`\n})\n```\n",
    "# Compare\n\n```javascript\nTask({ subagent_type: 'judge', prompt: `Compare two texts.\nOld: read ${dir}/old.md\n"
    "New: read ${draft}` })\n```\n",
    "# Survey\n\nIf the sub-agent fails, ask the user.\n\n```python\nTask(prompt=f\"Summarise the book. read each of {', '.join(map(str, paths))}\")\n```\n",
    "# Loop\n\nIf the sub-agent fails, ask the user.\n\n```javascript\nconst state = JSON.parse(Read(`${dir}/state.json`))\n"
    "Task({\n  prompt: `Go on with the work.\nRead ${dir}/state.json\n`\n})\nshow(state.step)\n```\n",
    "# Check\n\n如果子代理失败，询问用户。状态保存在磁盘上，子代理负责检查计划的每一步，并报告结果。\n\n```javascript\n"
    "Task({\n  prompt: '检查这份计划：' + \"读取 work/plan.md\"\n})\n```\n",
    "# Report\n\nPass the paths of every phase report in the writer's prompt and let the sub-agent read them.\n",
    "# 汇总\n\n在子代理的提示词中只传所有阶段报告的路径，由子代理自行读取。\n",
)
