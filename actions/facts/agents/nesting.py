"""Sub-agents that are told to start sub-agents."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from actions.facts.agents import words as w
from actions.facts.agents.calls import AgentStep, agent_steps, steps_of
from actions.facts.agents.quoted import quoted_prompts
from actions.skill.skill import Skill, SkillFile
from actions.skill.statements import statements
from actions.skill.stems import Gated, Stems

_OTHERS = r"(?:sub-?agents?|(?:other|further|more|own|specialist|separate|second|worker) agents?)"
_ORDER = re.compile(
    r"\b(?:Use|Call|Invoke|using)\s+(?:the\s+)?`?(?:Task|Agent)`?\s+tool\b"
    r"|\b(?:Task|Agent|spawn_agent)\(\s*[{\"'\w]|\b(?:use|call|invoke|run|through|with)\s+`?(?:Task|Agent)\(\)"
    r"|(?:^|[.;:]\s+|[-*]\s+|\d\.\s+|,\s*|\b(?:and|then|to|will|please|also|you (?:may|can|should|must))\s+)"
    rf"(?:{w.LAUNCH}|start|run|create|call)\b[^.\n]{{0,50}}?\b(?:{w.SURE_WORKER}|{_OTHERS}|agents? (?:for|per)\b)"
    r"|\b(?:hand|give|pass|call in|bring in|ask|use)\b[^.\n]{0,40}?\b(?:another|a second|a further|other|more"
    r"|additional) agents?\b"
    r"|(?:使用|调用|用)\s*`?(?:Task|Agent)`?\s*工具"
    rf"|{w.LAUNCH_CHINESE}[^。；\n]{{0,12}}?(?:子代理|子智能体|代理|智能体)",
    re.IGNORECASE | re.MULTILINE,
)
_HAND_ON = re.compile(
    r"\b(?:agents?|helpers?|assistants?|workers?|aides?) of your own\b"
    r"|(?:^|[.;:]\s+|[-*]\s+|\d\.\s+|,\s*|\b(?:and|then|to|please|also|you (?:may|can|should|must))\s+)"
    rf"(?:(?:{w.LAUNCH}|start|enlist|recruit|take on|get|call)\b[^.\n]{{0,30}}?\b(?:(?:some|a few|several|two"
    rf"|three|more|further"
    r"|another|other|a second|extra|your own)\s+)?(?:sub-?agents?|helpers)\b"
    rf"|(?:{w.LAUNCH}|start|enlist|recruit|take on|get|call|ask|hand|give|pass|let|have|use)\b[^.\n]{{0,50}}?"
    r"\b(?:another|a second|a further|a fresh|other|more|extra|your own)\s+(?:sub-?agents?|agents?|helpers?"
    r"|assistants?|workers?"
    r"|colleagues?)\b"
    r"|(?:fan|split|share|farm|hand|parcel|deal|give|pass)\b[^.\n]{0,40}?\b(?:to|among|between"
    r"|across)\s+(?:\w+\s+){0,2}?"
    r"(?:helpers|(?:sub-?)?agents|workers|assistants)\b)"
    r"|(?:自己|自行|另外?|再|分头|各自)[^。；\n]{0,6}?(?:派|找|叫|请|起|开|调|拉"
    r"|雇)[^。；\n]{0,10}?(?:帮手|助手|代理|智能体|分身|人手)",
    re.IGNORECASE | re.MULTILINE,
)
_ANYONE = Stems(*"agent task worker helper assistant aide colleague 代理 智能体 帮手 助手 分身 人手".split())
_TOLD = Gated(
    rf"\b(?:tell|ask|instruct|let|allow|have|order)\s+(?:it|them|him|each|every|one|the {w.WORKER}|{w.SURE_WORKER})\b"
    rf"[^.;]{{0,20}}?\s(?:to\s+)?(?:{w.LAUNCH}|start|run|create|call|use)\b[^.;]{{0,50}}?\b(?:{w.WORKER}|helpers?)"
    rf"|{w.WORKER}`?\s+(?:(?:may|can|should|will|must|is allowed to|are allowed to)\s+(?:then\s+|also\s+|itself\s+)?"
    rf"(?:{w.LAUNCH}|start|run)|launches|spawns|dispatches|delegates)\b[^.;]{{0,50}}?\b{_OTHERS}"
    rf"|\b(?:it|they)\s+(?:should|may|can|must)\s+(?:then\s+)?(?:{w.LAUNCH}|call in|call|start|get"
    rf"|hire)\b[^.;]{{0,20}}?\b"
    r"(?:a second|another|further|more|an extra)\s+(?:agents?|helpers?|workers?)\b"
    r"|\b(?:agents?|workers?|helpers?|assistants?)\b[^.;]{0,80}\b(?:(?:sub-?)?agents?|helpers?|assistants?)"
    r" of (?:its|their) own\b"
    r"|(?:让|由)它(?:们)?[^。；]{0,8}?(?:找|叫|请|用)[^。；]{0,6}?(?:子代理|代理|智能体)"
    r"|(?:子代理|子智能体|代理|智能体|由它|让它)[^。；]{0,40}?(?:再|自行|另外|继续|可以?|各自|层层)(?:自行)?(?:再"
    r"|另外)?"
    rf"{w.LAUNCH_CHINESE}[^。；]{{0,14}}?(?:子代理|子智能体|代理|智能体)",
    re.IGNORECASE,
    "agent worker teammate assistant helper 代理 智能体",
    "launch spawn dispatch delegate kick fan spin fire farm hand bring start run create call get hire use own 找 叫 请"
    " 用 启动 派 调用 创建 生成 委 分 交 指 开启 另起",
)
_DEFINITION = re.compile(r"(?:^|/)agents/[^/]+\.md$")
_LEADER = re.compile(r"\b(?:main|orchestrat\w*|you|parent|top-level|session)\b|主代理|主流程|编排", re.IGNORECASE)
_CALLER = re.compile(r"\b(?:main|orchestrat\w*|parent|top-level|session)\b|主代理|主流程|主会话|编排", re.IGNORECASE)
_DENIED = re.compile(
    rf"(?:\b{w.NOT}\b|{w.NOT_CHINESE}|不)[^.。\n]{{0,40}}$",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Nested:
    """An order inside a sub-agent's prompt to start another: its line in the file and the text of that line."""

    step: AgentStep
    line: int
    text: str


