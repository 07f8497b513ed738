"""Where a skill sets sub-agents to work, in pseudo-code and in prose."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from actions.facts.agents import words as w
from actions.facts.agents.wrappers import wrapped_calls, wrappers
from actions.skill.code import (
    AGENT_CALLS,
    Call,
    CodeFence,
    agent_calls,
    code_fences,
    named_arguments,
    positional_arguments,
    starts_agent,
)
from actions.skill.links import is_placeholder
from actions.skill.memo import once
from actions.skill.skill import Skill, SkillFile
from actions.skill.stems import Stems
from actions.skill.tables import is_row
from actions.skill.text import sentences, strip_list_mark

BUILT_IN = frozenset(
    {"general-purpose", "Explore", "Plan", "statusline-setup", "output-style-setup", "claude-code-guide", "claude"}
)
"""The sub-agent types that Claude Code brings along."""

_PROMPT_KEYS = ("prompt", "message", "instructions", "task", "brief", "goal")
_TYPE_KEYS = ("subagent_type", "agent_type", "agentType", "subagentType", "agent", "agent_name", "role")
_OTHER_LIBRARY = frozenset({"expected_output", "backstory", "tools", "model_client", "llm", "handler", "target"})
_TYPE_IN_PROSE = re.compile(r"(?:subagent_type|agent_type)\s*(?:[:=]|\bof\b|\bis\b)?\s*[`\"'“]*([A-Za-z][\w:.-]*)")
_TOOL_IN_PROSE = re.compile(
    r"\b(?:use|using|call|invoke|via|with)\b[^.\n]{0,40}?\b(?:Task|Agent)`?\*{0,2}\s+tool\b"
    r"|(?:使用|调用|通过)\s*[`*]{0,3}(?:Task|Agent)[`*]{0,3}\s*(?:工具|tool)",
    re.IGNORECASE,
)
_VERB = re.compile(
    r"\b(?:use|using|launch|spawn|dispatch|start|run|invoke|call|delegate|hand|create|via)\b|使用|启动|派发"
    r"|派遣|调用|创建|通过|委派",
    re.IGNORECASE,
)
_CLAUSE = (
    r"(?:^|[.;:,]\s+|\s[-–—]\s+|\b(?:then|and|also|must|should|will|you|phase|step \d+)\s+"
    r"|\bfor (?:each|every) [\w-]{1,20}(?: [\w-]{1,20})? )"
)
_LEAD_IN = r"(?:\W|\d|(?:first|next|now|then|please|always|in parallel)\b)*"
_ANY_WORKER = re.compile("agent|worker|teammate|代理|智能体|队友")
"""Part of every order below, in lower case without word borders: it is asked first."""
_ORDER = re.compile(
    rf"(?:{_CLAUSE}|\bto\s+){_LEAD_IN}{w.LAUNCH}\b[^.;:\n]{{0,80}}?{w.WORKER}"
    rf"|{_CLAUSE}{_LEAD_IN}{w.HAND}\b[^.;:\n]{{0,60}}?"
    rf"(?:{w.NAMED_WORKER}|(?<!the )(?<!that )(?<!this )(?<!its )(?<!your )\b{w.SURE_WORKER})"
    r"|^(?:\W|\d|[a-z]\)|then\b|next\b|now\b|step\b|and\b)*"
    r"(?:start|run|invoke|hand)\b[^.\n]{0,80}?\b(?:agents?|workers?)\b"
    rf"|{w.SURE_WORKER}\s+(?:is|are|gets?|be)\s+(?:then\s+|each\s+)?{w.LAUNCHED}\b"
    rf"|\b(?:left|given|handed|passed|assigned|entrusted)\s+to\s+(?:an?|one|each|another|two"
    rf"|several)\b[^.;:\n]{{0,20}}?{w.SURE_WORKER}"
    rf"|^\W*(?:an?|one|two|three|four|each|every)\s+(?:\w+\s+)?{w.SURE_WORKER}\s+(?:per\s+\w+\s+)?(?!is\b|are\b"
    r"|has\b|that\b|which\b|(?:answers|returns|repl|responds|goes|gets|receives|sees|knows|keeps|needs|fails)"
    r"|writes (?:its|the) (?:results?|answers?|reports?|findings)\b)\w+s\b"
    rf"|\b(?:launches|spawns|dispatches|delegates)\b[^.;:\n]{{0,80}}?{w.SURE_WORKER}"
    rf"|{w.LAUNCH_CHINESE}[^。；\n]{{0,30}}?{w.WORKER_CHINESE}|{w.HAND_CHINESE}",
    re.IGNORECASE,
)
_NOT_ORDERED = re.compile(
    rf"\b(?:{w.NOT}|if|when|how|what|which|whether|may|might|can|could)\b[^.;,]{{0,30}}$"
    rf"|{w.NOT_CHINESE}[^。，；]{{0,12}}$",
    re.IGNORECASE,
)
_OTHER_SKILL = re.compile(r"\bskill\b|技能", re.IGNORECASE)
_TOOL_CALL = re.compile(r"`?\b(?:Task|Agent)\(\s*\{?\s*(?:subagent_type|description|prompt)\s*[:=]")
_NAMED_WORKER = re.compile(
    r"`(?P<before>[a-z][\w:-]{2,40})`\*{0,2}\s+(?:sub-?)?agents?\b"
    r"|\b(?:sub-?)?agents?\s+`(?P<after>[a-z][\w:-]{2,40})`"
    r"|\b(?P<plain>[a-z]{2,20}(?:-[a-z]{2,20}){1,3})\s+(?:sub-?)?agents?\b"
    r"|`(?P<chinese>[a-z][\w:-]{2,40})`\s*(?:子代理|代理|子智能体|智能体)"
)
_WORKERS = Stems("agent", "task", "worker", "teammate", "代理", "智能体", "队友")
_LONGEST = 50_000
_BLANK = re.compile(r"f?(?P<mark>\"\"\"|'''|[\"'`])\s*(?P=mark)")


@dataclass(frozen=True)
class AgentStep:
    """One place where a skill sets a sub-agent to work.

    `type` and `prompt` are empty where the text does not say them as literals; a prose step has neither fence nor
    call. `explicit` tells a step that names the tool or the type from one that only speaks of an agent.
    """

    file: SkillFile
    line: int
    line_end: int
    type: str
    prompt: str
    explicit: bool = True
    fence: CodeFence | None = None
    call: Call | None = None

    @cached_property
    def answer(self) -> str | None:
        """The variable that takes the answer, or what another call makes of it at once."""
        if self.fence is None or self.call is None or self.call.assigned:
            return self.call.assigned if self.call else None
        begins = re.compile(rf"\s*(?:await\s+)?{re.escape(self.call.name)}\(")
        around = (c for c in self.fence.calls if c.line <= self.call.line <= self.call.line_end <= c.line_end)
        return next((c.assigned for c in around if c.assigned and begins.match(c.args)), None)

    @property
    def name(self) -> str:
        """What to call it in a sentence."""
        return f"`{self.type}`" if self.type else "the sub-agent"


@once
def agent_steps(skill: Skill) -> tuple[AgentStep, ...]:
    """Give every step of a skill that sets a sub-agent to work, code and prose, in order."""
    return tuple(step for file in skill.instructions for step in steps_of(file, skill))


def steps_of(file: SkillFile, skill: Skill) -> list[AgentStep]:
    """Give the steps of one file in order."""
    return sorted([*_code_steps(file, skill), *_prose_steps(file)], key=lambda step: step.line)


def _code_steps(file: SkillFile, skill: Skill) -> Iterator[AgentStep]:
    for fence, call, given in (*_argued_calls(file), *_wrapped(file, skill)):
        kind = next((given[key] for key in _TYPE_KEYS if key in given), "")
        prompt = next((given[key] for key in _PROMPT_KEYS if key in given), "")
        elided = prompt.strip("\"'`") == "..."
        if (kind or prompt) and not elided and not _OTHER_LIBRARY.intersection(given):
            yield AgentStep(file, call.line, call.line_end, _literal(kind), _literal(prompt), True, fence, call)


@once
def _argued_calls(file: SkillFile) -> tuple[tuple[CodeFence, Call, dict[str, str]], ...]:
    """Give the sub-agent calls that are meant to be made, with their named arguments."""
    return tuple(
        (fence, call, _given(call))
        for fence, call in agent_calls(file)
        if call.args and not file.doc.is_counterexample(call.line)
    )


def _wrapped(file: SkillFile, skill: Skill) -> Iterator[tuple[CodeFence, Call, dict[str, str]]]:
    """Give the calls through functions of the skill's own, with what is handed on to the sub-agent."""
    for fence in code_fences(file, *(f"{name}(" for name in wrappers(skill))) if wrappers(skill) else ():
        for call in wrapped_calls(skill, fence):
            if not starts_agent(call) and not file.doc.is_counterexample(call.line):
                yield fence, call, _handed_on(call.args[:_LONGEST], wrappers(skill)[call.name].parameters)