def nested_orders(skill: Skill) -> Iterator[Nested]:
    """Give the first such order of each prompt."""
    for step in agent_steps(skill):
        text = _order_in(step.prompt)
        if text:
            line = next((n for n in range(step.line, step.line_end + 1) if text in step.file.doc.line(n)), step.line)
            yield Nested(step, line, text)


def quoted_orders(file: SkillFile) -> Iterator[int]:
    """Give the line of the first such order of each prompt that a file quotes."""
    for prompt in quoted_prompts(file):
        text = _order_in(prompt.text)
        if text:
            yield prompt.line_of(text)


def _order_in(prompt: str) -> str:
    """Give the line of a prompt that orders to start another sub-agent; empty where none does."""
    if not prompt or not _ANYONE.stand_in(prompt):
        return ""
    for match in (*_ORDER.finditer(prompt), *_HAND_ON.finditer(prompt)):
        begin = prompt.rfind("\n", 0, match.start() + 1) + 1
        clause = max(begin, prompt.rfind("，", begin, match.start()) + 1)
        if not _DENIED.search(prompt[clause : match.start() + 1]) and not _DENIES.search(match[0]):
            end = prompt.find("\n", match.end())
            return prompt[begin : end if end >= 0 else len(prompt)].strip()
    return ""


def told_to_nest(skill: Skill) -> Iterator[tuple[str, int]]:
    """Give file and line of each sentence that has a sub-agent start others, and of each such step in `agents/`."""
    for file in skill.instructions:
        if is_definition(file):
            yield from ((file.path, line) for line in sorted({*_own_steps(file, skill), *_mates_called(file, skill)}))
            continue
        for said in statements(file, w.WORKERS):
            order = _TOLD.search(said.text)
            if not order or _LEADER.search(said.text[: order.end()]) or file.doc.is_counterexample(said.line):
                continue
            if not _DENIED.search(said.text[: order.start() + 1]) and not _DENIES.search(order[0]):
                yield file.path, said.line


def is_definition(file: SkillFile) -> bool:
    """Tell whether a file defines a sub-agent."""
    return bool(_DEFINITION.search(file.path)) and file.text.startswith("---")


def _own_steps(file: SkillFile, skill: Skill) -> Iterator[int]:
    return (step.line for step in steps_of(file, skill) if step.fence or not _CALLER.search(file.doc.line(step.line)))


def _mates_called(file: SkillFile, skill: Skill) -> Iterator[int]:
    """Give the lines of a definition that have it set another sub-agent of the skill to work, by that one's name."""
    names = [_name_of(other) for other in skill.instructions if other is not file and is_definition(other)]
    if not any(name in file.text for name in names):
        return
    mate = "|".join(map(re.escape, filter(None, names)))
    called = re.compile(rf"{_SET_TO_WORK}[^.;,:。，；\n]{{0,40}}?(?<![\w-])(?:{mate})(?![\w-]|['’]s)", re.IGNORECASE)
    for said in statements(file):
        match = called.search(said.text)
        if not match or _PART_OF.search(match[0]) or _CALLER.search(said.text[: match.end()]):
            continue
        if not _DENIED.search(_CLAUSE.split(said.text[: match.start() + 1])[-1]):
            yield said.line


def _name_of(file: SkillFile) -> str:
    return file.path.rsplit("/", 1)[-1].removesuffix(".md")


_SET_TO_WORK = (
    rf"(?:(?:^|[.;:,]\s+|\b(?:and|then|to|please|also|must|should|may|can|you)\s+)\W*(?:{w.LAUNCH}|{w.HAND}|consult)\b"
    rf"|{w.LAUNCH_CHINESE}|[请让叫问])"
)
_CLAUSE = re.compile(r"[,;:，；：]")
_PART_OF = re.compile(r"\b(?:of|from|by|with|in|for|like|as)\s+(?:the\s+|an?\s+)?[`*]*[\w-]+$", re.IGNORECASE)
"""What another one made or is told, not that one itself."""
_DENIES = re.compile(rf"\b{w.NOT}\b|{w.NOT_CHINESE}", re.IGNORECASE)