def _handed_on(args: str, parameters: tuple[str, ...]) -> dict[str, str]:
    """Give the arguments by the names that the function has for them, or that they bear themselves."""
    placed = dict(zip(parameters, map(str.strip, positional_arguments(args)), strict=False))
    return placed if placed.keys() & {*_TYPE_KEYS, *_PROMPT_KEYS} else named_arguments(args)


def _given(call: Call) -> dict[str, str]:
    """Give the arguments by name; where they go by their place, one word is the type, the longest text the prompt."""
    args = call.args[:_LONGEST]
    named = named_arguments(args)
    if call.base in AGENT_CALLS:
        return named
    for text in sorted(filter(_literal, positional_arguments(args)), key=len, reverse=True):
        named.setdefault("prompt" if " " in text.strip() else "agent_type", text.strip())
    return named


def _literal(value: str) -> str:
    """Give the text of a string literal; empty for a variable, a call or a placeholder type."""
    text = value.split("//")[0].strip() if "\n" not in value else value.strip()
    text = text.removeprefix("f") if text[:2] in ('f"', "f'") else text
    mark = next((m for m in ('"""', "'''", "`", '"', "'") if text.startswith(m)), "")
    if not mark or not text.endswith(mark) or len(text) < 2 * len(mark):
        return ""
    inner = text[len(mark) : -len(mark)]
    return "" if " " not in inner and is_placeholder(inner) else inner


def _prose_steps(file: SkillFile) -> Iterator[AgentStep]:
    for number, line in _WORKERS.prose(file):
        if line.lstrip().startswith(("#", ">")):
            continue
        called = "_type" in line and "(" in line and bool(_TOOL_CALL.search(line))
        kind = _TYPE_IN_PROSE.search(line) if called or ("_type" in line and _VERB.search(line)) else None
        explicit = bool(kind) or bool(_TOOL_IN_PROSE.search(line) if "ool" in line or "工具" in line else None)
        if is_row(line) and not called:
            continue
        ordered = () if explicit else tuple(_ordered(line))
        if (explicit or ordered) and not file.doc.is_counterexample(number):
            names = (kind[1].rstrip(".,"),) if kind else tuple(dict.fromkeys(filter(None, ordered))) or ("",)
            yield from (AgentStep(file, number, number, name, "", explicit) for name in names)


def _ordered(line: str) -> Iterator[str]:
    """Give the types of the sub-agents that a line orders to set to work; an empty one where it names none."""
    for sentence in sentences(strip_list_mark(line)[:_LONGEST]):
        order = _ORDER.search(sentence) if _ANY_WORKER.search(sentence.lower()) else None
        if order and not _NOT_ORDERED.search(sentence[: order.start() + 1]) and not _OTHER_SKILL.search(order[0]):
            names = [next(filter(None, match.groups())) for match in _NAMED_WORKER.finditer(sentence)]
            yield from names or ("",)


def blank_prompts(skill: Skill) -> Iterator[AgentStep]:
    """Give the calls whose prompt is written out and empty."""
    for file in skill.instructions:
        for fence, call, given in _argued_calls(file):
            prompt = next((given[key] for key in _PROMPT_KEYS if key in given), None)
            if prompt is not None and _BLANK.fullmatch(prompt.strip()):
                kind = next((given[key] for key in _TYPE_KEYS if key in given), "")
                yield AgentStep(file, call.line, call.line_end, _literal(kind), "", True, fence, call)
